"""Sortable ids (UUIDv7): the order of creation is the order of the text."""

from __future__ import annotations

import os
import time

_VERSION = 0x7 << 76
_VARIANT = 0b10 << 62


def new_id() -> str:
    """A UUIDv7 whose sub-millisecond bits keep ids of one process in order."""
    milliseconds, rest_ns = divmod(time.time_ns(), 1_000_000)
    fraction = rest_ns * 4096 // 1_000_000
    chance = int.from_bytes(os.urandom(8), "big") >> 2
    text = (milliseconds << 80 | _VERSION | fraction << 64 | _VARIANT | chance).to_bytes(16, "big").hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
