"""The contract of summaries, episodes and chores, on every engine; scope first."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

import msgspec
import pytest
from tests.clock import MIDDAY

from rememora.domain.episode import Episode, Summary
from rememora.domain.message import ConversationRecord
from rememora.domain.scope import Scope
from rememora.ports.history import ReservedPlaces
from rememora.ports.store import Store, UnitOfWork

MINE = Scope("acme", "ana", "c1")
OTHERS = {
    "tenant": Scope("acme2", "ana", "c1"),
    "user": Scope("acme", "ANA", "c1"),
    "conversation": Scope("acme", "ana", "c2"),
    "swapped": Scope("ana", "acme", "c1"),
}
LATER = MIDDAY + timedelta(hours=1)


def summary_of(scope: Scope, *, last_seq: int = 5, text: str = "texto") -> Summary:
    return Summary(
        tenant=scope.tenant,
        user=scope.user,
        conversation=scope.conversation or "",
        text=text,
        tokens=1,
        covered=last_seq,
        last_seq=last_seq,
        created_at=MIDDAY,
        updated_at=MIDDAY,
    )


def episode_of(scope: Scope, turns: int = 10, *, id: str | None = None) -> Episode:
    return Episode(
        tenant=scope.tenant,
        user=scope.user,
        conversation=scope.conversation or "",
        id=id or f"{scope.conversation}-{turns}",
        turns=turns,
        first_seq=turns - 9,
        last_seq=turns,
        title="título",
        summary="resumo",
        created_at=MIDDAY + timedelta(seconds=turns),
    )


async def add_episode(store: Store, episode: Episode) -> None:
    scope = MINE.within(episode.conversation)
    await store.write(scope, lambda work: work.episodes.add(scope, episode))


async def add_fold(store: Store, scope: Scope, *, minutes: int) -> None:
    when = MIDDAY + timedelta(minutes=minutes)
    await store.write(scope, lambda work: work.chores.add(scope, "fold", due_at=when))


def fill(work: UnitOfWork, scope: Scope) -> None:
    """One of each."""
    work.conversations.reserve(
        scope, ReservedPlaces(messages=9, turns=9, first=MIDDAY, last=MIDDAY, channel="chat")
    )
    work.summaries.replace(scope, summary_of(scope), after_seq=0)
    work.episodes.add(scope, episode_of(scope))
    work.chores.add(scope, "fold", due_at=MIDDAY)
    work.chores.add(scope, "episode", due_at=MIDDAY)


def seen(work: UnitOfWork, scope: Scope) -> tuple[object, ...]:
    return work.summaries.get(scope), work.episodes.newest(scope, limit=9), work.conversations.get(scope)


@pytest.mark.parametrize("theirs", OTHERS.values(), ids=OTHERS)
async def test_nothing_crosses(store: Store, theirs: Scope) -> None:
    """Every reading and every writing of one owner leaves the same ids of another as they were."""
    await store.write(theirs, lambda work: fill(work, theirs))
    before = await store.read(theirs, lambda work: seen(work, theirs))

    assert (None, [], None) == await store.read(MINE, lambda work: seen(work, MINE))

    def change(work: UnitOfWork) -> None:
        fill(work, MINE)
        work.summaries.replace(MINE, summary_of(MINE, last_seq=7), after_seq=5)
        work.episodes.add(MINE, episode_of(MINE, 20))
        work.conversations.mark_folded(MINE, folded=7)
        work.conversations.mark_cut(MINE, before=0, cut=20)
        work.conversations.mark_counted(MINE, before=9, counted=8)
        work.chores.claim(MINE, "fold", seen=MIDDAY, until=LATER)
        work.chores.postpone(MINE, "fold", due_at=LATER)
        work.chores.renew(MINE, "fold", due_at=LATER)
        work.chores.done(MINE, "fold")
        work.chores.remove(MINE)
        work.summaries.remove(MINE)
        work.episodes.remove(MINE)

    await store.write(MINE, change)
    due = await store.chores(lambda chores: chores.due("fold", now=MIDDAY, limit=9))

    assert before == await store.read(theirs, lambda work: seen(work, theirs))
    assert [theirs] == [chore.scope for chore in due]


async def test_a_scope_without_conversation_removes_nothing(store: Store) -> None:
    """An empty filter matches nothing, never everything; only the list of episodes spans the user's own."""
    outside = Scope("acme", "ana")
    await store.write(MINE, lambda work: fill(work, MINE))

    removed = await store.write(
        outside,
        lambda work: (work.summaries.remove(outside), work.episodes.remove(outside), work.chores.remove(outside)),
    )

    assert (0, 0, 0) == removed
    assert [episode_of(MINE)] == await store.read(outside, lambda work: work.episodes.newest(outside, limit=9))


async def test_a_summary_is_replaced_only_from_where_it_ended(store: Store) -> None:
    """Compare and set: the first writer wins, the second is told so, and one summary is there."""
    first, second = summary_of(MINE, text="um"), summary_of(MINE, last_seq=9, text="dois")
    outcomes = [
        await store.write(MINE, lambda work: work.summaries.replace(MINE, first, after_seq=0)),
        await store.write(MINE, lambda work: work.summaries.replace(MINE, second, after_seq=0)),
        await store.write(MINE, lambda work: work.summaries.replace(MINE, second, after_seq=4)),
        await store.write(MINE, lambda work: work.summaries.replace(MINE, second, after_seq=5)),
    ]

    assert [True, False, False, True] == outcomes
    assert second == await store.read(MINE, lambda work: work.summaries.get(MINE))


async def test_a_turn_count_has_one_episode(store: Store) -> None:
    """A second episode for a turn count is not stored, and the first stays."""
    one, two = episode_of(MINE, id="one"), episode_of(MINE, id="two")
    outcomes = await store.write(MINE, lambda work: (work.episodes.add(MINE, one), work.episodes.add(MINE, two)))

    assert (True, False) == outcomes
    assert [one] == await store.read(MINE, lambda work: work.episodes.newest(MINE, limit=9))


async def test_an_untold_episode_is_told_once(store: Store) -> None:
    """Compare and set: the first telling stays, and what was told from the start is not told again."""
    scope = MINE
    plain = msgspec.structs.replace(episode_of(MINE, 10), summary="")
    other = msgspec.structs.replace(plain, id="another")
    first, second = episode_of(MINE, 10), msgspec.structs.replace(plain, summary="tarde demais")
    await store.write(scope, lambda work: work.episodes.add(scope, plain, summarised=False))
    await store.write(scope, lambda work: work.episodes.add(scope, episode_of(MINE, 20)))
    waiting = await store.chores(lambda chores: chores.untold(limit=9))
    outcomes = [
        await store.write(scope, partial(_tell_as, scope=scope, episode=item))
        for item in (other, first, second, episode_of(MINE, 20))
    ]

    assert [plain] == waiting
    assert [False, True, False, False] == outcomes
    assert [] == await store.chores(lambda chores: chores.untold(limit=9))
    assert [episode_of(MINE, 20), first] == await store.read(
        scope, lambda work: work.episodes.newest(scope, limit=9)
    )


async def test_the_longest_waiting_episode_is_told_first(store: Store) -> None:
    """Of all tenants, in order of their time, and none that another tells."""
    scopes = [Scope(f"t{number}", "ana", "c1") for number in range(4)]
    waiting = [episode_of(scope, 10 * turns) for turns, scope in enumerate(reversed(scopes), 1)]
    for episode in waiting:
        scope = Scope(episode.tenant, episode.user, episode.conversation)
        await store.write(scope, partial(_add_untold, scope=scope, episode=episode))

    assert waiting[:3] == await store.chores(lambda chores: chores.untold(limit=3))
    assert [False] * 3 == [
        await store.write(MINE, partial(_tell_as, scope=MINE, episode=episode)) for episode in waiting[:3]
    ]


def _add_untold(work: UnitOfWork, *, scope: Scope, episode: Episode) -> None:
    work.episodes.add(scope, episode, summarised=False)


def _tell_as(work: UnitOfWork, *, scope: Scope, episode: Episode) -> bool:
    return work.episodes.tell(scope, episode)


async def test_episodes_are_listed_newest_first(store: Store) -> None:
    """By turn count in a conversation, by time over all of the user's, and no more than asked for."""
    other = MINE.within("c2")
    stored = [episode_of(MINE, 10), episode_of(other, 20), episode_of(MINE, 30)]
    for item in stored:
        await add_episode(store, item)
    outside = Scope("acme", "ana")

    assert stored[::-1] == await store.read(outside, lambda work: work.episodes.newest(outside, limit=9))
    assert [stored[2], stored[0]] == await store.read(MINE, lambda work: work.episodes.newest(MINE, limit=9))
    assert [stored[2]] == await store.read(MINE, lambda work: work.episodes.newest(MINE, limit=1))


async def test_the_cut_moves_only_from_where_it_was_seen(store: Store) -> None:
    """Two writers that saw the same cut: one moves it."""
    await store.write(MINE, lambda work: fill(work, MINE))
    outcomes = [
        await store.write(MINE, lambda work: work.conversations.mark_cut(MINE, before=0, cut=10)) for _ in range(2)
    ]

    assert [True, False] == outcomes


async def test_the_counted_mark_moves_with_what_needs_no_counting(store: Store) -> None:
    """It stays before the first answer that is unread, moves only from where it was seen, and then goes along."""

    def take(work: UnitOfWork, *, unread: bool) -> int:
        places = ReservedPlaces(messages=2, turns=2, first=MIDDAY, last=MIDDAY, channel="chat", unread=unread)
        return work.conversations.reserve(MINE, places).counted

    marks = [await store.write(MINE, partial(take, unread=unread)) for unread in (False, True, False)]
    moved = [
        await store.write(MINE, lambda work: work.conversations.mark_counted(MINE, before=2, counted=6))
        for _ in range(2)
    ]
    marks += [await store.write(MINE, partial(take, unread=unread)) for unread in (False, True)]
    await store.write(MINE, lambda work: work.conversations.count_no_further(MINE))
    record = await store.read(MINE, lambda work: work.conversations.get(MINE))

    assert ([2, 2, 2, 8, 8], [True, False]) == (marks, moved)
    assert record is not None
    assert 10 == record.counted == record.messages


@pytest.mark.parametrize("theirs", [OTHERS["tenant"], OTHERS["user"], OTHERS["swapped"]])
async def test_one_user_is_counted_no_further_alone(store: Store, theirs: Scope) -> None:
    """All the conversations of the one, none of another."""
    unread = ReservedPlaces(messages=2, turns=2, first=MIDDAY, last=MIDDAY, channel="chat", unread=True)
    scopes = (MINE, OTHERS["conversation"], theirs)
    for scope in scopes:
        await store.write(scope, partial(_reserve, scope=scope, places=unread))
    await store.write(MINE, lambda work: work.conversations.count_no_further(MINE))
    marks = [(await store.read(scope, partial(_record, scope=scope))).counted for scope in scopes]

    assert [2, 2, 0] == marks


def _reserve(work: UnitOfWork, *, scope: Scope, places: ReservedPlaces) -> None:
    work.conversations.reserve(scope, places)


def _record(work: UnitOfWork, *, scope: Scope) -> ConversationRecord:
    conversation = work.conversations.get(scope)
    assert conversation is not None
    return conversation


async def test_a_chore_is_noted_once_and_claimed_by_one(store: Store) -> None:
    """Noting again changes nothing; of two who saw it due, one gets it; it is due again when the lease ends."""
    await store.write(MINE, lambda work: work.chores.add(MINE, "fold", due_at=MIDDAY))
    await store.write(MINE, lambda work: work.chores.add(MINE, "fold", due_at=LATER))
    (chore,) = await store.chores(lambda chores: chores.due("fold", now=MIDDAY, limit=9))
    claims = [
        await store.write(MINE, lambda work: work.chores.claim(MINE, "fold", seen=MIDDAY, until=LATER))
        for _ in range(2)
    ]
    hidden = await store.chores(lambda chores: chores.due("fold", now=MIDDAY, limit=9))
    (again,) = await store.chores(lambda chores: chores.due("fold", now=LATER, limit=9))

    assert (MINE, "fold", 0, MIDDAY) == (chore.scope, chore.kind, chore.attempts, chore.due_at)
    assert ([True, False], []) == (claims, hidden)
    assert msgspec.structs.replace(chore, attempts=1, due_at=LATER) == again


async def test_the_longest_waiting_chore_comes_first(store: Store) -> None:
    """Due chores of all tenants in order of their time, of the kind asked for."""
    scopes = [Scope(f"t{number}", "ana", "c1") for number in range(4)]
    for number, scope in enumerate(reversed(scopes)):
        await add_fold(store, scope, minutes=number)
    await store.write(MINE, lambda work: work.chores.add(MINE, "episode", due_at=MIDDAY))

    due = await store.chores(lambda chores: chores.due("fold", now=MIDDAY + timedelta(minutes=2), limit=2))

    assert [scopes[3], scopes[2]] == [chore.scope for chore in due]
