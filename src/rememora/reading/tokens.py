"""Cuts a message into tokens and describes each by numbers, the same way in training and at run time."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Mapping, Sequence

import msgspec
import numpy as np
import numpy.typing as npt

from rememora.caches import person_cache
from rememora.language import fold
from rememora.reading.encoders import current_encoder, on_change, words_of
from rememora.reading.one_thread import one_thread

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]

TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\d+(?:[.,:/]\d+)*|[^\w\s]|_")
WORD_BUCKETS = 1 << 14
GRAM_BUCKETS = 1 << 13
SHAPES = 12
MOST_GRAMS = 14
MOST_HELD = 100
"""Most tokens of a text whose rows are held: 5 KB each, read by the reader, the names and the comparison alike."""
_DIGIT = re.compile(r"\d")
_OPENS, _NEW_LINE, _GLUED, _CAPITAL_INSIDE = (1 << sign for sign in (4, 5, 6, 9))
_SIGNS = ((np.arange(1 << SHAPES)[:, None] >> np.arange(SHAPES)) & 1).astype(np.float32)
"""The shape of a token as numbers, by the number that has a bit for each sign."""


class Token(msgspec.Struct, frozen=True, gc=False):
    """A word, a number or a sign, and its position."""

    text: str
    start: int
    end: int


class TokenFeatures(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens as the network takes them: folded words, rows of the table of vectors, and the shape of each."""

    words: tuple[str, ...]
    vectors: Ints
    shapes: Floats


class Spelling(msgspec.Struct, frozen=True, kw_only=True):
    """Words by their rows in the table of words, and by those of their pieces in the table of pieces."""

    rows: Ints
    grams: Ints
    counts: Ints
    """Number of pieces of each word."""


def tokenise(text: str) -> list[Token]:
    """Words, numbers and signs of a text in order."""
    return [Token(match[0], match.start(), match.end()) for match in TOKEN.finditer(text)]


def spell(words: Iterable[str]) -> Spelling:
    """Look up folded words and their pieces, by a hash that is the same on every machine."""
    plain = [_DIGIT.sub("0", word) for word in words]
    pieces = [_pieces(word) for word in plain]
    return Spelling(
        rows=_hashes(plain) % WORD_BUCKETS,
        grams=_hashes(piece for word in pieces for piece in word) % GRAM_BUCKETS,
        counts=np.array([len(word) for word in pieces], np.int64),
    )


def _pieces(word: str) -> list[str]:
    framed = f"<{word}>"
    pieces = [framed[at : at + size] for size in (3, 4) for at in range(max(1, len(framed) - size + 1))]
    return [*pieces[: MOST_GRAMS - 2], f"^{word[:5]}", f"{word[-4:]}$"]


def _hashes(texts: Iterable[str]) -> Ints:
    return np.array([*map(zlib.crc32, map(str.encode, texts))], np.int64)


@person_cache(maxsize=8192)
def _word(text: str) -> tuple[str, int]:
    """A word folded, and the signs of its shape that do not depend on its place."""
    letter, digit, capital = text[0].isalpha(), text[0].isdigit(), text[0].isupper()
    signs = (
        letter and capital,
        letter and len(text) > 1 and text.isupper(),
        digit,
        not letter and not digit,
        False,
        False,
        False,
        len(text) <= 2,
        len(text) >= 9,
        letter and capital,
        text in "?!",
        text in ",;:",
    )
    return fold(text), sum(sign << at for at, sign in enumerate(signs))


def describe(text: str, tokens: Sequence[Token], vocabulary: Mapping[str, int]) -> TokenFeatures:
    """The numbers of each token; a word outside the vocabulary has row 0 of the vectors."""
    words: list[str] = []
    shapes: list[int] = []
    before: Token | None = None
    for token in tokens:
        word, shape = _word(token.text)
        words.append(word)
        shapes.append(_placed(shape, token, before, text))
        before = token
    return TokenFeatures(
        words=tuple(words),
        vectors=np.array([vocabulary.get(word, 0) for word in words], np.int64),
        shapes=_SIGNS[shapes],
    )


def _placed(shape: int, token: Token, before: Token | None, text: str) -> int:
    """Add to the shape of a word whether it opens a sentence or a line, or stands right behind another word."""
    if before is None:
        return (shape | _OPENS) & ~_CAPITAL_INSIDE
    if before.end == token.start:
        shape |= _GLUED
    lines = "\n" in text[before.end : token.start]
    if lines:
        shape |= _NEW_LINE
    return (shape | _OPENS) & ~_CAPITAL_INSIDE if lines or before.text in ".!?…" else shape


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
