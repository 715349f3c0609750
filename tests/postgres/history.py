"""A load that notes what was acknowledged, and a checker of what is there afterwards."""

from __future__ import annotations

import asyncio

import msgspec

from rememora import Conversation, Event, Message, Rememora
from rememora.domain.message import every_item
from rememora.errors import RememoraError, Unavailable

TENANTS, CONVERSATIONS = ("acme", "other"), ("c1", "c2")


class Noted(msgspec.Struct):
    """What the writers were told: kept for certain, or perhaps."""

    kept: dict[tuple[str, str], list[str]] = msgspec.field(default_factory=dict)
    doubtful: set[str] = msgspec.field(default_factory=set)
    values: dict[str, list[str]] = msgspec.field(default_factory=dict)
    stop: bool = False

    @property
    def acknowledged(self) -> int:
        """How many messages were."""
        return sum(map(len, self.kept.values()))


async def write(rememora: Rememora, noted: Noted, tenant: str, conversation: str) -> None:
    """Append until told to stop; a failure leaves a message in doubt, and the next is tried."""
    chat = rememora.user("ana", tenant=tenant).conversation(conversation)
    mine = noted.kept.setdefault((tenant, conversation), [])
    number = 0
    while not noted.stop:
        number += 1
        text = f"{tenant} {conversation} {number}"
        try:
            await chat.append("user", text)
        except Unavailable:
            noted.doubtful.add(text)
            await asyncio.sleep(0.02)
        else:
            mine.append(text)


async def keep(rememora: Rememora, noted: Noted, tenant: str) -> None:
    """Change one memory again and again; every value that may be there is noted, the acknowledged last."""
    ana = rememora.user("ana", tenant=tenant)
    possible = noted.values.setdefault(tenant, [])
    number = 0
    while not noted.stop:
        number += 1
        value = f"Ana de número {number}"
        try:
            await ana.remember("user.name", value)
        except Unavailable:
            possible.append(value)
            await asyncio.sleep(0.02)
        else:
            possible[:] = [value]


def begin(rememora: Rememora, noted: Noted) -> list[asyncio.Task[None]]:
    """All writers, side by side."""
    acts = [write(rememora, noted, tenant, conversation) for tenant in TENANTS for conversation in CONVERSATIONS]
    acts += [keep(rememora, noted, tenant) for tenant in TENANTS]
    return [asyncio.create_task(act) for act in acts]


async def check(rememora: Rememora, noted: Noted) -> list[str]:
    """What is wrong with what is stored, in words; an empty list is a history that holds."""
    wrong: list[str] = []
    for (tenant, conversation), kept in noted.kept.items():
        chat = rememora.user("ana", tenant=tenant).conversation(conversation)
        stored = [(message.seq, message.content) for message in await all_messages(chat)]
        texts = [text for _, text in stored]
        if [seq for seq, _ in stored] != [*range(1, len(stored) + 1)]:
            wrong.append(f"{tenant}/{conversation}: places have gaps or stand twice")
        if len(set(texts)) != len(texts):
            wrong.append(f"{tenant}/{conversation}: something was kept twice")
        if [text for text in texts if text not in noted.doubtful] != kept:
            wrong.append(f"{tenant}/{conversation}: acknowledged and stored differ")
    for tenant, possible in noted.values.items():
        wrong += await _check_knowledge(rememora, tenant, possible)
    return wrong


async def all_messages(chat: Conversation) -> list[Message]:
    """Every message, page by page."""
    return [message async for message in every_item(chat.messages, limit=1000)]


async def _check_knowledge(rememora: Rememora, tenant: str, possible: list[str]) -> list[str]:
    wrong = []
    active = (await rememora.user("ana", tenant=tenant).memories.list(status="active", prefix="user.name")).items
    if len(active) != 1 or active[0].value not in possible:
        wrong.append(f"{tenant}: {[memory.value for memory in active]} is known, not one of {possible}")
    boss = rememora.tenant(tenant, acting="boss")
    if not (await boss.audit.verify()).intact:
        wrong.append(f"{tenant}: the chain is broken")
    events: list[Event] = []
    while page := await boss.events.list(after=len(events), limit=1000):
        events += page
    if [event.position for event in events] != [*range(1, len(events) + 1)]:
        wrong.append(f"{tenant}: the outbox has gaps")
    return wrong


async def settled(rememora: Rememora, tries: int = 100) -> None:
    """Do what waits, as soon as the store is back."""
    for _ in range(tries):
        try:
            await rememora.settle()
        except RememoraError:
            await asyncio.sleep(0.1)
        else:
            return
    raise AssertionError("the store did not come back")
