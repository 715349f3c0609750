"""A memory block of LlamaIndex on Rememora; what a model would get is printed.

Run it with `python examples/llama_index_block.py`; it needs the extra `llama-index`.
"""

from __future__ import annotations

import asyncio
import tempfile

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import InsertMethod, Memory

from rememora import Rememora
from rememora.integrations.llama_index import RememoraMemoryBlock


async def main(folder: str) -> None:
    """Put memory into what LlamaIndex hands to a model."""
    async with Rememora.open(folder) as rememora:
        await rememora.user("ana", tenant="acme").gate.note("I prefer aisle seats.")
        block = RememoraMemoryBlock(rememora, tenant="acme", user="ana", conversation="c1", budget=500)
        memory = Memory.from_defaults(
            session_id="s1", token_limit=8_000, memory_blocks=[block], insert_method=InsertMethod.USER
        )
        await memory.aput(ChatMessage(role="user", content="Which seats do I prefer?"))
        for message in await memory.aget():
            print(f"{message.role.value}: {message.content}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(main(folder))
