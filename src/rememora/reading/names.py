"""Reads the names in a text and what each is the name of: a person, an organization, a product, a place, …"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from rememora.reading.labels import NAME_KINDS, NAME_TAGS
from rememora.reading.results import NameSpan
from rememora.reading.tokens import Floats, Token

# Adds up the two tags of each kind.
_OF_KIND: Final = np.array([[float(kind == tag) for kind in NAME_KINDS] for tag, _ in NAME_TAGS], np.float32)
POSSESSIVE: Final = 2
"""Letters of the ending of a possessive, which is no part of a name: "Anna's boss"."""
_KEEPS_POSSESSIVE: Final = "organization"
"""The kind of name that it is a part of: so end 46 of the 53 labelled firms behind which it stands ("Wendy's")."""


def name_spans(text: str, tokens: Sequence[Token], tags: Floats) -> Iterator[NameSpan]:
    """Join words into names: a name goes on in its line while its words are of one kind and begin no other."""
    kinds: Any = tags @ _OF_KIND
    best = kinds.argmax(axis=1)
    named = kinds.sum(axis=1) > tags[:, 0]
    begins = [_begins(row, NAME_KINDS[kind]) for row, kind in zip(tags, best, strict=True)]
    run: list[int] = []
    for at in range(len(tokens) + 1):
        inside = at < len(tokens) and bool(named[at])
        if run and (not inside or begins[at] or best[at] != best[run[-1]] or opens_line(text, tokens, at)):
            kind, last = NAME_KINDS[int(best[run[0]])], tokens[run[-1]]
            end = last.end - (POSSESSIVE if kind != _KEEPS_POSSESSIVE and is_possessive(last) else 0)
            yield NameSpan(tokens[run[0]].start, end, kind, float(kinds[run, best[run[0]]].mean()))
            run = []
        if inside:
            run.append(at)


def _begins(tags: Floats, kind: str) -> bool:
    """Return whether a word is likelier to begin a name of a kind than to go on with one."""
    return bool(tags[NAME_TAGS.index((kind, True))] >= tags[NAME_TAGS.index((kind, False))])


def opens_line(text: str, tokens: Sequence[Token], at: int) -> bool:
    """Return whether a word stands on another line than the one before it."""
    return "\n" in text[tokens[at - 1].end : tokens[at].start]


def is_possessive(token: Token) -> bool:
    """Return whether a word ends in `'s`."""
    return token.text.endswith(("'s", "’s")) and len(token.text) > POSSESSIVE


def person_chance(tags: Floats) -> float:
    """Return the chance that words which are a name are a person's."""
    kinds: Any = (tags @ _OF_KIND).mean(axis=0)
    return float(kinds[NAME_KINDS.index("person")] / max(1e-6, kinds.sum()))
