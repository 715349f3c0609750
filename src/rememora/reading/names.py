"""Reads the names in a text and what each is the name of: a person, an organization, a product, a place, …"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from rememora.reading.labels import NAME_KINDS, NAME_TAGS
from rememora.reading.results import NameSpan
from rememora.reading.tokens import Floats, Token

_GOES_ON: Final = np.array([bool(kind) and not begins for kind, begins in NAME_TAGS])
# Adds up the two tags of each kind.
_OF_KIND: Final = np.array([[float(kind == tag) for kind in NAME_KINDS] for tag, _ in NAME_TAGS], np.float32)
POSSESSIVE: Final = 2
"""Letters of the ending of a possessive."""
_OWNERS: Final = frozenset({"person", "place", "product"})
"""Kinds of names of which that ending is no part: "Anna's boss", beside the firm "Wendy's"."""


def name_spans(tokens: Sequence[Token], tags: Floats) -> Iterator[NameSpan]:
    """Join words into names: a name goes on while its words are of one kind and none begins another name."""
    kinds: Any = tags @ _OF_KIND
    best = kinds.argmax(axis=1)
    named = kinds.sum(axis=1) > tags[:, 0]
    begins = ~_GOES_ON[tags.argmax(axis=1)]
    run: list[int] = []
    for at in range(len(tokens) + 1):
        inside = at < len(tokens) and bool(named[at])
        if run and (not inside or begins[at] or best[at] != best[run[-1]]):
            kind, last = NAME_KINDS[int(best[run[0]])], tokens[run[-1]]
            end = last.end - (POSSESSIVE if kind in _OWNERS and is_possessive(last) else 0)
            yield NameSpan(tokens[run[0]].start, end, kind, float(kinds[run, best[run[0]]].mean()))
            run = []
        if inside:
            run.append(at)


def is_possessive(token: Token) -> bool:
    """Return whether a word ends in `'s`."""
    return token.text.endswith(("'s", "’s")) and len(token.text) > POSSESSIVE


def person_chance(tags: Floats) -> float:
    """Return the chance that words which are a name are a person's."""
    kinds: Any = (tags @ _OF_KIND).mean(axis=0)
    return float(kinds[NAME_KINDS.index("person")] / max(1e-6, kinds.sum()))
