"""One reading of a message: cleaned, folded, and able to point back at the original text."""

from __future__ import annotations

import base64
import binascii
import html
import re
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

import msgspec

from rememora.domain.verdict import TextSpan
from rememora.language import fold
from rememora.language.phrases import phrase

# Characters that are not seen but split words: zero-width, bidirectional, tags, variation selectors.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\ufe00-\ufe0f\ufeff\ufff9-\ufffb\U000e0000-\U000e01ef\x00-\x08\x0b-\x1f\x7f]"
)
# Beside Unicode's table (rules/lookalikes.toml): lower-case letters that it does not list or takes for capitals,
# three that it resolves otherwise (`Ι` and `І` to a small L, `ν` to a V), and signs of punctuation.
_LOOKALIKES = dict(zip("вкмнтпьεκτχΙІν’‘´`“”«»–—…", "bkmhtnbektxIIn''''\"\"\"\"--.", strict=True))
_TABLE = Path(__file__).with_name("rules") / "lookalikes.toml"
_SPACES = re.compile(
    r"[ \t\u00a0\u2000-\u200a\u202f\u3000]{2,}|[\t\u00a0\u2000-\u200a\u202f\u3000]| (?=\n)|(?<=\n) "
)
_STUTTER = re.compile(
    r"\b([^\W\d_]{1,20}(?:'[^\W\d_]{1,3})?(?: [^\W\d_]{1,20})?)(?:\.{3})? (?=\1\b(?!['-]))", re.IGNORECASE
)
# Spoken fillers. They are bounded by start, comma or stop, because `tipo` and `né` are also words.
_DISFLUENCY = phrase(r"(?:(?<=^)|(?<=[ ,.]))(?:{hesitation}\b[,.]*|{pause})(?: |$)", re.IGNORECASE)
_WRAPPED = re.compile(r"(?<![\w+/=-])[A-Za-z0-9+/_-]{16,}+={0,2}(?![\w+/=])")
_LONG_WORD = re.compile(r"\S{16}")
# One letter at a time, with one and the same sign between the letters of a word.
_SPELLED = re.compile(r"(?<!\w)[^\W\d_](?P<sign>[ .\-_*])[^\W\d_](?:(?P=sign)[^\W\d_]){1,60}(?!\w)")
_SPELLED_LETTERS = 5
# Digits inside a word stand for the letters they look like: `1gn0r3`.
_DIGITS_AS_LETTERS = tuple(str.maketrans("013457", letters) for letters in ("oieast", "oleast"))
_DIGIT_INSIDE = re.compile(r"[a-z][013457][a-z]")
_WITH_DIGITS = re.compile(r"(?<!\w)(?=\d{0,3}[a-z])[a-z0-9]{2,30}(?!\w)")
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_JOINED = phrase(r"(?: {joins_wish}){1,3}$")
_JOINTS = " ,;.!:-"
_DECODED_LETTERS = 0.7
_MAX_DECODED = 8


class _Folding(dict[int, str]):
    """Table for `str.translate` that folds a character at a time and never changes a length."""

    def __missing__(self, code: int) -> str:
        """Fold a character the first time it is seen."""
        char = _LOOKALIKES.get(chr(code)) or (chr(code) if code < 128 else _lookalikes().get(code, chr(code)))
        folded = fold(char)
        self[code] = folded if len(folded) == 1 else char
        return self[code]


@cache
def _lookalikes() -> dict[int, str]:
    """Letters of other scripts and the Latin letter that each looks like, as Unicode lists them."""
    table = tomllib.loads(_TABLE.read_text("utf-8"))
    return {int(code, 16): letter for letter, codes in table.items() for code in codes.split()}


_FOLDING = _Folding()


class NormalisedText(msgspec.Struct, frozen=True, kw_only=True):
    """`text` is cleaned, `folded` has the same length, `places[i]` is where `text[i]` stood in `raw`."""

    raw: str
    text: str
    folded: str
    places: tuple[int, ...] | None = None
    facts: dict[bool, tuple[Any, ...]] = msgspec.field(default_factory=dict)
    """Facts that rules have found in the text so far: several steps of a judgement ask for them."""

    def span(self, start: int, end: int) -> TextSpan:
        """The part of the original text behind a slice of the cleaned one."""
        if self.places is None:
            return TextSpan(start=start, end=end, text=self.raw[start:end])
        if start >= end:
            return TextSpan(start=0, end=0, text="")
        first, last = self.places[start], self.places[end - 1] + 1
        return TextSpan(start=first, end=last, text=self.raw[first:last])

    def whole(self) -> TextSpan:
        """All of the original text."""
        return TextSpan(start=0, end=len(self.raw), text=self.raw)

    def until(self, end: int) -> NormalisedText:
        """The same message up to a place, without what only joined the rest to it."""
        text = self.text[:end].rstrip(_JOINTS)
        text = _JOINED.sub("", text).rstrip(_JOINTS)
        return NormalisedText(raw=self.raw, text=text, folded=self.folded[: len(text)], places=self.places)

    def words(self) -> list[str]:
        """Folded words in order."""
        return _WORD.findall(self.folded)


def fold_same_length(text: str) -> str:
    """Fold a text and keep each character at its position."""
    return text.translate(_FOLDING)


def read(raw: str, *, voice: bool = True) -> NormalisedText:
    """Clean and fold a message; `voice` also drops disfluencies and stuttered words."""
    text, places = _visible(raw)
    if not (text.isprintable() and "  " not in text):
        # A printable text has no space but the plain one.
        text, places = _shorten(_SPACES, text, places)
    for pattern in (_DISFLUENCY, _STUTTER) if voice else ():
        text, places = _shorten(pattern, text, places)
    return NormalisedText(
        raw=raw, text=text, folded=fold_same_length(text), places=None if places is None else tuple(places)
    )


def _visible(raw: str) -> tuple[str, list[int] | None]:
    """Drop invisible characters and expand compatibility forms, remembering places only if any moved."""
    if raw.isascii() and (raw.isprintable() or not _INVISIBLE.search(raw)):
        return raw, None
    composed = unicodedata.normalize("NFC", raw)
    if composed == raw and not _INVISIBLE.search(raw) and unicodedata.is_normalized("NFKC", raw):
        return raw, None
    chars: list[str] = []
    places: list[int] = []
    for place, char in enumerate(raw):
        if _INVISIBLE.match(char):
            continue
        wide = unicodedata.normalize("NFKC", char)
        chars.extend(wide)
        places.extend([place] * len(wide))
    return "".join(chars), places


def _shorten(pattern: re.Pattern[str], text: str, places: list[int] | None) -> tuple[str, list[int] | None]:
    """Cut what `pattern` matches; runs of spaces become one."""
    cuts = [
        (match.start() + 1, match.end())
        if match[0].isspace() and len(match[0]) > 1 and " " in match[0]
        else match.span()
        for match in pattern.finditer(text)
    ]
    if not cuts:
        return text, places
    old = places if places is not None else list(range(len(text)))
    kept: list[str] = []
    moved: list[int] = []
    at = 0
    for start, end in cuts:
        kept.append(text[at:start])
        moved.extend(old[at:start])
        at = end
    kept.append(text[at:])
    moved.extend(old[at:])
    return "".join(kept), moved


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
