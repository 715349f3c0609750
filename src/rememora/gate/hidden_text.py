"""Texts hidden inside a text: encoded, spelled letter by letter, or written with digits for letters.

Only orders are looked for in them: nobody hides a fact.
"""

from __future__ import annotations

import base64
import binascii
import html
import re
from collections.abc import Iterator, Mapping
from functools import partial

from rememora.language.folding import fold_same_length
from rememora.reading.normalised import NormalisedText

_WRAPPED = re.compile(r"(?<![\w+/=-])[A-Za-z0-9+/_-]{16,}+={0,2}(?![\w+/=])")
_LONG_WORD = re.compile(r"\S{16}")
# One letter at a time, with one and the same sign between the letters of a word.
_SPELLED = re.compile(r"(?<!\w)[^\W\d_](?P<sign>[ .\-_*])[^\W\d_](?:(?P=sign)[^\W\d_]){1,60}(?!\w)")
_SPELLED_LETTERS = 5
# Digits inside a word stand for the letters they look like: `1gn0r3`.
_DIGITS_AS_LETTERS = tuple(str.maketrans("013457", letters) for letters in ("oieast", "oleast"))
_DIGIT_INSIDE = re.compile(r"[a-z][013457][a-z]")
_WITH_DIGITS = re.compile(r"(?<!\w)(?=\d{0,3}[a-z])[a-z0-9]{2,30}(?!\w)")
_DECODED_LETTERS = 0.7
_MAX_DECODED = 8


def hidden_texts(reading: NormalisedText) -> Iterator[str]:
    """Texts wrapped inside a text: base64, character references, words spelled letter by letter."""
    if "&" in reading.text and (plain := html.unescape(reading.text)) != reading.text:
        yield fold_same_length(plain)
    wrapped = _WRAPPED.finditer(reading.text) if _LONG_WORD.search(reading.text) else ()
    for number, match in enumerate(wrapped):
        if number >= _MAX_DECODED:
            break
        if decoded := _decode(match[0]):
            yield fold_same_length(decoded)
    yield from _spelled_out(reading.folded if reading.raw == reading.text else fold_same_length(reading.raw))


def _spelled_out(folded: str) -> Iterator[str]:
    """A text whose words are spelled letter by letter, with the words put together again.

    Read as it was written: between words the gap is wider than between letters, or of another sign.
    """
    runs = [match[0] for match in _SPELLED.finditer(folded)]
    if any(len(run) >= 2 * _SPELLED_LETTERS - 1 for run in runs):
        joined = _SPELLED.sub(lambda match: match[0].replace(match["sign"], ""), folded)
        yield " ".join(joined.split())


def with_letters(folded: str) -> Iterator[str]:
    """A folded text with the digits inside words read as the letters they look like, where any word has them."""
    if _DIGIT_INSIDE.search(folded):
        for table in _DIGITS_AS_LETTERS:
            yield _WITH_DIGITS.sub(partial(_translated, table=table), folded)


def _translated(match: re.Match[str], *, table: Mapping[int, int]) -> str:
    """Replace the digits of one word by letters."""
    return match[0].translate(table)


def _decode(token: str) -> str | None:
    """The readable text that `token` encodes, or None when it encodes none."""
    padded = token.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        text = base64.b64decode(padded + "=" * (-len(padded) % 4), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return None
    letters = sum(char.isalpha() or char == " " for char in text)
    return text if text and letters / len(text) >= _DECODED_LETTERS else None
