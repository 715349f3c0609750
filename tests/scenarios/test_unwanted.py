"""What a person does not want kept: nothing while memory is paused, and never what is of a kind they named."""

from __future__ import annotations

from rememora import Conversation, Rememora, UserMemory
from rememora.knowledge.opt_outs import PAUSED, UNWANTED


async def test_nothing_new_is_remembered_while_memory_is_paused(
    rememora: Rememora, ana: UserMemory, chat: Conversation
) -> None:
    """Wishes, statements, doubts and mentions are refused with the reason; what is known stays in use."""
    await chat.reply("Moro em Recife.")
    await ana.remember(PAUSED, True)
    refused = await chat.reply("Guarda que o contador é o Paulo.")
    await chat.reply("Eu prefiro respostas curtas.")
    await chat.reply("acho que talvez eu goste de azul")
    known = await chat.reply("Onde eu moro?")
    await rememora.settle()

    assert {"user.location", PAUSED} == {memory.key for memory in (await ana.memories.list()).items}
    assert [] == await ana.proposals.list()
    assert "pausada" in refused.text
    assert "Recife" in known.text
    assert [] == [entity.value for entity in await ana.entities.list(limit=50) if entity.value == "Paulo"]
    assert {"refuse.paused"} <= {attempt.reason for attempt in await ana.gate.attempts()}

    await ana.forget(PAUSED)
    await chat.reply("Guarda que o contador é o Paulo.")

    assert "Paulo" in str((await ana.memories.list(prefix="people")).items)


async def test_a_kind_that_is_not_wanted_is_refused(ana: UserMemory) -> None:
    """Other kinds are kept as ever, and so is what the company says itself."""
    await ana.remember(UNWANTED, ["people"])
    outcome = await ana.remember("people.paulo.role", "contador")
    await ana.gate.note("Guarda que a Rita é a minha contadora.")
    kept = await ana.remember("user.location", "Recife")
    company = await ana.remember("people.rita.role", "contadora", source="admin_system")

    assert outcome.verdict is not None
    assert "refuse.unwanted_kind" == outcome.verdict.reason
    assert () == outcome.memories
    assert kept.memory is not None
    assert company.memory is not None
    assert {UNWANTED, "user.location", "people.rita.role"} == {
        memory.key for memory in (await ana.memories.list()).items
    }
