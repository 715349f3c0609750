"""Each name of the first systems' environment does something: shown by its effect, not by its setting."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from tests.calm import CALM
from tests.clock import SetClock

from rememora import Rememora, Settings
from rememora.domain.message import Role
from rememora.errors import NotFound, SettingsError
from rememora.settings import ALIASES

Shown = Callable[[Rememora], Awaitable[object]]


@asynccontextmanager
async def opened(clock: SetClock, environ: dict[str, str]) -> AsyncIterator[Rememora]:
    settings = Settings.load({"store.url": ":memory:", **CALM}, environ=environ)
    async with Rememora.open(settings=settings, clock=clock, background=False) as rememora:
        yield rememora


async def talk(rememora: Rememora, turns: int, conversation: str = "c1") -> None:
    chat = rememora.user("ana", tenant="acme").conversation(conversation)
    for number in range(turns):
        role: Role = "assistant" if number % 2 else "user"
        await chat.append(role, f"O fornecedor número {number} de farinha integral entrega na quinta-feira cedo")
    await rememora.settle()


async def covered(rememora: Rememora) -> object:
    """How many messages a summary covers after 12, or None."""
    await talk(rememora, 12)
    summary = await rememora.user("ana", tenant="acme").conversation("c1").summary()
    return summary and summary.covered


async def summary_fits(rememora: Rememora) -> object:
    """Whether the summary of a long conversation has at most a hundred tokens."""
    await talk(rememora, 90)
    summary = await rememora.user("ana", tenant="acme").conversation("c1").summary()
    assert summary is not None
    return summary.tokens <= 100


async def many_hits(rememora: Rememora) -> object:
    """Whether a search has more hits than one."""
    await talk(rememora, 8)
    return len(await rememora.user("ana", tenant="acme").recall("O fornecedor entrega farinha")) > 1


async def by_meaning(rememora: Rememora) -> object:
    """Whether a hit is weighed by its meaning."""
    await talk(rememora, 2)
    hits = await rememora.user("ana", tenant="acme").recall("farinha")
    return any(hit.parts.get("meaning", 0.0) > 0 for hit in hits)


async def entities(rememora: Rememora) -> object:
    """How many entities there are once one is told of in a turn and sixty are counted by the host."""
    ana = rememora.user("ana", tenant="acme")
    for number in range(60):
        await ana.entities.mention("product", f"product.p{number}", f"P{number}")
    return len(await ana.entities.list(limit=200))


async def read_entities(rememora: Rememora) -> object:
    """Which campaigns a turn is found to mention."""
    ana = rememora.user("ana", tenant="acme")
    await ana.conversation("c1").reply("a campanha Girassol vai bem")
    await rememora.settle()
    return [entity.key for entity in await ana.entities.list()]


async def related(rememora: Rememora) -> int:
    """How many passages of other conversations a pack holds."""
    for number in range(5):
        await talk(rememora, 4, f"c{number}")
    chat = rememora.user("ana", tenant="acme").conversation("now")
    return len((await chat.context("Quando o fornecedor entrega a farinha integral?")).section("related"))


async def any_related(rememora: Rememora) -> object:
    """Whether a pack holds a passage of another conversation."""
    return await related(rememora) > 0


async def many_related(rememora: Rememora) -> object:
    """Whether it holds more than one."""
    return await related(rememora) > 1


async def episodes(rememora: Rememora) -> object:
    """After how many turns the first episode was made."""
    await talk(rememora, 12)
    return [item.turns for item in reversed(await rememora.user("ana", tenant="acme").conversations.episodes())][
        :1
    ]


async def outlived(rememora: Rememora) -> object:
    """Whether a mission is still there four seconds after its answer."""
    missions = rememora.user("ana", tenant="acme").missions
    mission = await missions.create("q")
    await missions.board(mission.id).close("completed")
    for _ in range(4):
        await rememora.settle()
    try:
        return (await missions.get(mission.id)).status
    except NotFound:
        return None


FIVE = {"AGENT_SUMMARIZATION_THRESHOLD": "5"}
EFFECTS: dict[str, tuple[dict[str, str], str, Shown, object, object]] = {
    "AGENT_SUMMARIZATION_ENABLED": (FIVE, "false", covered, 2, None),
    "AGENT_SUMMARIZATION_THRESHOLD": ({}, "5", covered, None, 2),
    "AGENT_SUMMARIZATION_KEEP_RECENT": (FIVE, "3", covered, 2, 9),
    "AGENT_SUMMARIZATION_MAX_TOKENS": (FIVE, "100", summary_fits, False, True),
    "AGENT_VECTOR_STORE_ENABLED": ({}, "false", by_meaning, True, False),
    "AGENT_RAG_TOP_K": ({}, "1", many_hits, True, False),
    "AGENT_RAG_MIN_SIMILARITY": ({}, "1", many_hits, True, False),
    "AGENT_ENTITY_MEMORY_ENABLED": ({}, "false", read_entities, ["campaign.girassol"], []),
    "AGENT_ENTITY_MAX_PER_USER": ({}, "12", entities, 50, 12),
    "AGENT_CROSS_THREAD_ENABLED": ({}, "false", any_related, True, False),
    "AGENT_CROSS_THREAD_MAX_RESULTS": ({}, "1", many_related, True, False),
    "OWNER_EPISODE_THRESHOLD": ({}, "4", episodes, [10], [4]),
    "WMI_DELETE_DELAY": ({}, "5000", outlived, None, "completed"),
}


@pytest.mark.parametrize("name", EFFECTS)
async def test_a_host_name_has_an_effect(name: str, clock: SetClock) -> None:
    """With the name set something is otherwise than without it."""
    neighbour, text, show, without, with_it = EFFECTS[name]
    async with opened(clock, neighbour) as rememora:
        before = await show(rememora)
    async with opened(clock, {**neighbour, name: text}) as rememora:
        after = await show(rememora)

    assert (without, with_it) == (before, after)


def test_every_host_name_is_shown_here() -> None:
    """A name added without its effect fails this test."""
    assert set(EFFECTS) == set(ALIASES)


@pytest.mark.parametrize(
    "name", ["AGENT_RAG_TOPK", "AGENT_SUMMARIZATION_LIMIT", "WMI_TTL", "OWNER_EPISODE_SIZE", "AGENT_ENTITY_TYPES"]
)
def test_a_host_name_without_an_effect_is_refused(name: str) -> None:
    """A name that is meant for the memory and means nothing here stops the start, by name; others are not ours."""
    with pytest.raises(SettingsError, match=name):
        Settings.load(environ={name: "3"})

    assert Settings() == Settings.load(environ={"AGENT_NAME": "builder", "AGENT_ID": "7"})
