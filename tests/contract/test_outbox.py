"""What every store owes to the outbox: order, one relay at a time, parking, dead letters, cursors."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from tests.contract.making import ANA, moment, park, parked, subscribed, tell, told

from rememora.domain.scope import Scope
from rememora.ports.outbox import Relay, SubscriberState
from rememora.ports.store import Store, UnitOfWork

BIA = Scope("acme", "bia", "c1")
ZETA = Scope("zeta", "ana", "c1")
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


class Stop(Exception):
    """A unit of work that changes its mind."""


async def test_events_come_in_the_order_they_were_told(store: Store) -> None:
    """Positions rise by one within a tenant, across its users; a page begins after a position."""
    events = [*await told(store, ANA, 2), *await told(store, BIA), *await told(store, ANA)]

    assert [1, 2, 3, 4] == [event.position for event in events]
    assert events[1:3] == await store.read(ANA, lambda work: work.outbox.page(ANA, after=1, limit=2, types=None))


async def test_a_page_of_types_is_full_where_it_can_be(store: Store) -> None:
    """Filtering happens before counting: rarer types do not shorten a page."""
    events = await told(store, ANA, 5)
    [kind] = {event.type for event in events}

    page = await store.read(ANA, lambda work: work.outbox.page(ANA, after=0, limit=3, types=[kind]))
    others = await store.read(ANA, lambda work: work.outbox.page(ANA, after=0, limit=3, types=["other"]))
    none = await store.read(ANA, lambda work: work.outbox.page(ANA, after=0, limit=3, types=[]))

    assert (events[:3], [], []) == (page, others, none)


async def test_an_event_is_there_only_if_its_cause_is(store: Store) -> None:
    """A unit of work that fails tells nothing, and takes no position."""

    def half(work: UnitOfWork) -> None:
        tell(work, ANA)
        raise Stop

    with pytest.raises(Stop):
        await store.write(ANA, half)
    [event] = await told(store, ANA)

    assert 1 == event.position
    assert [event] == await store.read(ANA, lambda work: work.outbox.page(ANA, after=0, limit=9, types=None))


async def test_a_new_subscriber_hears_what_comes(store: Store) -> None:
    """What was told before is not news, unless it is asked for; other tenants that come later are heard."""
    before = await told(store, ANA, 2)
    await subscribed(store, "late", from_start=False)
    await subscribed(store, "all")
    after = [*await told(store, ANA), *await told(store, ZETA)]

    assert after == await store.relay(lambda view: view.unheard("late", limit=9))
    assert [*before, *after] == await store.relay(lambda view: view.unheard("all", limit=9))


async def test_a_name_remembers(store: Store) -> None:
    """Subscribing again under a name changes nothing: not from the start, not from now."""
    await subscribed(store, "mail")
    events = await told(store, ANA, 3)
    await store.relay(lambda view: view.advance("mail", tenant=ANA.tenant, position=1))
    await subscribed(store, "mail", from_start=True)
    await subscribed(store, "mail", from_start=False)

    assert events[1:] == await store.relay(lambda view: view.unheard("mail", limit=9))


async def test_cursors_are_each_subscribers_and_each_tenants(store: Store) -> None:
    """How far one has heard one tenant says nothing of another subscriber, or of another tenant."""
    await subscribed(store, "mail", "crm")
    mine, theirs = await told(store, ANA, 2), await told(store, ZETA, 2)
    await store.relay(lambda view: view.advance("mail", tenant=ANA.tenant, position=2))

    assert theirs == await store.relay(lambda view: view.unheard("mail", limit=9))
    assert [*mine, *theirs] == await store.relay(lambda view: view.unheard("crm", limit=9))


async def test_a_cursor_never_goes_back(store: Store) -> None:
    """A late word of a process that was slow undoes nothing."""
    await subscribed(store, "mail")
    events = await told(store, ANA, 3)
    await store.relay(lambda view: view.advance("mail", tenant=ANA.tenant, position=2))
    await store.relay(lambda view: view.advance("mail", tenant=ANA.tenant, position=1))

    assert events[2:] == await store.relay(lambda view: view.unheard("mail", limit=9))


async def test_one_relays_at_a_time(store: Store) -> None:
    """A lease is its owner's until it ends; the owner may renew it, and nobody else can give it back."""
    await subscribed(store, "mail")

    async def claim(owner: str, at: float) -> bool:
        return await store.relay(
            lambda view: view.claim("mail", owner=owner, now=moment(at), until=moment(at + 10))
        )

    assert [True, False, True, False] == [
        await claim("a", 0),
        await claim("b", 5),
        await claim("a", 9),
        await claim("b", 15),
    ]

    await store.relay(lambda view: view.release("mail", owner="b"))

    assert [False, True, False] == [await claim("b", 16), await claim("b", 20), await claim("a", 21)]

    await store.relay(lambda view: view.release("mail", owner="b"))

    assert await claim("a", 22)


async def test_a_lease_that_was_lost_cannot_be_renewed(store: Store) -> None:
    """Once another had it, it is gone, also after the other gave it back; its owner renews it however late."""
    await subscribed(store, "mail")

    def lose(view: Relay) -> list[bool]:
        first = view.claim("mail", owner="a", now=moment(0), until=moment(10))
        late = view.renew("mail", owner="a", until=moment(30))
        second = view.claim("mail", owner="b", now=moment(31), until=moment(41))
        lost = view.renew("mail", owner="a", until=moment(50))
        view.release("mail", owner="b")
        return [first, late, second, lost, view.renew("mail", owner="a", until=moment(50))]

    assert [True, True, True, False, False] == await store.relay(lose)


async def test_leases_of_two_subscribers_are_apart(store: Store) -> None:
    """Who holds one holds nothing of the other; a name nobody subscribed cannot be claimed."""
    await subscribed(store, "mail", "crm")

    def claim(view: Relay) -> list[bool]:
        names = ("mail", "crm", "nobody")
        return [view.claim(name, owner=name, now=moment(), until=moment(9)) for name in names]

    claims = await store.relay(claim)

    assert [True, True, False] == claims


async def test_only_the_oldest_of_a_stream_is_due(store: Store) -> None:
    """What is parked behind another event of its conversation waits for it, whatever its own time says."""
    first, second = await told(store, ANA, 2)
    [other] = await told(store, BIA)
    await park(store, parked(first, after=60), parked(second), parked(other))

    async def due(at: float) -> list[int]:
        result = await store.relay(lambda view: view.due("mail", now=moment(at), limit=9))
        return [letter.event.position for letter in result]

    assert ([], [other.position]) == (await due(-1), await due(0))
    assert [other.position, first.position] == await due(60)

    await store.relay(lambda view: view.unpark("mail", first))

    assert [second.position, other.position] == await due(60)


async def test_a_parked_event_keeps_its_story(store: Store) -> None:
    """Attempts, time and reason come back; parking again replaces them."""
    [event] = await told(store, ANA)
    await park(store, parked(event, attempts=1, after=1), parked(event, attempts=2, after=2))

    assert [parked(event, attempts=2, after=2)] == await store.relay(
        lambda view: view.due("mail", now=moment(9), limit=9)
    )
    assert {("acme", "ana", "c1")} == await store.relay(lambda view: view.parked_streams("mail"))


async def test_a_dead_letter_blocks_nobody(store: Store) -> None:
    """It leaves its stream free, is due no more, and can be found by its tenant, newest first."""
    first, second = await told(store, ANA, 2)
    await park(store, parked(first, dead=True))
    await park(store, parked(second))

    due = await store.relay(lambda view: view.due("mail", now=moment(9), limit=9))

    assert [second] == [letter.event for letter in due]

    await park(store, parked(second, dead=True))

    assert set() == await store.relay(lambda view: view.parked_streams("mail"))
    assert [second, first] == [
        letter.event for letter in await store.read(ANA, lambda work: work.outbox.dead(ANA, limit=9))
    ]


async def test_lag_counts_what_is_neither_taken_nor_dead(store: Store) -> None:
    """Unheard and parked events count; dead ones do not."""
    await subscribed(store, "mail")
    events = await told(store, ANA, 5)
    await store.relay(lambda view: view.advance("mail", tenant=ANA.tenant, position=3))
    await park(store, parked(events[0]))
    await park(store, parked(events[1], dead=True))

    assert 3 == await store.relay(lambda view: view.lag("mail"))


async def test_parking_is_each_subscribers_own(store: Store) -> None:
    """What one did not take says nothing of another."""
    [event] = await told(store, ANA)
    await park(store, parked(event, name="mail"))
    await store.relay(lambda view: view.unpark("crm", event))

    assert [] == await store.relay(lambda view: view.due("crm", now=moment(9), limit=9))
    assert set() == await store.relay(lambda view: view.parked_streams("crm"))
    assert 1 == len(await store.relay(lambda view: view.due("mail", now=moment(9), limit=9)))


async def test_a_rewind_brings_events_again(store: Store) -> None:
    """After a position of one tenant, parked and dead ones too; other tenants and subscribers stay as they are."""
    await subscribed(store, "mail", "crm")
    mine, _ = await told(store, ANA, 3), await told(store, ZETA, 1)

    def hear(view: Relay) -> None:
        for name in ("mail", "crm"):
            view.advance(name, tenant=ANA.tenant, position=3)
            view.advance(name, tenant=ZETA.tenant, position=1)

    await store.relay(hear)
    await park(store, parked(mine[0]), parked(mine[2], dead=True))

    assert await store.relay(lambda view: view.rewind("mail", tenant=ANA.tenant, position=1))
    assert mine[1:] == await store.relay(lambda view: view.unheard("mail", limit=9))
    assert [] == await store.relay(lambda view: view.unheard("crm", limit=9))
    assert [] == await store.read(ANA, lambda work: work.outbox.dead(ANA, limit=9))
    assert [mine[0]] == [item.event for item in await store.relay(lambda v: v.due("mail", now=moment(9), limit=9))]
    assert not await store.relay(lambda view: view.rewind("nobody", tenant=ANA.tenant, position=1))


async def test_a_rewind_takes_the_lease(store: Store) -> None:
    """Who was relaying cannot record any more: its word would undo the rewind."""
    await subscribed(store, "mail")

    def rewound(view: Relay) -> list[bool]:
        first = view.claim("mail", owner="a", now=moment(0), until=moment(10))
        view.rewind("mail", tenant=ANA.tenant, position=0)
        return [first, view.renew("mail", owner="a", until=moment(20))]

    assert [True, False] == await store.relay(rewound)


async def test_no_tenant_waits_for_the_flood_of_another(store: Store) -> None:
    """Whoever waits has an even share of each round, the longest waiting first, and its own order."""
    await subscribed(store, "mail")
    flood, drops = await told(store, ANA, 20), await told(store, ZETA, 2)
    offered = await store.relay(lambda view: view.unheard("mail", limit=6))
    alone = await store.relay(lambda view: view.unheard("mail", limit=1))

    assert drops == [event for event in offered if event.tenant == ZETA.tenant]
    assert flood[:3] == [event for event in offered if event.tenant == ANA.tenant]
    assert flood[:1] == alone


async def test_what_was_erased_leaves_no_gap_that_stops_the_rest(store: Store) -> None:
    """Positions that are gone are passed over."""
    await subscribed(store, "mail")
    events = await told(store, ANA, 5)
    await store.relay(lambda view: view.prune([(ANA.tenant, position) for position in (1, 2, 4)], away=LONG_AGO))

    assert [events[2], events[4]] == await store.relay(lambda view: view.unheard("mail", limit=9))


async def test_only_what_everybody_has_taken_is_outlived(store: Store) -> None:
    """Not what is newer, not what one subscriber has yet to hear, not what is parked or dead."""
    await subscribed(store, "mail", "crm")
    events = await told(store, ANA, 4)
    await told(store, ZETA, 1)
    await park(store, parked(events[0]), parked(events[1], name="crm", dead=True))

    def hear(view: Relay) -> None:
        view.advance("mail", tenant=ANA.tenant, position=4)
        view.advance("crm", tenant=ANA.tenant, position=3)
        view.advance("crm", tenant=ZETA.tenant, position=1)

    await store.relay(hear)

    assert [(ANA.tenant, 3)] == await store.relay(
        lambda view: view.delivered_before(before=moment(1), away=LONG_AGO, limit=9)
    )
    assert [] == await store.relay(lambda view: view.delivered_before(before=moment(0), away=LONG_AGO, limit=9))


async def test_whoever_stays_away_holds_nothing_up_and_is_told(store: Store) -> None:
    """What only absent subscribers have yet to take goes, parked or not; each is told how much it missed."""
    await subscribed(store, "mail", "gone")
    events = await told(store, ANA, 3)
    await park(store, parked(events[0], name="gone", dead=True))

    def hear(view: Relay) -> None:
        view.see("mail", at=moment(5))
        view.advance("mail", tenant=ANA.tenant, position=3)
        view.advance("gone", tenant=ANA.tenant, position=2)

    await store.relay(hear)
    away = moment(4)
    places = await store.relay(lambda view: view.delivered_before(before=moment(1), away=away, limit=9))
    pruned = await store.relay(lambda view: view.prune(places, away=away))
    local, gone = await store.relay(lambda view: (view.standing("mail"), view.standing("gone")))
    await store.relay(lambda view: view.see("gone", at=moment(9)))
    back = await store.relay(lambda view: view.standing("gone"))

    assert ([(ANA.tenant, 1), (ANA.tenant, 2), (ANA.tenant, 3)], 3) == (sorted(places), pruned)
    assert (SubscriberState(seen_at=moment(5), missed=0), SubscriberState(seen_at=moment(0), missed=2)) == (
        local,
        gone,
    )
    assert SubscriberState(seen_at=moment(9), missed=0) == back
    assert [] == await store.read(ANA, lambda work: work.outbox.dead(ANA, limit=9))
    assert await store.relay(lambda view: view.standing("nobody")) is None


async def test_the_dead_are_due_again_when_asked_for(store: Store) -> None:
    """Of one subscriber or of all, of that tenant alone, with every try before them."""
    await subscribed(store, "mail", "crm")
    [mine], [theirs] = await told(store, ANA, 1), await told(store, ZETA, 1)
    letters = (parked(mine, dead=True), parked(mine, name="crm", dead=True), parked(theirs, dead=True))
    await park(store, *letters)
    nobody = await store.write(ANA, lambda work: work.outbox.revive(ANA, subscriber="other", at=moment(1)))
    one = await store.write(ANA, lambda work: work.outbox.revive(ANA, subscriber="crm", at=moment(1)))
    rest = await store.write(ANA, lambda work: work.outbox.revive(ANA, subscriber=None, at=moment(1)))
    due = await store.relay(lambda view: view.due("mail", now=moment(2), limit=9))

    assert (0, 1, 1) == (nobody, one, rest)
    assert [(mine, 0, False)] == [(item.event, item.attempts, item.dead) for item in due]
    assert 1 == len(await store.read(ZETA, lambda work: work.outbox.dead(ZETA, limit=9)))
