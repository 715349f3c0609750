"""The edition of a conversation: the same only while its messages are the same."""

from __future__ import annotations

from functools import partial

from tests.contract.making import ANA, said, say, spoken

from rememora.domain.receipt import ErasurePlan
from rememora.domain.scope import Scope
from rememora.domain.window import Edition
from rememora.ports.store import Store, UnitOfWork


async def edition(store: Store, scope: Scope = ANA) -> Edition:
    return await store.read(scope, lambda work: work.messages.edition(scope))


async def begin(store: Store) -> None:
    """One indexed message under the same id as always."""

    def work(unit: UnitOfWork) -> None:
        say(unit, ANA, ["oi"])
        unit.index.put_messages(ANA, [said(ANA, 1)])

    await store.write(ANA, work)


async def test_reading_changes_nothing_and_writing_does(store: Store) -> None:
    """An edition stands until a message is added, to this conversation and to no other."""
    empty = await edition(store)
    await spoken(store, ANA, ["um"])
    one = await edition(store)
    await spoken(store, ANA.within("c2"), ["elsewhere"])
    same = await edition(store)
    await spoken(store, ANA, ["dois"])
    two = await edition(store)

    assert one == same
    assert (0, 1, 2) == (empty.messages, one.messages, two.messages)
    assert (0, one.stamp) == (one.before, two.before)
    assert 3 == len({empty.stamp, one.stamp, two.stamp})


async def test_another_life_is_another_edition(store: Store) -> None:
    """Deleted or erased and begun again with the same message, it is not what it was, however often."""
    seen = []
    for round in range(4):
        await begin(store)
        seen.append(await edition(store))
        await store.write(ANA, partial(end, person=bool(round % 2)))

    assert [1] * 4 == [item.messages for item in seen]
    assert 4 == len({item.stamp for item in seen})
    assert [0] * 4 == [item.before for item in seen]


async def test_a_state_without_a_stamp_is_like_no_other(store: Store) -> None:
    """A conversation that is not there, or one from before stamps, is the same as nothing, itself included."""
    nothing = await edition(store)

    assert not nothing.is_of(nothing)


def end(work: UnitOfWork, person: bool) -> None:
    """What deletion of a conversation does, and what erasure of a person does."""
    plan = ErasurePlan(person=person, conversation=None if person else ANA.conversation, history=True)
    for holder in (work.index, work.messages, work.conversations):
        holder.erase(ANA, plan)
