"""Leaves what a process loads at its start out of its later garbage collections."""

from __future__ import annotations

import gc


def freeze_loaded() -> None:
    """Take everything that is there now for kept as long as the process: no later collection looks at it again.

    Patterns, language packs and modules are some fifty thousand objects: to go through them takes tens of
    milliseconds each time that the people who are asked about have filled the heap, and one of them waits for it.
    """
    # First, or what is garbage now would be kept too.
    gc.collect()
    gc.freeze()
