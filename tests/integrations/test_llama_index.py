"""LlamaIndex's own `Memory` with our block in it."""

from __future__ import annotations

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import InsertMethod, Memory

from rememora import Rememora, UserMemory
from rememora.integrations.llama_index import RememoraMemoryBlock


def block_of(rememora: Rememora, **how: int) -> RememoraMemoryBlock:
    """A block of Ana's."""
    return RememoraMemoryBlock(rememora, tenant="acme", user="ana", conversation="c1", **how)


async def test_memory_stands_in_what_the_model_gets(rememora: Rememora) -> None:
    """LlamaIndex puts the block's text where it is told to."""
    await rememora.user("ana", tenant="acme").remember("prefs.seat", "aisle seats")
    memory = Memory.from_defaults(
        session_id="s1", token_limit=40_000, memory_blocks=[block_of(rememora)], insert_method=InsertMethod.USER
    )
    await memory.aput(ChatMessage(role="user", content="Which seats do I prefer?"))
    reply = await memory.aget()

    assert "aisle seats" in str(reply[-1].content)
    assert "<memory>" in str(reply[-1].content)


async def test_what_leaves_short_memory_is_kept(rememora: Rememora, ana: UserMemory) -> None:
    """Messages that no longer fit go into the conversation, and what they ask of memory is done."""
    memory = Memory.from_defaults(
        session_id="s1",
        token_limit=300,
        chat_history_token_ratio=0.5,
        token_flush_size=100,
        memory_blocks=[block_of(rememora, priority=1)],
    )
    await memory.aput(ChatMessage(role="user", content="Remember that I live in Recife."))
    for number in range(30):
        role = "assistant" if number % 2 == 0 else "user"
        await memory.aput(
            ChatMessage(role=role, content=f"A sentence of some length, number {number}, in between.")
        )

    assert "Recife" in str((await ana.memories.list()).items)
    assert "Remember that I live in Recife." == (await ana.conversation("c1").messages()).items[0].content


async def test_under_pressure_it_tells_less(rememora: Rememora, ana: UserMemory) -> None:
    """A smaller budget, and nothing where that is too small."""
    for number in range(40):
        await ana.remember(f"user.suppliers.s{number}", f"supplier number {number} delivers flour on Tuesday")
    block = block_of(rememora, budget=800)
    whole = await block.aget([ChatMessage(role="user", content="Which supplier delivers flour?")])
    less = await block.atruncate(whole, 500)

    assert less is not None
    assert 0 < len(less) < len(whole)
    assert await block.atruncate(whole, 790) is None
    assert "" == await block.aget([])
