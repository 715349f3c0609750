"""The fence around stored text: it stays one line of data between two marks, whatever it says.

Stored text can neither end the block, begin a line, look like a tag, nor hide from a reader. Invisible characters
are removed, line breaks become a visible sign, and angle brackets become look-alikes that no parser accepts.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

OPEN: Final = "<memory>"
CLOSE: Final = "</memory>"
LINE_BREAK: Final = " ⏎ "
NEXT_TURN: Final = " ‖ "
"""Stands between messages that share a line; stored text cannot hold the sign."""

# What Unicode lets a renderer ignore (Default_Ignorable_Code_Point) and category Cf does not cover.
_IGNORABLE: Final = (
    "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_HIDDEN: Final = re.compile(f"[{_IGNORABLE}]")
_BLANKS: Final = re.compile(r"\s+")
_TICKS: Final = re.compile(r"`{3,}|~{3,}")
# Marks that chat templates give a meaning to, beside those written with angle brackets.
_TEMPLATE: Final = re.compile(
    r"\[(?=\s{0,8}/?\s{0,8}(?:INST|SYS|SYSTEM|SYSTEM_PROMPT|AVAILABLE_TOOLS)\b)", re.IGNORECASE
)
# Most texts are letters of Latin alphabets and plain signs: for them nothing has to be looked at twice, and where
# single spaces alone stand between them nothing at all.
_SIGNS: Final = r"!-;=?-Z\\\]^_a-}\xa1-\xac\xae-\u024f\u2010-\u2015\u2017-\u2027\u23ce"
_PLAIN: Final = re.compile(rf"\A[ {_SIGNS}]*+\Z")
_CLEAN: Final = re.compile(rf"\A[{_SIGNS}]++(?: [{_SIGNS}]++)*+\Z")
_LEFT, _RIGHT = "‹", "›"
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co"})


def clean(text: str) -> str:
    """Return `text` on one line, without anything that hides, breaks out or imitates a mark."""
    lined = LINE_BREAK.join(filter(None, map(str.strip, text.splitlines())))
    if _CLEAN.match(lined):
        return lined
    if not _PLAIN.match(lined):
        visible = _HIDDEN.sub("", lined)
        lined = "".join(map(_shown, visible))
        lined = _TEMPLATE.sub("(", _TICKS.sub("'''", lined))
    return _BLANKS.sub(" ", lined).strip()


def fence(sections: Iterable[tuple[str, Iterable[str | Sequence[str]]]]) -> str:
    """Return one block of data: a heading per section, a line per text, or per group of texts that share one."""
    lines = [OPEN]
    for title, texts in sections:
        lines.append(heading(title))
        lines.extend(bullet(text) if isinstance(text, str) else shared_bullet(text) for text in texts)
    return "\n".join([*lines, CLOSE])


def heading(title: str) -> str:
    """Return the line that opens a section."""
    return "# " + clean(title)


def bullet(text: str) -> str:
    """Return the line of one text."""
    return "- " + clean(text)


def shared_bullet(texts: Iterable[str]) -> str:
    """One line of several texts; none of them can pose as two."""
    return "- " + NEXT_TURN.join(map(clean, texts))


@lru_cache(maxsize=4096)
def _shown(char: str) -> str:
    """Return the replacement of one character: itself, a look-alike, or nothing."""
    if char.isspace():
        return " "
    if unicodedata.category(char) in _UNSEEN:
        return ""
    # Full-width, small and vertical brackets are folded to plain ones by many readers.
    plain = unicodedata.normalize("NFKD", char)
    if "<" in plain or ">" in plain or char in "〈〉〈〉⟨⟩":
        return _LEFT if "<" in plain or char in "〈〈⟨" else _RIGHT
    if char in "\uff40\u1fef":
        return "'"
    # It divides the messages of one line.
    return "|" if char in "‖∥" else char
