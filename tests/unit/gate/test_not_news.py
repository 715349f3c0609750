"""Clauses that tell nothing lasting, names behind titles, and firms by their kind."""

from __future__ import annotations

import pytest
from tests.unit.gate.reading import facts_of

from rememora.gate import evaluate, load_policy
from rememora.gate.sensitive import find_sensitive
from rememora.reading.normalised import normalise


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("o cimento foi pra 41 reais o saco, o resto continua igual", "o resto"),
        ("Attendance has grown to 175 people. Date and venue are unchanged.", "date"),
    ],
)
def test_a_clause_that_only_says_nothing_changed_is_not_kept(text: str, gone: str) -> None:
    """The change beside it is."""
    values = [str(value) for value in facts_of(text).values()]

    assert values
    assert not [value for value in values if value.lower().startswith(gone)]


@pytest.mark.parametrize("text", ["Today only, I want bullet points", "só por hoje responde em inglês"])
def test_a_wish_for_today_is_not_kept(text: str) -> None:
    """It is over tomorrow."""
    assert {} == facts_of(text)


def test_nowadays_is_not_only_today() -> None:
    """ "Hoje só" tells of a habit, and "só hoje" with a verb behind it of an event."""
    assert facts_of("Hoje só trabalho com React e TypeScript")
    assert facts_of("Só hoje consegui matricular meu filho Davi na escola Dom Bosco")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Prezado assistente, sou o Dr. Heitor Lacombe, sócio do escritório Lacombe", "Heitor Lacombe"),
        ("My name is Rev. Annabel Croft.", "Annabel Croft"),
        ("I'm Dr. Ruth Okoro, a vet in York", "Ruth Okoro"),
    ],
)
def test_a_name_stands_behind_its_title(text: str, name: str) -> None:
    """A point after the title does not end it."""
    assert name == facts_of(text)["user.name"]


@pytest.mark.parametrize(
    "text",
    [
        "Switched the beginners to a book called Stepwise, Clearpath was dreadful",
        "I've got a tortoise called Admiral and he's older than me lol",
        "Our shipping company is FedEx",
    ],
)
def test_what_is_called_something_is_not_always_a_firm(text: str) -> None:
    """Nor is the firm of somebody else one's own."""
    assert "tenant.name" not in facts_of(text)


def test_a_firm_is_called_by_its_kind() -> None:
    """With the verb of who owns it, any kind will do."""
    assert "Salt & Ember" == facts_of("I run a taco truck called Salt & Ember, on Delmar Street")["tenant.name"]


@pytest.mark.parametrize(
    "text",
    [
        "My doctor put me on blood thinners, please remember that for me",
        "please remember my doctor put me on blood thinners",
        "lockbox is 7719",
        "usa essa key nos exemplos PILOTIS_KEY=skp_9fQ27xLm0Pz",
    ],
)
def test_a_secret_is_refused_beside_a_wish(text: str) -> None:
    """What is to be kept is judged by its own words."""
    assert "sensitive" == evaluate(text).label


@pytest.mark.parametrize("text", ["The primary_key = order_id_v2 in our orders table", "sort_key=created_2024"])
def test_no_rule_takes_a_column_for_a_secret(text: str) -> None:
    """Its value is made of words."""
    assert find_sensitive(normalise(text), load_policy()) is None


def test_what_is_taken_back_is_not_kept() -> None:
    """The statement says the value that holds, and no slot the other one."""
    prices = facts_of("pagam setenta e cinco não minto oitenta e cinco reais o ponto")
    name = facts_of("Oi, sou a Ana, não, minto, a Joana, da recepção")

    assert ["oitenta e cinco" in str(value) for value in prices.values()] == [True] * len(prices) != []
    assert not [value for value in prices.values() if "setenta" in str(value)]
    assert "Ana" != name.get("user.name")
