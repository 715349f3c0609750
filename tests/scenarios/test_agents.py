"""An agent in the scope: a memory of its own about a person, apart from the others and gone with the person."""

from __future__ import annotations

from typing import Any

import pytest

from rememora import Rememora, UserMemory
from rememora.domain.rights import ADMIN
from rememora.domain.scope import Scope
from rememora.errors import InvalidInput, RightMissing
from rememora.integrations.langchain import memory_tools
from rememora.integrations.langgraph import load_memory
from rememora.integrations.memory_agent import MemoryAgent


async def test_each_agent_knows_what_it_was_told(rememora: Rememora) -> None:
    """Knowledge, history, recall and context of one agent reach no other, nor the memory without an agent."""
    shared = rememora.user("ana", tenant="acme")
    support = rememora.user("ana", tenant="acme", agent="support")
    sales = rememora.user("ana", tenant="acme", agent="sales")
    await support.conversation("c1").append("user", "My printer is a zebra-4711 and it is broken.")
    await support.remember("user.city", "Recife")
    await sales.remember("user.city", "Olinda")
    await rememora.settle()

    assert "Recife" == (await support.memories.get("user.city")).value
    assert "Olinda" == (await sales.memories.get("user.city")).value
    assert () == (await shared.memories.list()).items
    assert await support.recall("zebra-4711")
    assert [] == [hit for item in (sales, shared) for hit in await item.recall("zebra-4711")]
    assert [] == [conversation.id for conversation in (await sales.conversations.list()).items]
    assert ["sales", "support"] == await shared.archive.agents()
    assert [] == await rememora.user("an", tenant="acme").archive.agents()
    assert [] == await rememora.user("ana", tenant="other").archive.agents()


async def test_all_agents_read_what_the_tenant_shares(rememora: Rememora) -> None:
    """Only personal memory is apart."""
    admin = rememora.user("bia", tenant="acme", rights=ADMIN)
    await admin.remember("tenant.name", "Padaria Sol", scope="tenant_shared")
    memory = await rememora.user("ana", tenant="acme", agent="support").memories.get("tenant.name")

    assert "Padaria Sol" == memory.value


async def test_erasing_the_person_reaches_every_agent(rememora: Rememora, ana: UserMemory) -> None:
    """The receipt counts what agents kept; another person whose name begins alike keeps all."""
    for agent in ("support", "sales"):
        await rememora.user("ana", tenant="acme", agent=agent).remember("user.city", "Recife")
    other = rememora.user("anabel", tenant="acme", agent="support")
    await other.remember("user.city", "Natal")
    receipt = await ana.erase(person=True)

    assert (2, 2) == (receipt.counts["agents"], receipt.counts["memories"])
    assert [] == await ana.archive.agents()
    assert "Natal" == (await other.memories.get("user.city")).value


async def test_erasing_one_agents_memory_leaves_the_others(rememora: Rememora, ana: UserMemory) -> None:
    """It is a whole memory for itself."""
    await ana.remember("user.city", "Recife")
    support = rememora.user("ana", tenant="acme", agent="support")
    await support.remember("user.city", "Olinda")
    receipt = await support.erase(person=True)

    assert "agents" not in receipt.counts
    assert "Recife" == (await ana.memories.get("user.city")).value
    assert [] == await ana.archive.agents()


async def test_an_export_holds_what_agents_keep(rememora: Rememora) -> None:
    """And an import brings it back, into another person's memory too."""
    ana, bia = (rememora.user(name, tenant="acme") for name in ("ana", "bia"))
    await ana.remember("user.city", "Recife")
    await rememora.user("ana", tenant="acme", agent="support").remember("user.city", "Olinda")
    document = await ana.archive.export()
    taken = await bia.archive.load(document)

    assert (["support"], 2) == (list(document["agents"]), taken.memories)
    assert "Recife" == (await bia.memories.get("user.city")).value
    theirs = rememora.user("bia", tenant="acme", agent="support")
    assert "Olinda" == (await theirs.memories.get("user.city")).value
    with pytest.raises(InvalidInput, match="agents"):
        await theirs.archive.load(document)


async def test_a_wrong_agent_in_an_export_stops_all_of_it(rememora: Rememora, ana: UserMemory) -> None:
    """Each is read before anything is written."""
    await ana.remember("user.city", "Recife")
    document = await ana.archive.export()
    bia = rememora.user("bia", tenant="acme")
    for agents in ({"support": {"format": "none"}}, {"a#agent:b": document}, ["support"]):
        with pytest.raises(InvalidInput):
            await bia.archive.load({**document, "agents": agents})

    assert () == (await bia.memories.list()).items


async def test_no_name_poses_as_an_agents_memory(rememora: Rememora) -> None:
    """A user whose name is made like one is refused, and so is an agent."""
    for user, agent in (("ana#agent:support", None), ("ana", "x#agent:y"), ("ana", ""), ("*", "support")):
        with pytest.raises(InvalidInput):
            rememora.user(user, tenant="acme", agent=agent)

    scope = Scope("acme", "ana").of_agent("support")
    assert ("ana", "support", None) == (scope.human, scope.agent, Scope("acme", "ana").agent)


async def test_another_needs_the_right_for_an_agents_memory_too(rememora: Rememora) -> None:
    """Whoever acts for the person is asked for the same rights and reasons."""
    await rememora.user("ana", tenant="acme", agent="support").remember("user.city", "Recife")
    stranger = rememora.user("ana", tenant="acme", agent="support", acting="eve")
    with pytest.raises(RightMissing):
        await stranger.recall("city")
    with pytest.raises(RightMissing):
        await stranger.erase(person=True)
    with pytest.raises(RightMissing):
        await rememora.user("ana", tenant="acme", acting="eve").erase(person=True)


async def test_the_names_of_hosts_take_an_agent(rememora: Rememora) -> None:
    """`MemoryAgent`, the LangGraph nodes and the LangChain tools: `agent_id` beside the other names of a run."""
    bot = MemoryAgent(rememora, tenant_id="acme", user_id="ana", agent_id="support")
    await bot.save_memory("t1", "Remember that my printer is a zebra-4711.", "Noted.")
    await rememora.settle()
    config: Any = {"configurable": {"tenant_id": "acme", "user_id": "ana", "thread_id": "t2"}}
    without = await load_memory(rememora, record=False)({"query": "my printer"}, config)
    config["configurable"]["agent_id"] = "support"
    within = await load_memory(rememora, record=False)({"query": "my printer"}, config)
    search = next(tool for tool in memory_tools(rememora) if tool.name == "search_memory")

    assert "zebra-4711" not in without["memory_context"]
    assert "zebra-4711" in within["memory_context"]
    assert "zebra-4711" in str(await search.ainvoke({"query": "printer"}, config))
    assert [] == await MemoryAgent(rememora, tenant_id="acme", user_id="ana").search_memories("printer")
