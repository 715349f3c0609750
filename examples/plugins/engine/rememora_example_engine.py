"""A store engine: `store.url = "scratch://name"` keeps a store in a temporary folder, removed when it is closed.

An engine runs named queries inside transactions. This one leaves that to the embedded engine and decides where its
files lie; one for another SQL server implements `rememora.adapters.sql.store.Engine` as a whole.
"""

from __future__ import annotations

from tempfile import TemporaryDirectory

import msgspec

from rememora.adapters.sql.sqlite import SqliteDatabase
from rememora.settings import Settings


class ScratchEngine(SqliteDatabase):
    """The embedded engine in a folder of its own."""

    def __init__(self, settings: Settings) -> None:
        name = settings.store.url.partition("://")[2] or "scratch"
        self._folder = TemporaryDirectory(prefix=f"rememora-{name}-")
        super().__init__(msgspec.structs.replace(settings.store, url=self._folder.name))

    async def close(self) -> None:
        """Close the store, and remove its folder."""
        await super().close()
        self._folder.cleanup()


def make_engine(settings: Settings) -> ScratchEngine:
    """Make the engine; Rememora opens it."""
    return ScratchEngine(settings)
