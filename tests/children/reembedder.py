"""Re-embeddings that a test ends with SIGKILL: forked from one warm process, each telling how far it is."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from datetime import UTC, datetime, timedelta

from rememora import Settings
from rememora.moving import reembed
from rememora.testing import WordEmbedder


def tell(*words: object) -> None:
    """One line, whole or not at all."""
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


async def make(folder: str, name: str, *, life: int) -> None:
    """Every vector anew, from wherever the last life ended."""

    def clock() -> datetime:
        # Later in each life, so that the lease of the one before has run out.
        return datetime.now(UTC) + timedelta(minutes=life)

    settings = Settings.load({"store.url": folder}, environ={})
    tell("open")
    done = await reembed(
        settings,
        embedder=WordEmbedder(name=name, dimension=96),
        clock=clock,
        progress=lambda done, total: tell("at", done, total),
    )
    tell("done", done)


def main() -> None:
    """Fork a re-embedding for each line, and tell when it has ended."""
    for line in sys.stdin:
        order = json.loads(line)
        pid = os.fork()
        if pid == 0:
            asyncio.run(make(order["folder"], order["name"], life=order["life"]))
            os._exit(0)
        tell("pid", pid)
        os.waitpid(pid, 0)
        tell("dead", pid)


if __name__ == "__main__":
    main()
