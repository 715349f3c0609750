"""A process that does what a request asks for, and ends before the answer is noted."""

from __future__ import annotations

import asyncio
import os
import sys

import msgspec

from rememora import Rememora, Settings
from rememora.domain.scope import Scope

DIED = 9


async def die_after_mention(url: str, key_folder: str) -> None:
    """Count a mention under the key `k`, and end as a kill would end it."""
    named = {"store.url": url, "store.key_folder": key_folder, "recall.embedder": "none"}
    async with Rememora.open(settings=Settings.load(named, environ={}), background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")

        async def act() -> tuple[int, bytes]:
            await ana.entities.mention("product", "pão", "de queijo")
            os._exit(DIED)

        await rememora.once(Scope("acme", "ana"), "k", fingerprint=b"same", act=act)


if __name__ == "__main__":
    asyncio.run(die_after_mention(**msgspec.json.decode(sys.argv[1])))
