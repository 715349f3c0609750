"""A tenant's last days: turns, searches, verdicts and acts, of this tenant alone, and what waited."""

from __future__ import annotations

from datetime import date

from tests.clock import SetClock

from rememora import Rememora, UserMemory
from rememora.domain.trend import carried

DAY = 86_400


async def test_what_happens_is_counted_by_day(rememora: Rememora, ana: UserMemory, clock: SetClock) -> None:
    """Yesterday's and today's turns stand apart; another tenant's are not among them."""
    await ana.conversation("c1").reply("Moro em Recife.")
    clock.advance(DAY)
    await ana.conversation("c1").reply("Guarda que o contador é o Paulo.")
    await ana.recall("Recife")
    await ana.recall("Paulo")
    await ana.memories.correct("user.location", "Olinda")
    await ana.forget("user.location")
    await rememora.user("bob", tenant="other").conversation("c1").reply("Moro em Natal.")
    trend = await rememora.tenant("acme", acting="test").quality.trend(days=3)

    assert ((0, 1, 1), (0, 0, 2)) == (trend.turns, trend.recalls)
    assert trend.turn_p95_ms[2] > 0
    assert (0, 1) == (trend.forgotten[1], trend.forgotten[2])
    assert trend.verdicts["save"][1] >= 1
    assert trend.corrected[2] >= 1
    assert ("identity" in dict(trend.categories), 3) == (True, len(trend.days))


async def test_counts_survive_a_restart(rememora: Rememora, other: Rememora, ana: UserMemory) -> None:
    """Written by the worker, read by another process."""
    await ana.conversation("c1").reply("Moro em Recife.")
    await rememora.settle()

    assert 1 == (await other.tenant("acme", acting="test").quality.trend(days=1)).turns[0]


async def test_use_of_the_plan_is_noted_by_day(rememora: Rememora, ana: UserMemory, clock: SetClock) -> None:
    """How much of a window was used by the end of each day, of this tenant alone; an idle day needs no note."""
    trends = rememora._parts.trends
    for said in (("um", "dois"), (), ("três",)):
        for item in said:
            await ana.conversation("c1").append("user", item)
        await trends.sample()
        clock.advance(DAY)
    await rememora.user("bob", tenant="other").conversation("c1").append("user", "quatro")
    await trends.sample()
    result = await rememora.tenant("acme", acting="test").quality.trend(days=4)

    assert (2, 0, 3, 0) == result.used["messages"]
    assert (2, 2, 3, 3) == carried(result.days, result.used["messages"], "month")
    assert (2, 0, 3, 0) == carried(result.days, result.used["messages"], "day")


def test_a_new_window_begins_with_nothing() -> None:
    """What the last month held is not carried into the next."""
    days = [date(2026, 10, 30), date(2026, 10, 31), date(2026, 11, 1), date(2026, 11, 2)]

    assert (7, 7, 0, 2) == carried(days, (7, 0, 0, 2), "month")


async def test_subscribers_and_deliveries_are_told(rememora: Rememora, ana: UserMemory) -> None:
    """How far each is with a tenant's events, what it gave up, and when it was last here."""

    def refuse(_: object) -> None:
        raise ConnectionError

    await rememora.events.subscribe("mail", refuse, from_start=True)
    await ana.remember("user.location", "Recife")
    await rememora.settle()
    (delivery,) = await rememora.tenant("acme", acting="test").events.deliveries()
    (subscriber,) = await rememora.operator(acting="test").subscribers()

    assert ("mail", 0, True) == (delivery.subscriber, delivery.behind, delivery.waiting > 0)
    assert ("mail", 0) == (subscriber.name, subscriber.missed)


async def test_a_mission_is_shown_without_what_it_is_about(rememora: Rememora, ana: UserMemory) -> None:
    """An overseer sees who works, not on what; stopped, it is failed, and asked for again nothing happens."""
    mission = await ana.missions.create("comparar salários da equipe")
    company = rememora.tenant("acme", acting="test")
    (view,) = await company.missions.list()

    assert ("ana", "intake", mission.id) == (view.user, view.layer, view.id)
    assert "salários" not in repr(view)
    assert [] == await rememora.tenant("other", acting="test").missions.list()
    assert (True, False) == (
        await company.missions.stop("ana", mission.id),
        await company.missions.stop("ana", mission.id),
    )
    assert [] == await company.missions.list()


async def test_requests_name_receipts_and_reasons(rememora: Rememora, ana: UserMemory) -> None:
    """Newest first: who was erased with which receipt, and who was looked at why."""
    await ana.remember("user.location", "Recife")
    company = rememora.tenant("acme", acting="bia")
    await company.memories.list("bob", reason="ticket 9")
    receipt = await ana.erase(person=True)
    erased, looked = await company.audit.requests()

    assert ("erase", receipt.id) == (erased.action, erased.after["receipt"])
    assert ("read", "bia", "bob", "ticket 9") == (looked.action, looked.actor, looked.owner, looked.why)
