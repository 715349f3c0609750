"""Words: postings that stay right through adding and removing."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rememora.userindex import postings as postings_module
from rememora.userindex.postings import Postings, counts_of, rows_of

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


def _counts(postings: Postings, word: str) -> Counter[int]:
    cells = postings.cells(word)
    return Counter(dict(zip(rows_of(cells).tolist(), counts_of(cells).tolist(), strict=True)))
