"""Objects that a server leaves out of its garbage collections."""

from __future__ import annotations

import gc

from rememora.server.heap import freeze_loaded


class Loop:
    """An object that refers to itself."""

    def __init__(self) -> None:
        self.own = self


def test_what_is_loaded_is_not_looked_at_again_and_no_garbage_is_kept() -> None:
    """Live objects are left out of collections; garbage is collected before."""
    gc.disable()
    gc.unfreeze()
    kept = Loop()
    Loop()
    try:
        freeze_loaded()
        looked_at = [thing for thing in gc.get_objects() if isinstance(thing, Loop)]
        frozen = gc.get_freeze_count()
        gc.unfreeze()
        held = [thing for thing in gc.get_objects() if isinstance(thing, Loop)]
    finally:
        gc.enable()

    assert [] == looked_at
    assert 10_000 < frozen
    assert [kept] == held
