"""The contract of messages that wait to be read, on every engine."""

from __future__ import annotations

from datetime import timedelta

from tests.clock import MIDDAY

from rememora.domain.receipt import ErasurePlan
from rememora.domain.scope import Scope
from rememora.ports.store import Store
from rememora.ports.unread import UnreadMessage

MINE = Scope("acme", "ana", "c1")
OTHERS = (Scope("acme", "bia", "c1"), Scope("zeta", "ana", "c1"), Scope("acme", "ana", "c2"))
LATER = MIDDAY + timedelta(minutes=5)
EVER = MIDDAY + timedelta(days=1)


async def note(store: Store, scope: Scope, *messages: str, minutes: int = 0) -> None:
    when = MIDDAY + timedelta(minutes=minutes)
    await store.write(scope, lambda work: work.unread.add(scope, messages, due_at=when))


async def waiting(store: Store) -> list[tuple[Scope, str]]:
    result = await store.chores(lambda chores: chores.unread(now=EVER, limit=99))
    return [(item.scope, item.message) for item in result]


async def test_a_message_is_noted_once_and_claimed_by_one(store: Store) -> None:
    """Noting again changes nothing; of two who saw it due, one gets it; it is due again when the lease ends."""
    await note(store, MINE, "m1")
    await note(store, MINE, "m1", minutes=5)
    seen = await store.chores(lambda chores: chores.unread(now=MIDDAY, limit=9))
    claims = [
        await store.write(MINE, lambda work: work.unread.claim(MINE, "m1", seen=MIDDAY, until=LATER))
        for _ in range(2)
    ]
    hidden = await store.chores(lambda chores: chores.unread(now=MIDDAY, limit=9))
    again = await store.chores(lambda chores: chores.unread(now=LATER, limit=9))

    assert [UnreadMessage(scope=MINE, message="m1", attempts=0, due_at=MIDDAY)] == seen
    assert ([True, False], []) == (claims, hidden)
    assert [UnreadMessage(scope=MINE, message="m1", attempts=1, due_at=LATER)] == again


async def test_only_who_still_holds_a_message_ends_or_postpones_it(store: Store) -> None:
    """A claim that another has taken over since moves nothing any more."""
    await note(store, MINE, "m1")
    await store.write(MINE, lambda work: work.unread.claim(MINE, "m1", seen=MIDDAY, until=LATER))
    late = [
        await store.write(MINE, lambda work: work.unread.postpone(MINE, "m1", claimed=MIDDAY, due_at=EVER)),
        await store.write(MINE, lambda work: work.unread.done(MINE, "m1", claimed=MIDDAY)),
    ]
    put_off = await store.write(MINE, lambda work: work.unread.postpone(MINE, "m1", claimed=LATER, due_at=EVER))
    done = await store.write(MINE, lambda work: work.unread.done(MINE, "m1", claimed=EVER))

    assert ([False, False], True, True) == (late, put_off, done)
    assert [] == await waiting(store)


async def test_the_longest_waiting_message_comes_first(store: Store) -> None:
    """Of all tenants in order of their time, no more than asked for."""
    scopes = [Scope(f"t{number}", "ana", "c1") for number in range(4)]
    for number, scope in enumerate(reversed(scopes)):
        await note(store, scope, "m1", minutes=number)
    due = await store.chores(lambda chores: chores.unread(now=MIDDAY + timedelta(minutes=2), limit=2))

    assert [scopes[3], scopes[2]] == [item.scope for item in due]


async def test_what_is_erased_waits_no_longer(store: Store) -> None:
    """A conversation takes its own along, a person all of theirs, with or without their history; others stay."""
    for scope in (MINE, *OTHERS):
        await note(store, scope, "m1")
    talk = ErasurePlan(conversation="c1", history=True)
    gone = await store.write(MINE, lambda work: work.unread.erase(MINE.person(), talk))
    kept = await store.write(MINE, lambda work: work.unread.erase(MINE.person(), ErasurePlan(memories=("k1",))))
    whole = await store.write(MINE, lambda work: work.unread.erase(MINE.person(), ErasurePlan(person=True)))

    assert (1, 0, 1) == (gone, kept, whole)
    assert {OTHERS[0], OTHERS[1]} == {scope for scope, _ in await waiting(store)}


async def test_a_person_s_messages_are_read_no_further(store: Store) -> None:
    """All of a user's, in every conversation, and nobody else's."""
    for scope in (MINE, *OTHERS):
        await note(store, scope, "m1", "m2")
    await store.write(MINE, lambda work: work.unread.remove(MINE))
    one = len(await waiting(store))
    await store.write(MINE, lambda work: work.unread.read_no_further(MINE.person()))

    assert (6, 4) == (one, len(await waiting(store)))
