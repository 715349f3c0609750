"""Which side of a figure is allowed: said outright, by comparison, and turned round by a denial."""

from __future__ import annotations

import pytest
from tests.looped import looped

from rememora.knowledge.mentions import mentions

LIMITS = {
    "Não quero gastar mais de 500 reais por mês": ("threshold.limit", "≤ 500 reais"),
    "don't spend more than $500": ("threshold.limit", "≤ $500"),
    "I won’t pay more than about $80": ("threshold.limit", "≤ $80"),
    "nunca menos de 20%": ("threshold.minimum", "≥ 20%"),
    "não menos que 20%": ("threshold.minimum", "≥ 20%"),
    "no less than 15%": ("threshold.minimum", "≥ 15%"),
    "gaste no máximo 500 reais": ("threshold.limit", "≤ 500 reais"),
    "quero no mínimo 20%": ("threshold.minimum", "≥ 20%"),
    "at most $30": ("threshold.limit", "≤ $30"),
    "at least 20%": ("threshold.minimum", "≥ 20%"),
    "não passe de R$ 500": ("threshold.limit", "≤ R$ 500"),
    "não pode passar de R$ 500": ("threshold.limit", "≤ R$ 500"),
    "sem ultrapassar R$ 2.000": ("threshold.limit", "≤ R$ 2.000"),
    "até 500 reais": ("threshold.limit", "≤ 500 reais"),
    "acima de R$ 40": ("threshold.minimum", "≥ R$ 40"),
    "only if it is over $300": ("threshold.minimum", "≥ $300"),
    "keep it under $50": ("threshold.limit", "≤ $50"),
    "nothing over $50 please": ("threshold.limit", "≤ $50"),
    "no more than $500": ("threshold.limit", "≤ $500"),
    "not more than 500 dollars": ("threshold.limit", "≤ 500 dollars"),
    "O CPA não pode passar de R$ 40": ("threshold.cpa", "≤ R$ 40"),
    "não deixe o churn passar de 5%": ("threshold.churn", "≤ 5%"),
    "Our CAC target is below $45": ("threshold.cac", "≤ $45"),
}
CARRIED = {
    "Our ROAS is 3.2 and should stay above 3": {"metric.roas": "3.2", "threshold.roas": "≥ 3"},
    "O CPA subiu para R$ 45, quero manter abaixo de R$ 40": {"metric.cpa": "R$ 45", "threshold.cpa": "≤ R$ 40"},
}
TOLD = {
    "The conversion rate dropped below 2%": {"metric.conversao": "2%"},
    "não gostei, gastei mais de 500 reais": {"metric.amount_500_reais": "500 reais"},
}


@looped("text", LIMITS)
def test_the_allowed_side_of_a_figure(text: str) -> None:
    """A ceiling is at most, a floor at least; a denied comparison is the other one."""
    assert [LIMITS[text]] == [(mention.key, mention.value) for mention in mentions(text)]


@pytest.mark.parametrize("text", CARRIED)
def test_a_limit_is_of_the_metric_that_was_spoken_of(text: str) -> None:
    """The metric need not be named twice in a sentence."""
    assert CARRIED[text] == {mention.key: mention.value for mention in mentions(text)}


@pytest.mark.parametrize("text", TOLD)
def test_what_happened_is_no_limit(text: str) -> None:
    """A comparison in a report sets nothing."""
    assert TOLD[text] == {mention.key: mention.value for mention in mentions(text)}


def test_a_name_between_a_metric_and_its_figure_is_a_mention_too() -> None:
    """Neither hides the other."""
    result = {item.key: item.value for item in mentions("O CPA da campanha Black Friday subiu para R$ 45,00")}

    assert {"campaign.black_friday": "Black Friday", "metric.cpa": "R$ 45,00"} == result
