"""What is asked for in so many words is kept, whatever else the message says."""

from __future__ import annotations

import pytest

from rememora.domain.verdict import Save
from rememora.gate import evaluate, load_policy

BESIDE = {
    "Meu nome é Carla e trabalho na Padaria Sol. salva que meu CAC é 42 reais": (
        "Carla",
        "Padaria Sol",
        "42 reais",
    ),
    "My name is Tom. Please remember that our budget is 10k": ("Tom", "10k"),
    "Trabalho na Acme. Anota que a reunião é toda segunda às 9h": ("Acme", "toda segunda às 9h"),
    "Meu nome é Carla, salva isso": ("Carla",),
    "I live in Boston, remember that please": ("Boston",),
}


@pytest.mark.parametrize("text", BESIDE)
def test_nothing_that_was_asked_for_is_lost(text: str) -> None:
    """A fact said before a wish does not stand in for it, and the words of a wish are no fact."""
    verdict = evaluate(text, policy=load_policy())
    assert isinstance(verdict, Save)
    values = [fact.value for fact in verdict.facts if fact.key != "tenant.segment"]

    assert list(BESIDE[text]) == values
