"""Keys of statements: people by name, never a firm, a boat or the person's own name."""

from __future__ import annotations

import pytest
from tests.unit.gate.reading import facts_of

from rememora.gate import evaluate
from rememora.reading import read_message


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("minha sócia Lia faz aniversário em 12 de março", "people.lia."),
        ("Our counsel is Mr. Van Houten, extension 4417", "people.van_houten."),
        ("My wife Ana is a vet in Porto", "people.ana."),
    ],
)
def test_what_is_said_of_a_person_is_filed_under_the_name(text: str, start: str) -> None:
    """The whole name, without its title."""
    assert [key for key in facts_of(text) if key.startswith(start)]


def test_what_is_said_of_a_titled_person_by_a_pronoun_is_filed_under_the_name() -> None:
    """The pronoun stands for the name behind the title."""
    verdict = evaluate("His extension is 4417.", before=("user: Our counsel is Mr. Van Houten.",))

    assert verdict.facts[0].key.startswith("people.van_houten.")


def test_anothers_name_is_not_ones_own() -> None:
    """Whoever "his" or "her" is said of is somebody else."""
    for text in ("I hired a new kid to replace Luis, his name's Theo", "we got a puppy, her name's Bella"):
        assert "user.name" not in facts_of(text)


@pytest.mark.parametrize(
    "text",
    [
        "projeto Aurora: cliente Porto Seco, entrega dia 10",
        "Brandt Verlag pays in 60 days, email pay@brandt.example",
    ],
)
def test_what_is_no_person_is_not_among_people(text: str) -> None:
    """A project and a firm have names too."""
    keys = facts_of(text)

    assert keys
    assert not [key for key in keys if key.startswith("people.")]


def test_ones_own_name_is_no_other_person() -> None:
    """A message that gives its author's name speaks of its author."""
    keys = facts_of("aqui quem fala é o Wesley, técnico de ar-condicionado em Betim")

    assert "user.name" in keys
    assert not [key for key in keys if key.startswith("people.")]


def test_names_of_people_are_told_apart() -> None:
    """The reader says which names in a message are people's."""
    spoken = read_message("minha irmã Cátia mora em Natal, e o projeto Aurora atrasou")

    assert "Cátia" in spoken.people
    assert "Aurora" not in spoken.people


def test_a_salutation_is_not_kept() -> None:
    """It is to the assistant, and says nothing."""
    facts = facts_of("Dear assistant, I am Philippa Stroud, events lead at Larkfield Conferences.")

    assert "Philippa Stroud" == facts["user.name"]
    assert not [value for value in facts.values() if "assistant" in str(value)]


BEFORE = ("user: My brother Dougal lives in Leeds and works at the port.",)


@pytest.mark.parametrize(
    ("text", "prefixed"),
    [
        ("he's in his second year at the college", True),
        ("for parts i go to pipe barn on keller road ask for yvonne she gives me twelve percent off", False),
    ],
)
def test_a_pronoun_near_the_beginning_takes_up_a_name(text: str, prefixed: bool) -> None:
    """A late one is of somebody in the same sentence, capital letter or not."""
    facts = evaluate(text, before=BEFORE).facts

    assert facts
    assert prefixed == any("Dougal" in str(fact.value) for fact in facts)
