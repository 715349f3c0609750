"""Whom a question is about, and what is left out where nobody has heard of them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import numpy as np
from tests.looped import looped

from rememora.language.parsed import parse_text
from rememora.ranking.question import names_in
from rememora.ranking.rank import RankQuery, rank
from rememora.userindex.rows import Row
from rememora.userindex.user_index import UserIndex

NOW = datetime(2026, 5, 20, 20, tzinfo=UTC)


@looped(
    ("text", "names"),
    [
        ("What did Caroline paint?", ["caroline"]),
        ("o que o João disse sobre a Acme?", ["joao", "acme"]),
        ("Did I visit São Paulo?", ["sao", "paulo"]),
        ("Onde a Marina trabalha, Rememora?", ["marina"]),
        ("Who is Dr. Seuss to me?", ["seuss"]),
        ("Caroline pinta o quê?", []),
        ("Oi Rememora, onde eu moro?", []),
        ("where do I live, Max?", []),
        ("Hey Claude! What is the name of my dog?", []),
        ("Onde Eu Trabalho?", []),
        ("ONDE EU MORO", []),
        ("onde a marina trabalha?", []),
    ],
)
def test_names_of_a_question(text: str, names: list[str]) -> None:
    """Capital words inside a sentence; not its first word, not whom it is put to, not a title in capitals."""
    assert names == names_in(parse_text(text))


def vector(cosine: float) -> np.ndarray:
    """A vector with this cosine to the question's."""
    return np.array([cosine, (1 - cosine**2) ** 0.5], dtype=np.float32)


def found(
    question: str, cosine: float, text: str = "we hiked up the old trail with the dogs", **more: Any
) -> bool:
    """Return whether the row is a hit, among others that nothing speaks for."""
    index = UserIndex()
    for number in range(20):
        other = f"invoice {number} of the shop was paid"
        index.add(Row(id=f"o{number}", text=other, at=NOW, conversation=f"o{number}", vector=vector(0.0)))
    index.add(Row(id="m1", text=text, at=NOW, conversation="c1", vector=vector(cosine), **more))
    query = RankQuery(text=question, now=NOW, vector=vector(1.0), related=True)
    return [hit.id for hit in rank(index, query)] == ["m1"]


def test_of_somebody_unknown_only_what_is_near_or_says_much_is_a_hit() -> None:
    """Where no row and no speaker has the name, being a little near is not enough."""
    assert found("Where did they go for lunch?", 0.15)
    assert not found("Where did Caroline go for lunch?", 0.15)
    assert found("Where did Caroline go for lunch?", 0.6)
    assert found("Was Caroline with the dogs when they hiked the old trail?", 0.15)


def test_of_somebody_known_all_is_as_ever() -> None:
    """The name may be said in the text, begin like one that is, or be the speaker's."""
    question = "Where did Caroline go for lunch?"

    assert found(question, 0.15, "Caroline hiked up the old trail with the dogs")
    assert found("Where did Carolina go for lunch?", 0.15, "Caroline hiked up the old trail")
    assert found(question, 0.15, speaker="Caroline")
    assert found("Where did Melanie or Caroline go for lunch?", 0.15, speaker="Caroline")
