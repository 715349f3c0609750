"""Words: postings that stay right through adding and removing, and BM25 against the formula written out."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rememora.recall import lexicon as lexicons
from rememora.recall.lexicon import Lexicon, Wording
from rememora.recall.neighbours import Neighbours
from rememora.settings.weights import Weights

ALONE = Weights(words_before=0, words_two_before=0, words_after=0, kin=0)
WORDS = st.lists(st.sampled_from(["ana", "bia", "caio", "davi", "eva"]), min_size=1, max_size=6)


def wording(documents: list[list[str]]) -> Wording:
    lexicon, neighbours = Lexicon(), Neighbours()
    for row, document in enumerate(documents):
        lexicon.add(row, document)
        neighbours.add(row, 0, row)
    lengths = np.array([len(document) for document in documents], dtype=np.float32)
    return Wording(lexicon, neighbours, lengths=lengths, lean=np.ones_like(lengths), alive=len(documents))


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
    found, _ = wording(documents).score(terms, ALONE)

    assert bm25(documents, terms, ALONE) == pytest.approx(found.tolist(), abs=1e-4)


def test_a_word_is_heard_more_faintly_in_the_turns_around_it() -> None:
    """Said in one turn: most there, less in the next, less in the one before, least two turns later."""
    found, _ = wording([["a"], ["a"], ["rare"], ["a"], ["a"], ["a"]]).score(["rare"], Weights())
    before, said, after, two_after = found[1:5]

    assert said > after > before > two_after > 0
    assert found[0] == found[5] == 0


def test_kin_is_found_for_less_than_the_word_itself() -> None:
    """`allerg` meets `allergi`, and the word itself comes first."""
    documents = [["allergi"], ["x"], ["y"], ["z"], ["allerg"]]
    found, _ = wording(documents).score(["allergi"], Weights(words_before=0, words_after=0))

    assert found[0] > found[4] > 0


def test_a_full_match_is_the_measure_of_every_match() -> None:
    """No row of single mentions scores more than a row that says everything would."""
    found, full = wording([["a", "b"], ["a"], ["b"]]).score(["a", "b"], ALONE)

    assert 0 < found.max() <= full


@given(st.lists(WORDS, min_size=2, max_size=8), st.sampled_from([0, 4, 1_000]), st.data())
def test_a_removed_row_leaves_the_index_as_if_it_had_never_been(
    documents: list[list[str]], new_cells: int, data: st.DataObject
) -> None:
    """Postings after add and remove equal postings of the rest, laid down after each row, some, or none."""
    gone = data.draw(st.integers(0, len(documents) - 1))
    lexicon, rest = Lexicon(), Lexicon()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(lexicons, "NEW_CELLS", new_cells)
        for row in data.draw(st.permutations(range(len(documents)))):
            lexicon.add(row, documents[row])
        lexicon.remove(gone)
    for row, document in enumerate(documents):
        if row != gone:
            rest.add(row, document)

    for word in {word for document in documents for word in document}:
        assert _counts(rest, word) == _counts(lexicon, word)
        assert rest.kin(word) == lexicon.kin(word)


def _counts(lexicon: Lexicon, word: str) -> Counter[int]:
    rows, counts = lexicon.rows(word)
    return Counter(dict(zip(rows.tolist(), counts.tolist(), strict=True)))
