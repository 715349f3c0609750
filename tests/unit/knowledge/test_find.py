"""Finding the memory that somebody means, without a store."""

from __future__ import annotations

import msgspec
from tests.contract.knowing import known
from tests.looped import looped

from rememora.domain.memory import Memory
from rememora.domain.scope import Scope
from rememora.gate import load_policy
from rememora.knowledge.erase import needles_of, words_of
from rememora.knowledge.find import choose, find, is_topic
from rememora.language.parsed import parse_text

ANA = Scope("acme", "ana")
FACTS = {
    "user.name": ("identity", "Ana Maria"),
    "user.location": ("identity", "Recife"),
    "user.phone": ("identity", "ramal 42"),
    "people.tom.role": ("people", "contador"),
    "people.tom.phone": ("people", "ramal 77"),
    "people.tomas.role": ("people", "vendedor"),
    "prefs.short_answers": ("preferences", True),
}


def memories() -> list[Memory]:
    """What is known of a person, each under an id of its own."""
    return [
        msgspec.structs.replace(known(ANA, id=f"k{number}", key=key), category=category, value=value)
        for number, (key, (category, value)) in enumerate(FACTS.items())
    ]


@looped(
    ("target", "keys"),
    [
        ("k1", ["user.location"]),
        ("user.name", ["user.name"]),
        ("people.tom", ["people.tom.role", "people.tom.phone"]),
        ("people.to", []),
        ("user.unknown", []),
        ("Pessoas e contatos", ["people.tom.role", "people.tom.phone", "people.tomas.role"]),
        ("preferences", ["prefs.short_answers"]),
        ("minha cidade", ["user.location"]),
        ("where I live, Recife", ["user.location"]),
        ("o contador", ["people.tom.role"]),
        ("RESPOSTAS CURTAS", ["prefs.short_answers"]),
        ("meu telefone", ["user.phone", "people.tom.phone"]),
        ("telefone do Tom", ["people.tom.phone"]),
        ("o gato", []),
    ],
)
def test_a_target_means_what_a_person_would_think(target: str, keys: list[str]) -> None:
    """Id, key and topic exactly; category by its name; words by what they share with key and value."""
    assert keys == [memory.key for memory in find(memories(), target, load_policy())]


@looped(
    ("reply", "keys"),
    [
        ("2", ["user.location"]),
        ("a primeira", ["user.name"]),
        ("the third one", ["user.phone"]),
        ("1 e 3", ["user.name", "user.phone"]),
        ("todas", ["user.name", "user.location", "user.phone"]),
        ("a do Recife", ["user.location"]),
        ("9", []),
        ("sei lá", []),
    ],
)
def test_a_reply_picks_among_candidates(reply: str, keys: list[str]) -> None:
    """By number, by place, all of them, or by words; anything else picks none."""
    assert keys == [memory.key for memory in choose(memories()[:3], parse_text(reply))]


def test_only_a_subject_is_a_topic() -> None:
    """A namespace alone is too broad to be forgotten in one go."""
    tom = [memory for memory in memories() if memory.key.startswith("people.tom.")]

    assert is_topic(tom, "people.tom")
    assert not is_topic(tom, "people")
    assert not is_topic(memories(), "people.tom")


def test_nothing_known_means_nothing_found() -> None:
    """An empty memory has no candidates."""
    assert [] == find([], "user.name", load_policy())
    assert [] == choose([], parse_text("todas"))


def test_every_byte_of_a_long_text_is_in_a_needle() -> None:
    """What is looked for, put together, is all that was said; only what is very short is left out."""
    text = "o canarinho amarelo cantou no telhado da padaria até o sol nascer de novo em agosto"

    assert len(text.encode()) == sum(map(len, needles_of([text, "ok"])))
    assert all(needle in text.encode() for needle in needles_of([text]))


def test_words_are_taken_as_written_and_as_folded() -> None:
    """A search index keeps folded words, so both are looked for."""
    assert {"Coração", "coracao"} == words_of(["meu Coração é"])
