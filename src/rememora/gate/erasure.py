"""Requests to erase permanently: a request to forget that says it is final, and a plain yes to the question."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from rememora.gate.pointing import POINTING_CHARACTERS
from rememora.language import fold
from rememora.language.packs import CODES, control_of, joined

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


def final_wish(text: str) -> str | None:
    """Return the target of a permanent erasure as a plain request to forget it, or None."""
    if len(text) > POINTING_CHARACTERS or text.rstrip().endswith("?"):
        return None
    folded = fold(text)
    if len(folded) != len(text):
        return text if _said("final").search(folded) or _said("formal").search(folded) else None
    if final := _said("final").search(folded):
        rest = f"{text[: final.start()]} {text[final.end() :]}"
        return _SPACES.sub(" ", rest).strip(" ,") or None
    return text if _said("formal").search(folded) else None


def confirms_erasure(text: str) -> bool:
    """Return whether a message says yes, and nothing else, to a question before an erasure."""
    plain = fold(text).replace("’", "'").strip(" .!,")
    return len(text) <= POINTING_CHARACTERS and _yes().fullmatch(plain) is not None
