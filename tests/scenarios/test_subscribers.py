"""Subscribers: at least once, in order per conversation, none waiting for another, and nothing forgotten."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from tests.clock import SetClock
from tests.happening import happen

from rememora import Conversation, Event, Rememora, Settings

ROOT = "root"


class Ear:
    """A listener that refuses what it is told to refuse, and remembers what it took."""

    def __init__(self) -> None:
        self.heard: list[Event] = []
        self.tries: Counter[str] = Counter()
        self.refuses: Callable[[Event], bool] = lambda _: False

    async def __call__(self, event: Event) -> None:
        self.tries[event.id] += 1
        if self.refuses(event):
            raise ConnectionError("the text of Ana's message")
        self.heard.append(event)

    def of(self, conversation: str) -> list[int]:
        """What was taken of one conversation, by position."""
        return [event.position for event in self.heard if event.conversation == conversation]


@pytest.fixture
def ear() -> Ear:
    """A listener."""
    return Ear()


@pytest.fixture
def overrides() -> dict[str, object]:
    """Few attempts, first wait of a second."""
    return {"events.attempts": 4, "events.backoff_seconds": 1}


async def test_a_subscriber_hears_what_comes(rememora: Rememora, ear: Ear) -> None:
    """Once each, in order, whole."""
    await happen(rememora, "before")
    await rememora.events.subscribe("mail", ear)
    await happen(rememora, "c1", "c2", "c1")
    await rememora.settle()

    assert await rememora.tenant("acme", acting=ROOT).events.list(after=1) == ear.heard
    assert {1} == set(ear.tries.values())


async def test_a_subscriber_may_ask_for_the_past(rememora: Rememora, ear: Ear) -> None:
    """From the start means everything that is stored."""
    await happen(rememora, "c1", "c2")
    await rememora.events.subscribe("mail", ear, from_start=True)
    await rememora.settle()

    assert [1, 2] == [event.position for event in ear.heard]


@pytest.mark.parametrize("kind", ["plain", "awaitable", "object"])
async def test_any_callable_can_listen(rememora: Rememora, ear: Ear, kind: str) -> None:
    """A plain function, one that returns an awaitable, and an object that is called."""

    def plain(event: Event) -> None:
        ear.heard.append(event)

    def awaitable(event: Event) -> Awaitable[None]:
        return ear(event)

    listeners: dict[str, Callable[[Event], Awaitable[None] | None]] = {
        "plain": plain,
        "awaitable": awaitable,
        "object": ear,
    }
    await rememora.events.subscribe("mail", listeners[kind])
    await happen(rememora, "c1", "c2")
    await rememora.settle()

    assert [1, 2] == [event.position for event in ear.heard]


async def test_a_refusal_is_tried_again_later(rememora: Rememora, ear: Ear, clock: SetClock) -> None:
    """Not at once; after one second, then two, then four; and then it is taken."""
    ear.refuses = lambda event: ear.tries[event.id] < 4
    await rememora.events.subscribe("mail", ear)
    await happen(rememora, "c1")
    tries: list[int] = []
    for seconds in (0, 0.9, 0.1, 1.9, 0.1, 3.9, 0.1):
        clock.advance(seconds)
        await rememora.settle()
        tries.append(sum(ear.tries.values()))

    assert [1, 1, 2, 2, 3, 3, 4] == tries
    assert [1] == ear.of("c1")
    assert [] == await rememora.tenant("acme", acting=ROOT).events.dead_letters()


async def test_a_refusal_holds_back_only_its_conversation(rememora: Rememora, ear: Ear, clock: SetClock) -> None:
    """What is newer in the same conversation waits behind it; others go on; then all comes in order."""
    ear.refuses = lambda event: event.position == 1 and ear.tries[event.id] < 2
    await rememora.events.subscribe("mail", ear)
    await happen(rememora, "c1", "c2", "c1", "c2")
    await rememora.settle()

    assert ([], [2, 4]) == (ear.of("c1"), ear.of("c2"))

    await happen(rememora, "c1", "c2")
    await rememora.settle()

    assert ([], [2, 4, 6]) == (ear.of("c1"), ear.of("c2"))

    clock.advance(1)
    await rememora.settle()

    assert ([1, 3, 5], [2, 4, 6]) == (ear.of("c1"), ear.of("c2"))


async def test_the_same_conversation_id_elsewhere_goes_on(rememora: Rememora, ear: Ear) -> None:
    """A conversation is one user's of one tenant: its name alone holds back nobody."""
    ear.refuses = lambda event: (event.tenant, event.user) == ("acme", "ana")
    await rememora.events.subscribe("mail", ear)
    await happen(rememora, "c1")
    await happen(rememora, "c1", user="bia")
    await happen(rememora, "c1", tenant="zeta")
    await rememora.settle()

    assert {("acme", "bia"), ("zeta", "ana")} == {(event.tenant, event.user) for event in ear.heard}


async def test_a_failing_subscriber_holds_back_nobody(rememora: Rememora, ear: Ear) -> None:
    """Another subscriber hears everything at once."""
    deaf = Ear()
    deaf.refuses = lambda _: True
    await rememora.events.subscribe("deaf", deaf)
    await rememora.events.subscribe("mail", ear)
    await happen(rememora, "c1", "c1")
    await rememora.settle()

    assert [1, 2] == ear.of("c1")
    assert [] == deaf.heard


async def test_the_last_refusal_makes_a_dead_letter(rememora: Rememora, ear: Ear, clock: SetClock) -> None:
    """After the limit it is tried no more, stands among the dead letters, and what waited behind it comes."""
    ear.refuses = lambda event: event.position == 1
    await rememora.events.subscribe("mail", ear)
    await happen(rememora, "c1", "c1", "c1")
    for _ in range(10):
        clock.advance(60)
        await rememora.settle()
    [letter] = await rememora.tenant("acme", acting=ROOT).events.dead_letters()

    assert [2, 3] == ear.of("c1")
    assert (4, True, 1) == (letter.attempts, letter.dead, letter.event.position)
    assert 4 == ear.tries[letter.event.id]
    assert "ConnectionError" == letter.error
    assert [] == await rememora.tenant("zeta", acting=ROOT).events.dead_letters()


async def test_dead_letters_are_told_again_when_asked_for(rememora: Rememora, ear: Ear, clock: SetClock) -> None:
    """Of that subscriber and that tenant only, with a fresh set of tries, behind what was heard since."""
    company = rememora.tenant("acme", acting=ROOT)
    ear.refuses = lambda event: event.position == 1
    await rememora.events.subscribe("mail", ear)
    await happen(rememora, "c1", "c1")
    for _ in range(10):
        clock.advance(60)
        await rememora.settle()
    ear.refuses = lambda _: False
    elsewhere = await rememora.tenant("zeta", acting=ROOT).events.retry_dead_letters()
    nobody = await company.events.retry_dead_letters(subscriber="other")
    again = await company.events.retry_dead_letters(subscriber="mail")
    await rememora.settle()

    assert (0, 0, 1) == (elsewhere, nobody, again)
    assert [2, 1] == ear.of("c1")
    assert [] == await company.events.dead_letters()


async def test_what_waits_behind_the_dead_comes_in_the_same_settling(tmp_path: Path, ear: Ear) -> None:
    """With one attempt only, an event dies at once, and the next of its conversation does not wait for a poll."""
    settings = Settings.load({"store.url": str(tmp_path), "events.attempts": 1}, environ={})
    ear.refuses = lambda event: event.position == 1
    async with Rememora.open(settings=settings, background=False) as rememora:
        await rememora.events.subscribe("mail", ear)
        await happen(rememora, "c1", "c1", "c1")
        await rememora.settle()

    assert [2, 3] == ear.of("c1")


@pytest.mark.parametrize("trouble", [asyncio.CancelledError, TimeoutError, ValueError])
async def test_whatever_a_listener_raises_is_a_refusal(
    rememora: Rememora, clock: SetClock, trouble: type[BaseException]
) -> None:
    """Also the cancelling of something it waited for: the relay goes on and tries again."""
    tries: list[str | None] = []

    async def listen(event: Event) -> None:
        tries.append(event.conversation)
        if len(tries) == 1:
            raise trouble

    await rememora.events.subscribe("mail", listen)
    await happen(rememora, "c1", "c2")
    await rememora.settle()
    clock.advance(1)
    await rememora.settle()

    assert ["c1", "c2", "c1"] == tries


async def test_a_listener_that_hangs_is_given_up(tmp_path: Path) -> None:
    """After its time the delivery counts as refused, and the next conversation is served."""
    settings = Settings.load({"store.url": str(tmp_path), "events.delivery_seconds": 0.05}, environ={})
    heard: list[str | None] = []

    async def listen(event: Event) -> None:
        if event.conversation == "c1":
            await asyncio.Event().wait()
        heard.append(event.conversation)

    async with Rememora.open(settings=settings, background=False) as rememora:
        await rememora.events.subscribe("mail", listen)
        await happen(rememora, "c1", "c2")
        await rememora.settle()

    assert ["c2"] == heard


async def test_only_wanted_types_are_heard(rememora: Rememora, ear: Ear) -> None:
    """A type filter lets the rest pass by, for good."""
    await rememora.events.subscribe("mail", ear, types=["conversation.deleted"])
    await rememora.events.subscribe("none", ear, types=[])
    await happen(rememora, "c1")
    await rememora.settle()

    assert [1] == ear.of("c1")


async def test_a_restart_remembers(settings: Settings, clock: SetClock, ear: Ear) -> None:
    """The name knows what it has heard, what it refused, and when to try that again."""
    ear.refuses = lambda event: event.conversation == "c2"
    async with Rememora.open(settings=settings, clock=clock, background=False) as rememora:
        await rememora.events.subscribe("mail", ear)
        await happen(rememora, "c1", "c2")
        await rememora.settle()
    async with Rememora.open(settings=settings, clock=clock, background=False) as rememora:
        await happen(rememora, "c1")
        ear.refuses = lambda _: False
        await rememora.events.subscribe("mail", ear)
        await rememora.settle()

        assert [1, 3] == [event.position for event in ear.heard]

        clock.advance(1)
        await rememora.settle()

    assert [1, 3, 2] == [event.position for event in ear.heard]
    assert [1, 2, 1] == [ear.tries[event.id] for event in sorted(ear.heard, key=lambda event: event.position)]


async def test_a_slow_listener_keeps_its_lease(tmp_path: Path) -> None:
    """While it works, longer than a lease lasts, no other process tells it the same."""
    settings = Settings.load({"store.url": str(tmp_path), "events.lease_seconds": 3}, environ={})
    heard: list[str] = []

    async def slow(event: Event) -> None:
        heard.append(f"slow {event.position}")
        await asyncio.sleep(4)

    async def quick(event: Event) -> None:
        heard.append(f"quick {event.position}")

    async with (
        Rememora.open(settings=settings, background=False) as one,
        Rememora.open(settings=settings, background=False) as two,
    ):
        await one.events.subscribe("mail", slow)
        await two.events.subscribe("mail", quick)
        await happen(one, "c1")
        work = asyncio.create_task(one.settle())
        while not heard and not work.done():
            await asyncio.sleep(0.01)
        while not work.done():
            await two.settle()
            await asyncio.sleep(0.05)
        await happen(one, "c1")
        await two.settle()

    assert ["slow 1", "quick 2"] == heard


async def test_two_processes_relay_in_order(rememora: Rememora, other: Rememora, ear: Ear) -> None:
    """Both relay the same name at once, while events come: each conversation is heard in order, once."""
    await rememora.events.subscribe("mail", ear)
    await other.events.subscribe("mail", ear)
    for _ in range(6):
        await asyncio.gather(
            happen(rememora, "c1", "c2"), happen(other, "c1", "c3"), rememora.settle(), other.settle()
        )
    await rememora.settle()
    await other.settle()

    events = await rememora.tenant("acme", acting=ROOT).events.list()

    assert len(events) == len(ear.heard)
    for name in ("c1", "c2", "c3"):
        assert [event.position for event in events if event.conversation == name] == ear.of(name)


async def test_who_lost_the_lease_has_no_say(
    rememora: Rememora, other: Rememora, clock: SetClock, settings: Settings
) -> None:
    """A process that slept through its lease, while another went on, does not undo what the other recorded."""
    took_over = Ear()
    await other.events.subscribe("mail", took_over)

    async def sleepy(event: Event) -> None:
        clock.advance(settings.events.lease_seconds + 1)
        await other.settle()
        raise ConnectionError

    await rememora.events.subscribe("mail", sleepy)
    await happen(rememora, "c1")
    await rememora.settle()
    clock.advance(60)
    await other.settle()

    assert [1] == took_over.of("c1")
    assert 1 == sum(took_over.tries.values())


async def test_nothing_of_the_content_is_logged(
    rememora: Rememora, chat: Conversation, ear: Ear, caplog: pytest.LogCaptureFixture
) -> None:
    """A refusal is logged by its type: what a listener's error says may be what somebody said."""
    caplog.set_level(logging.DEBUG)
    ear.refuses = lambda _: True
    await rememora.events.subscribe("mail", ear)
    await chat.append("user", "o segredo da Ana")
    await chat.delete()
    await rememora.settle()

    assert "ConnectionError" in caplog.text
    assert "Ana" not in caplog.text
