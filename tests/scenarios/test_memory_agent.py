"""`MemoryAgent`: the names that hosts of the first systems call, over the same memory."""

from __future__ import annotations

from rememora import Rememora
from rememora.integrations.memory_agent import MemoryAgent


async def test_load_save_and_search(rememora: Rememora) -> None:
    """A saved turn is heeded, loaded for the next query and found by a search; another user sees none of it."""
    ana = MemoryAgent(rememora, tenant_id="acme", user_id="ana")
    await ana.save_memory("s1", "Salva que moro em Recife", "Guardado.", message_id="m1")
    await ana.save_memory("s1", "Salva que moro em Recife", "Guardado.", message_id="m1")
    loaded = await ana.load_memory("s2", "Onde eu moro?")
    hits = await ana.search_memories("Recife", limit=5)
    bia = MemoryAgent(rememora, tenant_id="acme", user_id="bia")

    stored = await rememora.user("ana", tenant="acme").conversation("s1").messages()
    assert ["Salva que moro em Recife", "Guardado."] == [message.content for message in stored.items]
    assert "Recife" in [item["content"] for item in loaded["retrieved_context"]]
    assert "Recife" in loaded["memory_context"]
    assert any("Recife" in hit.content for hit in hits)
    assert [] == await bia.search_memories("Recife")
    assert [] == (await bia.load_memory("s2", "Onde eu moro?"))["retrieved_context"]
