"""Leaves out of a summary what a message in the same pack says word for word, with its date and speaker."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from rememora.domain.context import Item

RETOLD = ("episode", "summary")
LEAST_CHARACTERS = 12
"""Shorter lines ("sim, pode ser") are part of many messages and repeat none of them."""
_SPEAKER = re.compile(r"^\W*(?:user|assistant|tool): ")
_MARK = re.compile(r" \(no longer true since [^()]*\)$")
_ENDS = " .!?…"


def without_said(item: Item, messages: Iterable[Item]) -> Item | None:
    """A summary or an episode less the lines that one of the messages says; None where nothing is left of it."""
    said = [_plain(message.text) for message in messages]
    lines = item.text.split("\n")
    left = [line for line in lines if not _is_said(line, said)]
    if len(left) == len(lines):
        return item
    # Topics over lines that are all told elsewhere tell nothing by themselves.
    told = any(_SPEAKER.match(line) for line in lines)
    rest = [line for line in left if line.strip() and (_SPEAKER.match(line) or not told)]
    return msgspec.structs.replace(item, text="\n".join(left)) if rest else None


def _is_said(line: str, said: Iterable[str]) -> bool:
    text = _plain(_MARK.sub("", _SPEAKER.sub("", line))).strip(_ENDS)
    return len(text) >= LEAST_CHARACTERS and any(text in each for each in said)


def _plain(text: str) -> str:
    return " ".join(text.split())
