"""BM25 against the formula written out, with neighbours and kin, however many rows and words there are."""

from __future__ import annotations

import math
from itertools import takewhile

import msgspec
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rememora.ranking import wording as wordings
from rememora.ranking.wording import Wording
from rememora.settings.weights import Weights
from rememora.userindex.neighbours import Neighbours
from rememora.userindex.postings import Postings

ALONE = Weights(words_before=0, words_two_before=0, words_after=0, kin=0)
KIN = ("alergia", "alergias", "alergica", "alergologo", "ana", "bia")
WORDS = st.lists(st.sampled_from(KIN), min_size=1, max_size=6)
RANKINGS = st.builds(
    Weights,
    saturation=st.sampled_from([0, 0.6, 10]),
    length=st.sampled_from([0, 0.3, 1]),
    words_before=st.sampled_from([0, 0.4]),
    words_two_before=st.sampled_from([0, 0.15]),
    words_after=st.sampled_from([0, 0.3]),
    kin=st.sampled_from([0, 0.2, 1]),
)


class Turn(msgspec.Struct, frozen=True):
    """What is said, in which conversation if in any, leaning how much on what is said around it."""

    words: list[str]
    conversation: int | None
    lean: float
    gone: bool = False


TURNS = st.lists(
    st.builds(Turn, WORDS, st.sampled_from([None, 0, 1]), st.sampled_from([0.0, 0.5, 1.0]), st.booleans()),
    min_size=1,
    max_size=8,
)


def wording(turns: list[Turn], weights: Weights) -> Wording:
    postings, neighbours = Postings(), Neighbours()
    for row, turn in enumerate(turns):
        postings.add(row, turn.words)
        neighbours.add(row, turn.conversation or 0, None if turn.conversation is None else row)
    for row, turn in enumerate(turns):
        if turn.gone:
            postings.remove(row)
            neighbours.remove(row, turn.conversation or 0)
    return Wording(
        postings,
        neighbours,
        lengths=np.array([0 if turn.gone else len(turn.words) for turn in turns], dtype=np.float32),
        lean=np.array([turn.lean for turn in turns], dtype=np.float32),
        alive=sum(not turn.gone for turn in turns),
        weights=weights,
    )


def talk(*documents: list[str]) -> list[Turn]:
    return [Turn(document, 0, 1.0) for document in documents]


def bm25(turns: list[Turn], terms: list[str], weights: Weights) -> list[float]:
    places = [place for place, turn in enumerate(turns) if not turn.gone]
    mean = sum(len(turns[place].words) for place in places) / (len(places) or 1)
    scores = [0.0] * len(turns)
    for term in set(terms):
        total = sum(term in turns[place].words for place in places)
        kin = sum(any(weight(word, term, weights) for word in turns[place].words) for place in places)
        worth = math.log(1 + (len(places) - (total or kin) + 0.5) / ((total or kin) + 0.5)) * (
            weights.saturation + 1
        )
        for place in places:
            volume = heard(turns, place, term, weights)
            norm = weights.saturation * (1 - weights.length + weights.length * len(turns[place].words) / mean)
            scores[place] += worth * volume / (volume + norm) if volume else 0
    return scores


def heard(turns: list[Turn], place: int, term: str, weights: Weights) -> float:
    """How loud a term is where a turn is said: in its own words, and in those around it."""
    turn = turns[place]
    items = [
        item for item, other in enumerate(turns) if other.conversation == turn.conversation and not other.gone
    ]
    at = items.index(place)
    surrounding = [items[at - step] if 0 <= at - step < len(items) else None for step in (1, 2, -1)]
    if turn.conversation is None:
        surrounding = [place] * 3
    loud = (weights.words_before, weights.words_two_before, weights.words_after)
    heard = sum(
        share * said(turns[other], term, weights)
        for share, other in zip(loud, surrounding, strict=True)
        if other is not None
    )
    return said(turn, term, weights) * (1 + (1 - turn.lean) * sum(loud)) + turn.lean * heard


def said(turn: Turn, term: str, weights: Weights) -> float:
    return sum(weight(word, term, weights) for word in turn.words)


def weight(word: str, term: str, weights: Weights) -> float:
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(word, term, strict=False)))
    share = same / max(len(word), len(term))
    return 1 if word == term else weights.kin * share * (share >= 0.7)


@given(TURNS, WORDS, RANKINGS)
@example([Turn(["ana"], 0, 1.0), Turn(["bia"], None, 1.0)], ["ana"], Weights())
def test_words_score_as_the_formula_says(turns: list[Turn], terms: list[str], weights: Weights) -> None:
    """With neighbours and kin and without, whatever is off, and whoever is gone."""
    result, _ = wording(turns, weights).score(terms)

    assert bm25(turns, terms, weights) == pytest.approx(result.tolist(), abs=1e-4)


@pytest.mark.parametrize(
    "weights",
    [
        Weights(saturation=0, words_two_before=0, words_after=0),
        Weights(length=1, words_before=0, words_two_before=0, words_after=0),
    ],
)
def test_where_nothing_is_heard_nothing_is_found(weights: Weights) -> None:
    """A turn that leans on nobody, or says nothing, beside one that says the word: 0, whatever is off."""
    turns = [Turn(["ana"], 0, 1.0), Turn(["bia"], 0, 0.0), Turn([], 0, 1.0)]
    result, _ = wording(turns, weights).score(["ana"])

    assert result[0] > 0
    assert [0, 0] == result[1:].tolist()


def test_a_word_is_heard_more_faintly_in_the_turns_around_it() -> None:
    """Said in one turn: most there, less in the next, less in the one before, least two turns later."""
    result, _ = wording(talk(["a"], ["a"], ["rare"], ["a"], ["a"], ["a"]), Weights()).score(["rare"])
    before, said, after, two_after = result[1:5]

    assert said > after > before > two_after > 0
    assert result[0] == result[5] == 0


def test_kin_is_found_for_less_than_the_word_itself() -> None:
    """`allerg` meets `allergi`, and the word itself comes first; of two kin the nearer."""
    documents = talk(["allergi"], ["x"], ["y"], ["z"], ["allerg"], ["x"], ["y"], ["z"], ["allergies"])
    result, _ = wording(documents, Weights(words_before=0, words_two_before=0, words_after=0)).score(["allergi"])

    assert result[0] > result[4] > result[8] > 0


def test_a_full_match_is_the_measure_of_every_match() -> None:
    """No row of single mentions scores more than a row that says everything would."""
    result, full = wording(talk(["a", "b"], ["a"], ["b"]), ALONE).score(["a", "b"])

    assert 0 < result.max() <= full


def test_a_word_that_nobody_says_is_missed() -> None:
    """Who says all the others has not said everything."""
    said = wording(talk(["a", "b"], ["a"]), ALONE)

    assert said.score(["a", "b"])[1] < said.score(["a", "b", "unheard"])[1]


@given(
    TURNS, WORDS, RANKINGS, st.sampled_from([1, 12, 1 << 18]), st.sampled_from([0, 3]), st.sampled_from([0, 2_000])
)
def test_words_add_up_alike_together_and_apart(
    turns: list[Turn], terms: list[str], weights: Weights, at_once: int, few: int, many: int
) -> None:
    """Mention by mention, some words together, or over every row: only the cost differs."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(wordings, "AT_ONCE", at_once)
        patched.setattr(wordings, "FEW", few)
        patched.setattr(wordings, "MANY", many)
        result, _ = wording(turns, weights).score(terms)

    assert bm25(turns, terms, weights) == pytest.approx(result.tolist(), abs=1e-4)
