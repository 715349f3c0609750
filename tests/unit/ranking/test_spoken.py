"""Which languages a user speaks, and how a query that does not say its own is read in them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.looped import looped

from rememora.ranking.rank import RankQuery, rank, spoken
from rememora.userindex.features import language_of
from rememora.userindex.rows import Row
from rememora.userindex.user_index import UserIndex

AT = datetime(2026, 3, 1, tzinfo=UTC)
PT = "As cidades da viagem foram lindas"
EN = "The cities of the trip were very nice"


def shelf_of(texts: Sequence[str]) -> UserIndex:
    """Each text in a conversation of its own: nothing is found by its neighbours."""
    rows = [
        Row(id=f"{n} {text}", text=text, at=AT, conversation=str(n), position=0) for n, text in enumerate(texts)
    ]
    return UserIndex(rows)


def found(texts: Sequence[str], query: str) -> set[str]:
    return {hit.id.split(" ", 1)[1] for hit in rank(shelf_of(texts), RankQuery(text=query, now=AT, limit=20))}


@looped(
    ("texts", "expected"),
    [
        ([], ("pt", "en")),
        (["42"], ("pt", "en")),
        ([PT, PT, EN], ("pt", "en")),
        ([PT, EN, EN, "42"], ("en", "pt")),
        ([PT] * 10 + [EN], ("pt",)),
        ([EN] * 10 + [PT], ("en",)),
    ],
)
def test_the_language_of_most_rows_comes_first(texts: list[str], expected: tuple[str, ...]) -> None:
    """What is hardly ever spoken is left out, and who has said nothing yet may mean either."""
    assert expected == spoken(np.array([language_of(text) for text in texts], dtype=np.int8))


@pytest.mark.parametrize("texts", [[EN] * 40 + [PT], [EN, "viagem"]], ids=["seldom", "no language"])
def test_a_word_of_the_other_language_is_looked_for_in_it_too(texts: list[str]) -> None:
    """However seldom it is spoken; and a row that says no language has the stems of both."""
    assert {texts[-1]} == found(texts, "Was there any viagens?")


@given(st.lists(st.sampled_from([PT, EN, "42"]), max_size=30))
def test_the_order_of_rows_does_not_matter(texts: list[str]) -> None:
    """Whichever way a index was filled, a query means the same."""
    rows = [language_of(text) for text in texts]

    assert spoken(np.array(rows, dtype=np.int8)) == spoken(np.array(sorted(rows), dtype=np.int8))


@pytest.mark.parametrize("query", ["city", "cities?", "City"])
@pytest.mark.parametrize(
    "others", [[], [PT] * 3, ["O almoço foi bom"] * 20], ids=["english", "mixed", "portuguese"]
)
def test_one_english_word_finds_its_plural(query: str, others: list[str]) -> None:
    """Whatever else the user speaks, by words alone."""
    assert EN in found([EN, *others], query)


@pytest.mark.parametrize(
    "others", [[], [EN] * 3, ["The lunch was good"] * 20], ids=["portuguese", "mixed", "english"]
)
def test_one_portuguese_word_finds_its_plural(others: list[str]) -> None:
    """Also where English is what the user mostly speaks."""
    assert PT in found([PT, *others], "cidade")


def test_one_word_of_somebody_who_speaks_both_is_found_in_both() -> None:
    """`Game` has another stem in either language, and both are looked for."""
    texts = ["I love these games", "O game novo do Pedro chegou", "O almoço foi bom", "Games"]

    assert {texts[0], texts[1], texts[3]} == found(texts, "game")


def test_a_short_text_is_found_by_a_question_in_either_language() -> None:
    """What does not say its own language is there in both."""
    for question in ("which games did I buy?", "quais games eu comprei?"):
        assert "Games" in found(["Games", "The lunch was good", "O almoço foi bom"], question)


def test_one_word_is_not_read_in_a_language_the_user_does_not_speak() -> None:
    """In Portuguese `care` would lose its end and be a `car`."""
    assert {"I do care about this"} == found(["I do care about this", "My car is the blue one"], "care")


def test_a_foreign_word_in_a_question_is_found() -> None:
    """A question in English about what was said in Portuguese: nobody says the word's English stem."""
    assert "O orçamento fechou" in found(["O orçamento fechou", EN], "what was it with the orcamentos?")


def test_a_row_taken_off_no_longer_counts() -> None:
    """The languages are those of what is there."""
    index = shelf_of([PT, EN])
    index.remove([f"0 {PT}"])

    assert ("en",) == spoken(index.column("language"))


@pytest.mark.parametrize("query", ["5kg", "5 kg", "5 KG?"])
def test_a_weight_finds_itself_and_no_heavier_one(query: str) -> None:
    """With a space and without one."""
    texts = ["usei 5kg de fermento", "mais 5 kg de sal", "comprei 25kg de farinha", "e 35 kg de milho"]

    assert set(texts[:2]) == found(texts, query)
