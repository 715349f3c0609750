"""Words: postings that stay right through adding and removing."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rememora.userindex import postings as postings_module
from rememora.userindex import word_text as word_text_module
from rememora.userindex.features import BETWEEN
from rememora.userindex.marks import mark_of_token
from rememora.userindex.postings import Postings, counts_of, rows_of
from rememora.userindex.word_text import WordText

WORDS = st.lists(st.sampled_from(["ana", "bia", "caio", "davi", "eva"]), min_size=1, max_size=6)


@given(st.lists(WORDS, min_size=2, max_size=8), st.sampled_from([0, 4, 1_000]), st.data())
def test_a_removed_row_leaves_the_index_as_if_it_had_never_been(
    documents: list[list[str]], new_cells: int, data: st.DataObject
) -> None:
    """Postings after add and remove equal postings of the rest, laid down after each row, some, or none."""
    gone = data.draw(st.integers(0, len(documents) - 1))
    postings, rest = Postings(), Postings()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(postings_module, "NEW_CELLS", new_cells)
        for row in data.draw(st.permutations(range(len(documents)))):
            postings.add(row, documents[row])
        postings.remove(gone)
    for row, document in enumerate(documents):
        if row != gone:
            rest.add(row, document)

    for word in {word for document in documents for word in document}:
        assert _counts(rest, word) == _counts(postings, word)
        assert rest.kin(word) == postings.kin(word)


@given(
    st.lists(st.lists(st.sampled_from([*"ab", "casa", "casas", "casal", "camp"]), max_size=9), max_size=8),
    st.booleans(),
)
def test_words_left_in_their_text_are_the_words_entered(documents: list[list[str]], alike: bool) -> None:
    """Words answer from the text they came in as from the table made of it, even where all have one mark."""
    counted = [Counter(document) for document in documents]
    with pytest.MonkeyPatch.context() as patched:
        if alike:
            patched.setattr(word_text_module, "mark_of_token", lambda _: 7)
        _answers_as_entered(counted, _text_of(counted, alike=alike))


def _text_of(counted: list[Counter[str]], *, alike: bool) -> WordText:
    """Documents as they are loaded, all tokens with one mark where they are `alike`."""
    tokens = [token for item in counted for token in item]
    return WordText(
        np.array([len(item) for item in counted], dtype=np.int64),
        BETWEEN.join(tokens).encode(),
        np.array([count for item in counted for count in item.values()], dtype=np.uint8),
        np.array([7 if alike else mark_of_token(token) for token in tokens], dtype=np.uint32),
        np.array([len(BETWEEN.join(item)) for item in counted], dtype=np.int64),
    )


def _answers_as_entered(counted: list[Counter[str]], text: WordText) -> None:
    as_text, entered = Postings(), Postings()
    as_text.add_many(0, text)
    with pytest.MonkeyPatch.context() as patched:
        # A long text is searched for a first question, and entered with the next.
        patched.setattr(postings_module, "TEXT_LETTERS", -1)
        patched.setattr(postings_module, "TEXT_LOOKS", 1)
        entered.add_many(0, text)
        assert [True, True] == [entered.in_text, entered.holds("a") == as_text.holds("a")]
        entered.holds("a")

    assert (False, True) == (entered.in_text, as_text.in_text)
    for word in (*"abc", "casa", "casas", "cas", "campo", ""):
        assert entered.cells(word) == as_text.cells(word)
        assert entered.kin(word) == as_text.kin(word)
        assert (entered.holds(word), entered.holders(word)) == (as_text.holds(word), as_text.holders(word))
    rows = range(len(counted))
    assert [entered.words(row) for row in rows] == [as_text.words(row) for row in rows]


def _counts(postings: Postings, word: str) -> Counter[int]:
    cells = postings.cells(word)
    return Counter(dict(zip(rows_of(cells).tolist(), counts_of(cells).tolist(), strict=True)))
