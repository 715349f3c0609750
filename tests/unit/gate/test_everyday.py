"""What people say of themselves, several things at a time: each is read, and nothing that was not said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.looped import looped
from tests.unit.gate.reading import facts_of, holds, slots_of

from rememora.gate import evaluate
from rememora.gate.stated import SLOTS

PRECISION = 0.97


def rows_of(name: str) -> list[dict[str, Any]]:
    lines = Path(__file__).with_name(name).read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize(("name", "least", "recall"), [("everyday.jsonl", 100, 0.92), ("life.jsonl", 60, 0.85)])
def test_precision_and_recall_do_not_fall(name: str, least: int, recall: float) -> None:
    """What people say of their work and of their life in both languages, counted fact by fact."""
    rows = rows_of(name)
    count = right = held = expected = 0
    for row in rows:
        facts = facts_of(row["text"])
        slots = {key: value for key, value in facts.items() if key in SLOTS}
        count, expected = count + len(slots), expected + len(row["facts"])
        right += sum(key in row["facts"] and row["facts"][key] == value for key, value in slots.items())
        held += sum(holds(facts, key, value) for key, value in row["facts"].items())

    assert len(rows) >= least
    assert right / count >= PRECISION
    assert held / expected >= recall


@looped(
    ("text", "facts"),
    [
        ("My name is John and I work at Acme", {"user.name": "John", "tenant.name": "Acme"}),
        ("I live in Boston", {"user.location": "Boston"}),
        ("I prefer long answers", {"prefs.short_answers": False}),
        ("Não gosto de respostas longas", {"prefs.short_answers": True}),
        ("Meu sócio é o Paulo e a contadora é a Renata",
         {"people.paulo.role": "sócio", "people.renata.role": "contadora"}),
        ("I'd rather get reports as PDF and no emojis please",
         {"prefs.report_format": "PDF", "prefs.no_emojis": True}),
        ("Sou o Rafael da Construtora Lima", {"user.name": "Rafael", "tenant.name": "Construtora Lima"}),
        ("Nasci em Belém e moro em Brasília", {"user.origin": "Belém", "user.location": "Brasília"}),
    ],
)  # fmt: skip
def test_one_fact_does_not_run_into_another(text: str, facts: dict[str, Any]) -> None:
    """A name ends where the next clause begins, a place is no tool, a wish is not its opposite."""
    result = facts_of(text)

    assert all(holds(result, key, value) for key, value in facts.items())
    assert {key for key in facts if key in SLOTS} == set(slots_of(text))


@pytest.mark.parametrize(
    "text", ["Me responde em inglês, por favor, sempre", "Sempre responda em inglês, por favor"]
)
def test_a_polite_wish_is_no_order(text: str) -> None:
    """ "Por favor" recommends nothing."""
    assert {"user.preferred_language": "en"} == facts_of(text)
    assert "save" == evaluate(text).label


@pytest.mark.parametrize(
    "text", ["I went to Boston last weekend", "Vou almoçar e já volto", "A Ana mora em Olinda"]
)
def test_what_says_nothing_of_the_person_fills_no_slot(text: str) -> None:
    """A trip, an errand, and where somebody else lives."""
    assert {} == slots_of(text)
