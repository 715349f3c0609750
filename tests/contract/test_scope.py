"""Scope first: for each method of each repository, two owners with the same ids, and nothing crosses."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Any

from tests.contract.apart import apart, tenants_apart
from tests.contract.making import deleted, moment, parked, places, said, say, spoken, tell
from tests.looped import looped

from rememora.domain.event import Event
from rememora.domain.message import ConversationRecord, Message
from rememora.domain.receipt import ErasurePlan
from rememora.domain.scope import Scope
from rememora.domain.visibility import MessageVisibility
from rememora.ports.history import Conversations, Messages
from rememora.ports.outbox import DeliveryState, Outbox
from rememora.ports.store import Store, UnitOfWork

Reading = Callable[[UnitOfWork, Scope], list[Any]]
Writing = Callable[[UnitOfWork, Scope], object]

COMPOSED = unicodedata.normalize("NFC", "joão")
ALIKE = {
    "prefix": ("acme", "acme2"),
    "case": ("acme", "ACME"),
    "any-one": ("acme", "acm_"),
    "any-many": ("acme", "%"),
    "star": ("acme", "a*"),
    "dot": ("acme", "acm."),
    "space": ("acme", "acme "),
    "quote": ("acme", "acme' OR '1'='1"),
    "accent form": (COMPOSED, unicodedata.normalize("NFD", COMPOSED)),
}
USERS = {name: ALIKE[name] for name in ("prefix", "case", "any-many", "accent form")}
PAIRS = {f"tenant {key}": (Scope(one, "ana", "c1"), Scope(two, "ana", "c1")) for key, (one, two) in ALIKE.items()}
PAIRS |= {f"user {key}": (Scope("acme", one, "c1"), Scope("acme", two, "c1")) for key, (one, two) in USERS.items()}
PAIRS |= {
    "swapped": (Scope("acme", "ana", "c1"), Scope("ana", "acme", "c1")),
    "run together": (Scope("ab", "c", "d"), Scope("a", "bc", "d")),
}
CONVERSATIONS = {
    name: (Scope("acme", "ana", one), Scope("acme", "ana", two)) for name, (one, two) in USERS.items()
}

READINGS: dict[str, Reading] = {
    "conversations.get": lambda work, scope: (
        [conversation] if (conversation := work.conversations.get(scope)) else []
    ),
    "conversations.newest": lambda work, scope: list(work.conversations.newest(scope, limit=9, before=None)),
    "messages.with_ids": lambda work, scope: list(work.messages.with_ids(scope, ["m1", "m2"]).values()),
    "messages.newest": lambda work, scope: list(work.messages.newest(scope, limit=9)),
    "messages.after": lambda work, scope: list(work.messages.after(scope, limit=9, seq=0)),
    "messages.turns_after": lambda work, scope: list(work.messages.turns_after(scope, limit=9, seq=0)),
    "messages.turns": lambda work, scope: list(work.messages.turns(scope, limit=9)),
}
TEXTS: dict[str, Reading] = {
    "messages.texts": lambda work, scope: work.messages.texts(scope, _conversation_of(scope), limit=9),
}
WRITINGS: dict[str, Writing] = {
    "conversations.reserve": lambda work, scope: work.conversations.reserve(scope, places(1, at=moment(60))),
    "conversations.describe": lambda work, scope: work.conversations.describe(
        scope, channel="voice", metadata={"of": "mine"}, at=moment(60)
    ),
    "conversations.mark_cut": lambda work, scope: work.conversations.mark_cut(scope, before=0, cut=1),
    "conversations.mark_counted": lambda work, scope: work.conversations.mark_counted(scope, before=2, counted=1),
    "conversations.mark_folded": lambda work, scope: work.conversations.mark_folded(scope, folded=1),
    "conversations.remove": lambda work, scope: work.conversations.remove(scope),
    "messages.add": lambda work, scope: work.messages.add(scope, [said(scope, 3, content="mine")]),
    "messages.judge": lambda work, scope: work.messages.judge(scope, "m1", "secret", shown="[•••]"),
    "messages.hide": lambda work, scope: work.messages.hide(scope, "m1", "secret"),
    "conversations.hide": lambda work, scope: work.conversations.hide(scope, "order"),
    "messages.remove": lambda work, scope: work.messages.remove(scope),
    "conversations.erase": lambda work, scope: work.conversations.erase(scope, _conversation_of(scope)),
    "messages.erase": lambda work, scope: work.messages.erase(scope, _conversation_of(scope)),
}
TENANT_READINGS: dict[str, Reading] = {
    "outbox.page": lambda work, scope: list(work.outbox.page(scope, after=0, limit=9, types=None)),
    "outbox.newest": lambda work, scope: work.outbox.newest(scope, before=99, limit=9),
    "outbox.dead": lambda work, scope: [letter.event for letter in work.outbox.dead(scope, limit=9)],
}
COUNTED = (
    "messages.count_turns_after",
    "messages.edition",
    "messages.mark",
    "messages.unjudged",
    "conversations.unjudged",
    "conversations.renew",
    "conversations.count_no_further",
)
"""Proven beside the episodes: they answer with no rows to compare."""
TENANT_WRITINGS: dict[str, Writing] = {
    "outbox.add": lambda work, scope: tell(work, scope, 7),
    "outbox.add_all": lambda work, scope: work.outbox.add_all(scope, [deleted(scope), deleted(scope)]),
    "outbox.revive": lambda work, scope: work.outbox.revive(scope, subscriber=None, at=moment(60)),
    "outbox.erase": lambda work, scope: work.outbox.erase(scope, ErasurePlan(person=True)),
}
DELIVERIES: dict[str, Reading] = {"outbox.deliveries": lambda work, scope: work.outbox.deliveries(scope)}


def everything(work: UnitOfWork, scope: Scope) -> dict[str, list[Any]]:
    """All that a scope can see."""
    return {name: read(work, scope) for name, read in READINGS.items()}


@looped("name", READINGS)
@looped("pair", PAIRS.values(), ids=PAIRS, fresh=apart)
async def test_a_reading_sees_only_its_own(store: Store, pair: tuple[Scope, Scope], name: str) -> None:
    """Whatever stands under another owner's same ids is not there for me, before and after I have my own."""
    mine, theirs = pair
    await spoken(store, theirs, ["theirs"])

    before = await store.read(mine, lambda work: READINGS[name](work, mine))

    assert [] == before

    await store.write(mine, lambda work: say(work, mine, ["mine", "mine"]))
    result = await store.read(mine, lambda work: READINGS[name](work, mine))

    assert result
    assert {(mine.tenant, mine.user)} == {(item.tenant, item.user) for item in result}
    assert all(item.content == "mine" for item in result if isinstance(item, Message))
    assert all(item.messages == 2 for item in result if isinstance(item, ConversationRecord))


@looped("name", WRITINGS)
@looped("pair", PAIRS.values(), ids=PAIRS, fresh=apart)
async def test_a_writing_touches_only_its_own(store: Store, pair: tuple[Scope, Scope], name: str) -> None:
    """What I change under my ids leaves the same ids of another owner as they were."""
    mine, theirs = pair
    for scope in pair:
        await spoken(store, scope, [scope.tenant, scope.user])
    before = await store.read(theirs, lambda work: everything(work, theirs))
    mine_before = await store.read(mine, lambda work: everything(work, mine))

    await store.write(mine, lambda work: WRITINGS[name](work, mine))

    assert before == await store.read(theirs, lambda work: everything(work, theirs))
    assert mine_before != await store.read(mine, lambda work: everything(work, mine))


@looped("name", [*READINGS, *WRITINGS])
@looped("pair", CONVERSATIONS.values(), ids=CONVERSATIONS, fresh=apart)
async def test_conversations_of_one_user_are_apart(store: Store, pair: tuple[Scope, Scope], name: str) -> None:
    """Two conversations whose ids look alike share nothing but their user."""
    mine, theirs = pair
    await spoken(store, theirs, ["theirs"])
    before = await store.read(theirs, lambda work: work.messages.newest(theirs, limit=9))

    act = {**READINGS, **WRITINGS}[name]
    await store.write(mine, lambda work: act(work, mine))

    assert before == await store.read(theirs, lambda work: work.messages.newest(theirs, limit=9))
    record = await store.read(theirs, lambda work: work.conversations.get(theirs))

    assert record is not None
    assert 1 == record.messages


@looped("name", TENANT_READINGS)
@looped("pair", ALIKE.values(), ids=ALIKE, fresh=tenants_apart)
async def test_a_tenant_sees_only_its_own_events(store: Store, pair: tuple[str, str], name: str) -> None:
    """Events and dead letters of another tenant with the same users and positions are not there."""
    mine, theirs = Scope(pair[0], "ana", "c1"), Scope(pair[1], "ana", "c1")
    await _dead_letter(store, theirs)

    before = await store.read(mine, lambda work: TENANT_READINGS[name](work, mine))

    assert [] == before

    event = await _dead_letter(store, mine)
    result = await store.read(mine, lambda work: TENANT_READINGS[name](work, mine))

    assert [event] == result


@looped("pair", PAIRS.values(), ids=PAIRS, fresh=apart)
async def test_the_texts_of_an_erasure_are_its_own(store: Store, pair: tuple[Scope, Scope]) -> None:
    """What an erasure looks for in the files is what its own person said."""
    mine, theirs = pair
    await spoken(store, theirs, ["theirs"])
    await spoken(store, mine, ["mine"])

    assert ["mine"] == await store.read(mine, lambda work: TEXTS["messages.texts"](work, mine))


@looped("pair", PAIRS.values(), ids=PAIRS, fresh=apart)
async def test_erasing_events_spares_those_of_others(store: Store, pair: tuple[Scope, Scope]) -> None:
    """A person's queued events go, parked or not, and nobody else's."""
    mine, theirs = pair
    kept = await _dead_letter(store, theirs)
    await _dead_letter(store, mine)

    erased = await store.write(mine, lambda work: TENANT_WRITINGS["outbox.erase"](work, mine))

    assert 1 == erased
    assert [kept] == await store.read(theirs, lambda work: work.outbox.page(theirs, after=0, limit=9, types=None))
    assert [kept] == [
        item.event for item in await store.read(theirs, lambda work: work.outbox.dead(theirs, limit=9))
    ]


@looped("name", TENANT_WRITINGS)
@looped("pair", ALIKE.values(), ids=ALIKE, fresh=tenants_apart)
async def test_writing_events_leaves_those_of_others(store: Store, pair: tuple[str, str], name: str) -> None:
    """Told, tried again or erased: the same act of another tenant, with the same people, touches none of mine."""
    mine, theirs = Scope(pair[0], "ana", "c1"), Scope(pair[1], "ana", "c1")
    kept = await _dead_letter(store, theirs)
    await _dead_letter(store, mine)

    await store.write(mine, lambda work: TENANT_WRITINGS[name](work, mine))

    assert [kept] == await store.read(theirs, lambda work: TENANT_READINGS["outbox.page"](work, theirs))
    assert [kept] == await store.read(theirs, lambda work: TENANT_READINGS["outbox.dead"](work, theirs))


@looped("pair", ALIKE.values(), ids=ALIKE, fresh=tenants_apart)
async def test_positions_are_each_tenants_own(store: Store, pair: tuple[str, str]) -> None:
    """An event of one tenant takes no position of another, so that nobody can count a stranger's events."""
    mine, theirs = Scope(pair[0], "ana"), Scope(pair[1], "ana")
    events = [await _dead_letter(store, scope) for scope in (theirs, mine, theirs, mine)]

    assert [1, 1, 2, 2] == [event.position for event in events]


@looped("pair", ALIKE.values(), ids=ALIKE, fresh=tenants_apart)
async def test_deliveries_count_only_the_tenants_own_events(store: Store, pair: tuple[str, str]) -> None:
    """The same subscriber is at a place of its own with each tenant, whose letters alone are counted."""
    mine, theirs = Scope(pair[0], "ana", "c1"), Scope(pair[1], "ana", "c1")
    for _ in range(3):
        await _delivered(store, theirs)

    assert [] == await store.read(mine, lambda work: DELIVERIES["outbox.deliveries"](work, mine))

    await _delivered(store, mine)
    result = await store.read(mine, lambda work: DELIVERIES["outbox.deliveries"](work, mine))
    of_theirs = await store.read(theirs, lambda work: DELIVERIES["outbox.deliveries"](work, theirs))

    assert [DeliveryState(subscriber="mail", position=1, newest=1, waiting=0, dead=1)] == result
    assert [DeliveryState(subscriber="mail", position=3, newest=3, waiting=0, dead=3)] == of_theirs


async def test_a_noun_cannot_carry_a_write_elsewhere(store: Store) -> None:
    """The scope decides where a row goes, whatever the noun says of itself."""
    mine, theirs = Scope("acme", "ana", "c1"), Scope("zeta", "bia", "c9")
    await store.write(mine, lambda work: work.messages.add(mine, [said(theirs, 1)]))
    await store.write(mine, lambda work: work.messages.add(mine, [said(theirs, 2), said(theirs, 3)]))

    assert 3 == len(await store.read(mine, lambda work: work.messages.newest(mine, limit=9)))
    assert [] == await store.read(theirs, lambda work: work.messages.newest(theirs, limit=9))


async def test_a_user_scope_without_conversation_matches_no_message(store: Store) -> None:
    """An empty filter matches nothing, never everything."""
    inside, outside = Scope("acme", "ana", "c1"), Scope("acme", "ana")
    await store.write(inside, lambda work: say(work, inside, ["oi"]))

    removed = await store.write(
        outside, lambda work: (work.messages.remove(outside), work.conversations.remove(outside))
    )

    assert (0, 0) == removed
    assert [] == await store.read(outside, lambda work: work.messages.newest(outside, limit=9))


def test_every_repository_method_is_proven_here() -> None:
    """A method added to a port without a case above fails this test."""
    ports = {"conversations": Conversations, "messages": Messages, "outbox": Outbox}
    methods = {f"{port}.{name}" for port, kind in ports.items() for name in dir(kind) if not name.startswith("_")}

    proven = (READINGS, WRITINGS, TENANT_READINGS, TENANT_WRITINGS, COUNTED, TEXTS, DELIVERIES)

    assert methods == {name for names in proven for name in names}


@looped("pair", PAIRS.values(), ids=PAIRS, fresh=apart)
async def test_a_count_counts_only_its_own(store: Store, pair: tuple[Scope, Scope]) -> None:
    """However much stands under another owner's same ids, it is not counted for me."""
    mine, theirs = pair
    await spoken(store, theirs, ["theirs", "theirs"])
    await spoken(store, mine, ["mine"])

    everything = ErasurePlan(person=True, history=True)

    assert 1 == await store.read(mine, lambda work: work.messages.count_turns_after(mine, seq=0))
    assert 1 == (await store.read(mine, lambda work: work.messages.edition(mine))).messages
    assert ["mine"] == await store.read(mine, lambda work: work.messages.texts(mine, everything, limit=9))


@looped("pair", PAIRS.values(), ids=PAIRS, fresh=apart)
async def test_a_message_is_hidden_only_for_its_owner(store: Store, pair: tuple[Scope, Scope]) -> None:
    """Its mark and its conversation's change, and nobody else's of the same ids."""
    mine, theirs = pair
    for scope in pair:
        await spoken(store, scope, ["one", "two"])
    before = await store.read(theirs, lambda work: marks(work, theirs))

    def hide(work: UnitOfWork) -> None:
        work.messages.judge(mine, "m2", "unjudged")
        work.messages.hide(mine, "m2", "order")
        work.conversations.hide(mine, "unjudged")
        work.conversations.renew(mine)

    await store.write(mine, hide)
    result = await store.read(mine, lambda work: marks(work, mine))

    assert before == await store.read(theirs, lambda work: marks(work, theirs))
    assert [
        MessageVisibility(1, "user", None, None),
        MessageVisibility(2, "user", "unjudged", "order"),
        None,
    ] == result[0]
    assert (["two"], [mine.conversation]) == result[1:3]
    assert before[3] != result[3]


def marks(work: UnitOfWork, scope: Scope) -> tuple[Any, ...]:
    """How messages stand, what is still to be judged, and the edition."""
    person = Scope(scope.tenant, scope.user)
    return (
        [work.messages.mark(scope, id) for id in ("m1", "m2", "m3")],
        [item.content for item in work.messages.unjudged(scope, limit=9)],
        [item.id for item in work.conversations.unjudged(person, limit=9)],
        work.messages.edition(scope).stamp,
    )


def _conversation_of(scope: Scope) -> ErasurePlan:
    return ErasurePlan(conversation=scope.conversation, history=True)


async def _delivered(store: Store, scope: Scope) -> None:
    """An event that the subscriber is past, and was given up on."""
    event = await _dead_letter(store, scope)
    await store.relay(lambda view: view.advance("mail", tenant=scope.tenant, position=event.position))


async def _dead_letter(store: Store, scope: Scope) -> Event:
    event = await store.write(scope, lambda work: tell(work, scope))
    await store.relay(lambda view: view.park(parked(event, dead=True)))
    return event
