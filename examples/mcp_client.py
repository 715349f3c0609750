"""An MCP client and the memory of one person, over standard input and output, without a model.

Run it with `python examples/mcp_client.py`; it needs the extra `mcp`.
The client is the one of the MCP SDK; a desktop or editor client starts the same command.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from mcp.client import Client
from mcp.client.stdio import StdioServerParameters


async def main(folder: str) -> None:
    """Save a fact, find it, correct it, and read the profile."""
    server = StdioServerParameters(
        command=str(Path(sys.executable).with_name("rememora")),
        args=["mcp", "--url", folder, "--tenant", "home", "--user", "ana"],
    )
    async with Client(server) as client:
        print("tools:", ", ".join(tool.name for tool in (await client.list_tools()).tools))
        kept = await client.call_tool("add_memory", {"text": "I live in Recife."})
        print("kept:", kept.structured_content["memories"][0]["key"])
        refused = await client.call_tool("add_memory", {"text": "ok, thanks"})
        print("refused:", refused.structured_content["why"])
        found = await client.call_tool("search_memories", {"query": "where do I live?"})
        print("found:", found.structured_content["results"][0]["content"])
        await client.call_tool("correct_memory", {"memory": "user.location", "value": "Olinda"})
        print("profile:", (await client.read_resource("rememora://profile")).contents[0].text)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(main(str(Path(folder) / "store")))
