"""Growth of work with the length of a text: twice the text is twice the work of a linear reader."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

NOTICED_SECONDS = 0.02
"""CPU under which nothing is compared: a linear rule takes far less, and short times say little."""
TIMES = 3
"""A quadratic reader does four times the work on twice the text."""
TRIES = 4
"""A machine that is busy may make one measurement wrong; a reader that grows does so each time."""
END = "."
"""Ends each text, so that what reads on to the end of a sentence fails there and is tried from the next place."""


def grows(read: Callable[[str], Any], unit: str, length: int) -> bool:
    """Tell whether repeats of a unit cost far more than twice the CPU of half of them."""
    return all(_grew(read, unit, length) for _ in range(TRIES))


def _grew(read: Callable[[str], Any], unit: str, length: int) -> bool:
    whole = _cpu(read, (unit * length)[:length] + END)
    return whole > NOTICED_SECONDS and whole > TIMES * _cpu(read, (unit * length)[: length // 2] + END)


def _cpu(read: Callable[[str], Any], text: str) -> float:
    began = time.thread_time()
    read(text)
    return time.thread_time() - began
