"""Opens a store in a folder that it may not write to, and appends; tells what it met."""

from __future__ import annotations

import asyncio
import sys

from rememora import Rememora, Settings
from rememora.errors import RememoraError

_, folder = sys.argv


async def main() -> None:
    """Open and append."""
    settings = Settings.load({"store.url": folder, "recall.embedder": "none"}, environ={})
    async with Rememora.open(settings=settings, background=False) as rememora:
        await rememora.user("ana", tenant="acme").conversation("c1").append("user", "não cabe")


try:
    asyncio.run(main())
    print("written")
except RememoraError as error:
    print(f"refused {type(error).__name__}")
