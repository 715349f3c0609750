"""Appends until its files may grow no further, then goes on once they may; tells what was acknowledged."""

from __future__ import annotations

import asyncio
import json
import resource
import signal
import sys

from rememora import Rememora, Settings
from rememora.errors import RememoraError

_, folder, seed, room = sys.argv
TURN = "x" * 2_000


async def main() -> None:
    """Fill, fail, make room, go on."""
    settings = Settings.load({"store.url": folder, "recall.embedder": "none"}, environ={})
    acknowledged, refused = [], []
    async with Rememora.open(settings=settings, background=False) as rememora:
        chat = rememora.user("ana", tenant="acme").conversation("c1")
        _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(room), hard))
        for number in range(400):
            try:
                acknowledged.append((await chat.append("user", f"{seed}/{number} {TURN}")).id)
            except RememoraError as error:
                refused.append(type(error).__name__)
                if len(refused) == 5:
                    break
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        read = len(await chat.last_turns(5))
        after = [(await chat.append("user", f"{seed}/after {number}")).id for number in range(5)]
    print(json.dumps({"acknowledged": acknowledged, "refused": refused, "read": read, "after": after}))


signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
asyncio.run(main())
