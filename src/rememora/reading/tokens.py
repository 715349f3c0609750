"""Cuts a message into tokens and describes each by numbers, the same way in training and at run time."""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
import numpy.typing as npt

from rememora.caches import person_cache
from rememora.language import fold
from rememora.reading.encoders import current_encoder, on_change, words_of
from rememora.reading.one_thread import one_thread

TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\d+(?:[.,:/]\d+)*|[^\w\s]|_")
WORD_BUCKETS = 1 << 14
GRAM_BUCKETS = 1 << 13
SHAPES = 12
MOST_GRAMS = 14
MOST_HELD = 100
"""Most tokens of a text whose rows are held: 5 KB each, read by the reader, the names and the comparison alike."""
_DIGIT = re.compile(r"\d")

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float32]


class Token(msgspec.Struct, frozen=True):
    """A word, a number or a sign, and its position."""

    text: str
    start: int
    end: int


class TokenFeatures(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens as numbers: rows of the tables that the network looks up, and the shape of each token."""

    words: Ints
    grams: Ints
    gram_starts: Ints
    vectors: Ints
    shapes: Floats


def tokenise(text: str) -> list[Token]:
    """Words, numbers and signs of a text in order."""
    return [Token(match[0], match.start(), match.end()) for match in TOKEN.finditer(text)]


@person_cache(maxsize=8192)
def _rows(word: str) -> tuple[int, tuple[int, ...]]:
    """Rows of a folded word and of its pieces, by a hash that is the same on every machine."""
    plain = _DIGIT.sub("0", word)
    framed = f"<{plain}>"
    pieces = [framed[at : at + size] for size in (3, 4) for at in range(max(1, len(framed) - size + 1))]
    pieces = [*pieces[: MOST_GRAMS - 2], f"^{plain[:5]}", f"{plain[-4:]}$"]
    grams = tuple(zlib.crc32(piece.encode()) % GRAM_BUCKETS for piece in pieces)
    return zlib.crc32(plain.encode()) % WORD_BUCKETS, grams


def _shape(token: Token, before: Token | None, text: str) -> list[float]:
    """Describe the shape of a token: capitals, digits, signs, and whether it opens a sentence or a line."""
    word = token.text
    letter = word[0].isalpha()
    gap = text[before.end : token.start] if before is not None else "\n"
    opens = before is None or before.text in ".!?…" or "\n" in gap
    return [
        float(letter and word[0].isupper()),
        float(letter and len(word) > 1 and word.isupper()),
        float(word[0].isdigit()),
        float(not letter and not word[0].isdigit()),
        float(opens),
        float("\n" in gap and before is not None),
        float(gap == "" and before is not None),
        float(len(word) <= 2),
        float(len(word) >= 9),
        float(letter and word[0].isupper() and not opens),
        float(word in "?!"),
        float(word in ",;:"),
    ]


def describe(text: str, tokens: Sequence[Token], vocabulary: Mapping[str, int]) -> TokenFeatures:
    """The numbers of each token; a word outside the vocabulary has row 0 of the vectors."""
    words: list[int] = []
    grams: list[int] = []
    starts: list[int] = []
    vectors: list[int] = []
    shapes: list[list[float]] = []
    before: Token | None = None
    for token in tokens:
        folded = fold(token.text)
        word, pieces = _rows(folded)
        words.append(word)
        starts.append(len(grams))
        grams.extend(pieces)
        vectors.append(vocabulary.get(folded, 0))
        shapes.append(_shape(token, before, text))
        before = token
    return TokenFeatures(
        words=np.array(words, np.int32),
        grams=np.array(grams, np.int32),
        gram_starts=np.array(starts, np.int32),
        vectors=np.array(vectors, np.int32),
        shapes=np.array(shapes, np.float32).reshape(-1, SHAPES),
    )


def encoded_words(tokens: Sequence[Token]) -> Floats | None:
    """Return the rows that a sentence encoder gives the tokens, where an open memory has lent one."""
    if current_encoder() is None:
        return None
    words = tuple(words_of(tokens))
    return _encoded(words) if len(words) > MOST_HELD else _held(words)


def _encoded(words: tuple[tuple[str, bool], ...]) -> Floats | None:
    encoder = current_encoder()
    if encoder is None:
        return None
    with one_thread():
        rows = encoder([words])
    # Shared by all who read the text: nobody may change them.
    rows.flags.writeable = False
    return rows


_held = person_cache(maxsize=32)(_encoded)
on_change(_held.cache_clear)
