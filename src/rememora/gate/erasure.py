"""Requests to erase permanently: a request to forget that says it is final, and a plain yes to the question."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from rememora.gate.pointing import POINTING_CHARACTERS
from rememora.language.packs import CODES, control_of, joined
from rememora.reading.parsed import ParsedMessage, parse_message

_SPACES: Final = re.compile(r"\s+")


@cache
def _said(name: str) -> re.Pattern[str]:
    """A word of `erasing` in any of the languages."""
    return re.compile(rf"\b(?:{joined(*(getattr(control_of(code).erasing, name) for code in CODES))})\b")


@cache
def _yes() -> re.Pattern[str]:
    """Narrower than a yes to a harmless question: "ok" or "thanks" must not erase anything."""
    words = [control_of(code).erasing for code in CODES]
    erase = [f"(?:{word.erase})(?: (?:{word.what}))*" for word in words]
    return re.compile(rf"(?:(?:{joined(*(word.yes for word in words), *erase)})[ ,.!]*)+")


def final_wish(message: ParsedMessage) -> ParsedMessage | None:
    """Return the target of a permanent erasure as a plain request to forget it, or None."""
    if len(message.raw) > POINTING_CHARACTERS or message.asks:
        return None
    if final := _said("final").search(message.in_place):
        rest = f"{message.raw[: final.start()]} {message.raw[final.end() :]}"
        wish = _SPACES.sub(" ", rest).strip(" ,")
        return parse_message(wish) if wish else None
    return message if _said("formal").search(message.in_place) else None


def confirms_erasure(message: ParsedMessage) -> bool:
    """Return whether a message says yes, and nothing else, to a question before an erasure."""
    # Narrower than `plain`: "yes?" erases nothing.
    short = len(message.raw) <= POINTING_CHARACTERS
    return short and _yes().fullmatch(message.compared.strip(" .!,")) is not None
