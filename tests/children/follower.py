"""A process of its own that follows an index: `follower.py <store> <file> <pages | hold> <dimension> <page>`.

It is killed after so many pages, or holds the file until it is killed.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Any

import numpy as np

from rememora import Settings
from rememora.adapters.duckdb.vectors import DuckVectors
from rememora.domain.scope import Scope
from rememora.engines import open_store


class DyingVectors(DuckVectors):
    """Dies before the page after the last it was given."""

    left = 0

    async def _caught_up(self, owner: Scope) -> bool:
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        self.left -= 1
        return await super()._caught_up(owner)


async def main(folder: str, file: str, pages: str, *shape: str) -> None:
    dimension, page = map(int, shape)
    store = await open_store(Settings.load({"store.url": folder}, environ={}), model="m/1")
    kind: Any = DuckVectors if pages == "hold" else DyingVectors
    vectors = kind(store, Path(file), dimension=dimension, page=page)
    if pages != "hold":
        vectors.left = int(pages)
    await vectors.nearest(Scope("acme", "ana"), np.ones(dimension, dtype=np.float32), limit=3)
    sys.stdout.write("held\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
