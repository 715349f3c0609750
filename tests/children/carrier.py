"""Transfers that a test ends with SIGKILL, each telling how far it is."""

from __future__ import annotations

import os

from tests.children.forking import fork, tell

from rememora import Rememora, Settings


async def carry(folder: str, source: str, target: str) -> None:
    """One transfer, from wherever the last one ended."""
    os.chdir(folder)
    settings = Settings.load({"store.url": target}, environ={})
    tell("open")
    done = await Rememora.transfer(
        source, target, settings=settings, progress=lambda done, total: tell("at", done, total)
    )
    tell("done", done.copied)


if __name__ == "__main__":
    fork(carry)
