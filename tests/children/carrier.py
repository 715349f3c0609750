"""Transfers that a test ends with SIGKILL: forked from one warm process, each telling how far it is."""

from __future__ import annotations

import asyncio
import json
import os
import sys

from rememora import Rememora, Settings


def tell(*words: object) -> None:
    """One line, whole or not at all."""
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


async def carry(source: str, target: str) -> None:
    """One transfer, from wherever the last one ended."""
    settings = Settings.load({"store.url": target}, environ={})
    tell("open")
    done = await Rememora.transfer(
        source, target, settings=settings, progress=lambda done, total: tell("at", done, total)
    )
    tell("done", done.copied)


def main() -> None:
    """Fork a transfer for each line, and tell when it has ended."""
    for line in sys.stdin:
        order = json.loads(line)
        pid = os.fork()
        if pid == 0:
            os.chdir(order["folder"])
            asyncio.run(carry(order["source"], order["target"]))
            os._exit(0)
        tell("pid", pid)
        os.waitpid(pid, 0)
        tell("dead", pid)


if __name__ == "__main__":
    main()
