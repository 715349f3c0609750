"""Finds which of several texts a request to forget describes, where the request repeats none of its words.

"Apaga aquele desabafo de quem não me paga" means "a família do Enzo tá me devendo três meses": all texts are
looked at together, and each gets a share of the certainty, so that a text counts by how much better it fits than
the others. A share is left for none of them. The words of the request and of a text are compared as in
`alignment.py`, beside the nearness of the whole texts and the words that they share. `tools/train_pointing.py`
makes the weights from the requests in `data/reading/links/`. Of requests by writers left out, the right text has
the greatest share in 90 of 100; where no word of it is said, in 57 of 100, and in 84 once such requests are among
the trained ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from rememora.caches import person_cache
from rememora.reading.encoders import on_change
from rememora.reading.reader import word_states
from rememora.reading.tokens import Floats
from rememora.statements.alignment import compare_words
from rememora.statements.links import ComparedStatement
from rememora.statements.meaning import Meaning, nearness

WEIGHTS: Final = Path(__file__).with_name("pointing.npz")
MEMBERS: Final = 2
"""Networks trained from different beginnings, whose mean counts."""
_MOST_SHARED: Final = 4
_MOST_OWN: Final = 3
"""Most words of a text that count, as shared with the request, and as said by no other text."""


def pointing_features(wish: ComparedStatement, texts: Sequence[ComparedStatement], meaning: Meaning) -> Floats:
    """Describe how each text fits a request, and how it does beside the others, a row each."""
    whole, piece = nearness(meaning, wish.text, [text.text for text in texts])
    said = _words(wish)
    words = [_words(text) for text in texts]
    shared = np.array([len(those & said) for those in words], np.float32)
    alone = np.array([len(_said_by_no_other(words, place) & said) for place in range(len(words))], np.float32)
    columns = (
        whole,
        piece,
        whole - whole.max(),
        piece - piece.max(),
        np.minimum(alone, _MOST_OWN),
        np.minimum(shared, _MOST_SHARED),
        shared / max(1, len(said)),
    )
    return np.stack(columns, axis=1).astype(np.float32)


def _words(text: ComparedStatement) -> frozenset[str]:
    return text.words_said | text.figures


def _said_by_no_other(words: Sequence[frozenset[str]], place: int) -> frozenset[str]:
    return words[place].difference(*(other for at, other in enumerate(words) if at != place))


def shares(wish: ComparedStatement, texts: Sequence[ComparedStatement], meaning: Meaning) -> Floats | None:
    """Return the share of each text in what a request means; the rest of 1 is for none of them.

    None without an encoder, or where the request or a text has no word.
    """
    said, words = _projected(wish.text), [_projected(text.text) for text in texts]
    readable = [projected for projected in words if projected is not None]
    if said is None or not texts or len(readable) < len(words):
        return None
    rows = pointing_features(wish, texts, meaning)
    members = [
        _shares(member, said[number], [projected[number] for projected in readable], rows)
        for number, member in enumerate(_load_members())
    ]
    mean: Floats = np.mean(members, axis=0)
    return mean


def _shares(member: Mapping[str, Floats], said: Floats, words: Sequence[Floats], rows: Floats) -> Floats:
    compared = np.stack([compare_words(member, said, other) for other in words])
    x = (rows - member["mean"]) / member["spread"]
    hidden = np.maximum(np.concatenate([compared, x], axis=1) @ member["hidden.weight"] + member["hidden.bias"], 0)
    fits = hidden @ member["out.weight"] + member["out.bias"] + x @ member["direct.weight"] + member["direct.bias"]
    fits = np.append(fits[:, 0], member["none"])
    raised = np.exp(fits - fits.max())
    shared: Floats = (raised / raised.sum())[:-1]
    return shared


@person_cache(maxsize=2048)
def _projected(text: str) -> tuple[Floats, ...] | None:
    """The words of a text as the networks compare them; None without an encoder, or without words."""
    states = word_states(text)
    if states is None:
        return None
    return tuple(np.tanh(states @ member["word.weight"] + member["word.bias"]) for member in _load_members())


on_change(_projected.cache_clear)


@cache
def _load_members() -> tuple[Mapping[str, Any], ...]:
    """The weights that ship with the package, of one network after the other."""
    with np.load(WEIGHTS, allow_pickle=False) as arrays:
        return tuple(
            {
                name.partition(".")[2]: arrays[name].astype(np.float32)
                for name in arrays.files
                if name.startswith(f"{member}.")
            }
            for member in range(MEMBERS)
        )
