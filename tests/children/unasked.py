"""Run the application without a request until the MCP server is loaded; print when it was not and when it was."""

from __future__ import annotations

import asyncio
import sys

from rememora import Rememora, Settings
from rememora.server import create_app

SDK = "rememora.integrations.mcp"
SETTINGS = Settings.load({"store.url": ":memory:", "recall.embedder": "none"}, environ={})


async def main() -> None:
    async with Rememora.open(settings=SETTINGS, background=False) as rememora:
        app = create_app(rememora)
        async with app.router.lifespan_context(app):
            print("at the start", SDK in sys.modules)
            while SDK not in sys.modules or sys.modules[SDK].__spec__._initializing:  # type: ignore[union-attr]
                await asyncio.sleep(0.05)
            print("unasked", True)


asyncio.run(main())
