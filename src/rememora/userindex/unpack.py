"""The features of many items as columns: heads, tokens, counts and speakers, without a loop over most of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from rememora.userindex.features import BETWEEN, HEAD, MARK_BYTES, Told
from rememora.userindex.word_text import WordText

# The fields of `HEAD`, one after the other as it packs them.
_FIELDS: Final = np.dtype(
    [
        ("version", "u1"),
        ("flags", "u1"),
        ("language", "i1"),
        ("change", "i1"),
        ("tokens", "<u4"),
        ("rest", "<u4"),
        ("length", "<f4"),
        ("asking", "<f4"),
        ("importance", "<f4"),
        ("words", "<i4"),
        ("mine", "<i4"),
        ("at", "<f8"),
        ("position", "<i8"),
        ("saying", "<i8"),
        ("text", "<i8"),
        ("name", "<i8"),
    ]
)


class Unpacked(NamedTuple):
    """The features of many items: a head of each, the tokens of all one after the other."""

    head: NDArray[Any]
    words: WordText
    # Who speaks, and who is called, by the place of the item.
    told: dict[int, Told]


def unpack(features: Sequence[bytes]) -> Unpacked:
    """Have the features of many items as columns."""
    size = HEAD.size
    # All heads in one array, then all marks, then all counts: parsing blob by blob is what took the time.
    head = np.frombuffer(b"".join([feature[:size] for feature in features]), dtype=_FIELDS)
    sizes = head["tokens"].astype(np.int64)
    marked, until = sizes * MARK_BYTES + size, sizes * (MARK_BYTES + 1) + size
    middles: list[int] = marked.tolist()
    ends: list[int] = until.tolist()
    marks = b"".join([blob[size:middle] for blob, middle in zip(features, middles, strict=True)])
    counts = b"".join([blob[middle:end] for blob, middle, end in zip(features, middles, ends, strict=True)])
    speakers: dict[int, Told] = {}
    for place in np.flatnonzero(head["rest"]).tolist():
        start, long = ends[place], int(head["rest"][place])
        speakers[place] = msgspec.msgpack.decode(features[place][start : start + long], type=Told)
        ends[place] = start + long
    lengths = np.fromiter(map(len, features), np.int64, len(features)) - until - head["rest"]
    text = BETWEEN.encode().join([blob[end:] for blob, end in zip(features, ends, strict=True) if len(blob) > end])
    words = WordText(
        sizes, text, np.frombuffer(counts, dtype=np.uint8), np.frombuffer(marks, dtype="<u4"), lengths
    )
    return Unpacked(head, words, speakers)
