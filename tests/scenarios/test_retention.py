"""Events and tries are kept for their days and no longer; what a subscriber has yet to hear waits for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.clock import SetClock

from rememora import Event, Rememora, Settings, UserMemory
from rememora.errors import EventsMissed

DAY = 86_400


async def types(rememora: Rememora) -> list[str]:
    """What the outbox holds."""
    return [event.type for event in await rememora.tenant("acme", acting="boss").events.list(limit=1000)]


async def tried(rememora: Rememora) -> int:
    """How many tries are on record."""
    store, scope = rememora._parts.store, rememora.user("ana", tenant="acme").scope
    return len(await store.read(scope, lambda work: work.attempts.newest(scope, limit=1000)))


async def test_events_go_after_their_days(rememora: Rememora, ana: UserMemory, clock: SetClock) -> None:
    """Thirty days by default; positions go on where they were."""
    await ana.remember("user.name", "Ana")
    kept = await types(rememora)
    clock.advance(29 * DAY)
    await rememora.settle()

    assert kept == await types(rememora)

    clock.advance(2 * DAY)
    await rememora.settle()

    assert [] == await types(rememora)
    await ana.remember("user.role_title", "Padeira")
    first = (await rememora.tenant("acme", acting="boss").events.list())[0]

    assert len(kept) + 1 == first.position


async def test_what_a_subscriber_that_comes_has_yet_to_hear_stays(rememora: Rememora, clock: SetClock) -> None:
    """Months later it is still told, and only then goes."""
    heard: list[str] = []
    deaf = True

    def listen(event: Event) -> None:
        if deaf:
            raise OSError("away")
        heard.append(event.type)

    await rememora.events.subscribe("mail", listen, from_start=True)
    await rememora.user("ana", tenant="acme").remember("user.name", "Ana")
    kept = await types(rememora)
    await rememora.settle()
    clock.advance(89 * DAY)
    deaf = False
    await rememora.settle()
    clock.advance(1)
    await rememora.settle()

    assert kept == heard
    assert [] == await types(rememora)


async def test_a_subscriber_that_stays_away_holds_up_nothing_and_is_told(tmp_path: Path, clock: SetClock) -> None:
    """After its days events go without it; coming back it is told how much it missed, and may go on."""
    settings = Settings.load({"store.url": str(tmp_path / "store")}, environ={})
    heard: list[str] = []
    async with Rememora.open(settings=settings, clock=clock, background=False) as rememora:
        await rememora.events.subscribe("mail", lambda event: heard.append(event.type))
    async with Rememora.open(settings=settings, clock=clock, background=False) as rememora:
        await rememora.user("ana", tenant="acme").remember("user.name", "Ana")
        missed = await types(rememora)
        clock.advance(89 * DAY)
        await rememora.settle()

        assert missed == await types(rememora)
        clock.advance(2 * DAY)
        await rememora.settle()

        assert [] == await types(rememora)
        await rememora.user("ana", tenant="acme").remember("user.role_title", "Padeira")
        left = await types(rememora)
        with pytest.raises(EventsMissed) as reply:
            await rememora.events.subscribe("mail", lambda event: heard.append(event.type))
        await rememora.events.subscribe("mail", lambda event: heard.append(event.type), resume=True)
        await rememora.settle()
        await rememora.events.subscribe("mail", lambda event: heard.append(event.type))

    assert ("mail", len(missed)) == (reply.value.subscriber, reply.value.missed)
    assert left == heard


async def test_tries_go_after_ninety_days(rememora: Rememora, ana: UserMemory, clock: SetClock) -> None:
    """What the gate was asked is on record for its days, many at a time."""
    for _ in range(3):
        await ana.remember("user.name", "Ana")
    clock.advance(89 * DAY)
    await rememora.settle()

    assert 3 == await tried(rememora)

    await ana.remember("user.role_title", "Padeira")
    clock.advance(2 * DAY)
    await rememora.settle()

    assert 1 == await tried(rememora)
