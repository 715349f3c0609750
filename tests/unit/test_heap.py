"""Objects that a server leaves out of its garbage collections."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import gc
from rememora.server.heap import freeze_loaded

class Loop:
    def __init__(self):
        self.own = self

gc.disable()
kept = Loop()
Loop()
freeze_loaded()
looked_at = [thing for thing in gc.get_objects() if isinstance(thing, Loop)]
frozen = gc.get_freeze_count()
gc.unfreeze()
held = [thing for thing in gc.get_objects() if isinstance(thing, Loop)]
print(looked_at == [], frozen > 10_000, held == [kept])
"""
"""Runs in a process of its own: that of the tests has loaded so much that each look at all of it takes seconds."""


def test_what_is_loaded_is_not_looked_at_again_and_no_garbage_is_kept() -> None:
    """Live objects are left out of collections; garbage is collected before."""
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)

    assert "True True True" == done.stdout.strip()
