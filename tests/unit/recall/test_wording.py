"""BM25 against the formula written out, with neighbours and kin, however many rows and words there are."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rememora.recall import wording as wordings
from rememora.recall.lexicon import Lexicon
from rememora.recall.neighbours import Neighbours
from rememora.recall.wording import Wording
from rememora.settings.weights import Weights

ALONE = Weights(words_before=0, words_two_before=0, words_after=0, kin=0)
WORDS = st.lists(st.sampled_from(["ana", "bia", "caio", "davi", "eva"]), min_size=1, max_size=6)


def wording(documents: list[list[str]], weights: Weights) -> Wording:
    lexicon, neighbours = Lexicon(), Neighbours()
    for row, document in enumerate(documents):
        lexicon.add(row, document)
        neighbours.add(row, 0, row)
    lengths = np.array([len(document) for document in documents], dtype=np.float32)
    lean = np.ones_like(lengths)
    return Wording(lexicon, neighbours, lengths=lengths, lean=lean, alive=len(documents), weights=weights)


def bm25(documents: list[list[str]], terms: list[str], weights: Weights) -> list[float]:
    mean = sum(map(len, documents)) / len(documents)
    scores = [0.0] * len(documents)
    for term in set(terms):
        holders = sum(term in document for document in documents)
        worth = math.log(1 + (len(documents) - holders + 0.5) / (holders + 0.5))
        for row, document in enumerate(documents):
            count = document.count(term)
            norm = weights.saturation * (1 - weights.length + weights.length * len(document) / mean)
            scores[row] += worth * (weights.saturation + 1) * count / (count + norm)
    return scores


@given(st.lists(WORDS, min_size=1, max_size=8), WORDS)
def test_words_alone_score_as_bm25_says(documents: list[list[str]], terms: list[str]) -> None:
    """Without neighbours and kin, the score is the textbook's."""
    found, _ = wording(documents, ALONE).score(terms)

    assert bm25(documents, terms, ALONE) == pytest.approx(found.tolist(), abs=1e-4)


def test_a_word_is_heard_more_faintly_in_the_turns_around_it() -> None:
    """Said in one turn: most there, less in the next, less in the one before, least two turns later."""
    found, _ = wording([["a"], ["a"], ["rare"], ["a"], ["a"], ["a"]], Weights()).score(["rare"])
    before, said, after, two_after = found[1:5]

    assert said > after > before > two_after > 0
    assert found[0] == found[5] == 0


def test_kin_is_found_for_less_than_the_word_itself() -> None:
    """`allerg` meets `allergi`, and the word itself comes first."""
    documents = [["allergi"], ["x"], ["y"], ["z"], ["allerg"]]
    found, _ = wording(documents, Weights(words_before=0, words_after=0)).score(["allergi"])

    assert found[0] > found[4] > 0


def test_a_full_match_is_the_measure_of_every_match() -> None:
    """No row of single mentions scores more than a row that says everything would."""
    found, full = wording([["a", "b"], ["a"], ["b"]], ALONE).score(["a", "b"])

    assert 0 < found.max() <= full


@given(
    st.lists(WORDS, min_size=1, max_size=8), WORDS, st.sampled_from([1, 12, 1 << 18]), st.sampled_from([0, 2_000])
)
def test_words_add_up_alike_together_and_apart(
    documents: list[list[str]], terms: list[str], at_once: int, many: int
) -> None:
    """One by one, some together, or over every row: only the cost differs."""
    usual, _ = wording(documents, Weights()).score(terms)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(wordings, "AT_ONCE", at_once)
        patched.setattr(wordings, "MANY", many)
        found, _ = wording(documents, Weights()).score(terms)

    assert usual.tolist() == pytest.approx(found.tolist(), abs=1e-5)
