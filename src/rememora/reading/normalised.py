"""The normal form of a text: cleaned, folded, and able to point back at the original."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

import msgspec

from rememora.domain.verdict import TextSpan
from rememora.language.folding import fold_same_length
from rememora.language.parsed import in_place
from rememora.language.phrases import phrase

# Characters that are not seen but split words: zero-width, bidirectional, tags, variation selectors.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\ufe00-\ufe0f\ufeff\ufff9-\ufffb\U000e0000-\U000e01ef\x00-\x08\x0b-\x1f\x7f]"
)
_SPACES = re.compile(
    r"[ \t\u00a0\u2000-\u200a\u202f\u3000]{2,}|[\t\u00a0\u2000-\u200a\u202f\u3000]| (?=\n)|(?<=\n) "
)
_STUTTER = re.compile(
    r"\b([^\W\d_]{1,20}(?:'[^\W\d_]{1,3})?(?: [^\W\d_]{1,20})?)(?:\.{3})? (?=\1\b(?!['-]))", re.IGNORECASE
)
# Spoken fillers. They are bounded by start, comma or stop, because `tipo` and `né` are also words.
_DISFLUENCY = phrase(r"(?:(?<=^)|(?<=[ ,.]))(?:{hesitation}\b[,.]*|{pause})(?: |$)", re.IGNORECASE)
# "don't" is one word here: rules count and compare the words of a message as they are said.
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_JOINED = phrase(r"(?: {joins_wish}){1,3}$")
_JOINTS = " ,;.!:-"


class NormalisedText(msgspec.Struct, frozen=True, kw_only=True):
    """`text` is cleaned, `folded` has the same length, `places[i]` is where `text[i]` stood in `raw`."""

    raw: str
    text: str
    folded: str
    places: tuple[int, ...] | None = None
    found: dict[Any, tuple[Any, ...]] = msgspec.field(default_factory=dict)
    """Findings of rules in the text so far, each under its name: several steps of a judgement ask for them."""

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


def normalise(raw: str, *, voice: bool = True) -> NormalisedText:
    """Clean and fold a message; `voice` also drops disfluencies and stuttered words."""
    text, places = _visible(raw)
    if not (text.isprintable() and "  " not in text):
        # A printable text has no space but the plain one.
        text, places = _shorten(_SPACES, text, places)
    for pattern in (_DISFLUENCY, _STUTTER) if voice else ():
        text, places = _shorten(pattern, text, places)
    folded = in_place(raw) if text == raw else fold_same_length(text)
    return NormalisedText(raw=raw, text=text, folded=folded, places=None if places is None else tuple(places))


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
