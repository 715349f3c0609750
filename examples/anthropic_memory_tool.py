"""Anthropic's memory tool on Rememora: the calls that Claude would make, made by hand.

Run it with `python examples/anthropic_memory_tool.py`; it needs the extra `anthropic`.
"""

from __future__ import annotations

import asyncio
import tempfile

from rememora import Rememora
from rememora.integrations.anthropic_memory import RememoraAsyncMemoryTool


async def main(folder: str) -> None:
    """Create, edit and view a file, and look at its versions."""
    async with Rememora.open(folder) as rememora:
        tool = RememoraAsyncMemoryTool(rememora, user="ana", tenant="acme")
        print("parameter of the API:", tool.to_dict())
        path = "/memories/preferences.md"
        await tool.call({"command": "create", "path": path, "file_text": "Seat: aisle\n"})
        await tool.call({"command": "str_replace", "path": path, "old_str": "aisle", "new_str": "window"})
        print(await tool.call({"command": "view", "path": path}))
        for version in await tool.files.versions(path):
            print(version.version, version.operation, repr(version.text))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(main(folder))
