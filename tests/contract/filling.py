"""One of everything that a tenant can have, under ids that another has too; what it says names its tenant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from tests.clock import MIDDAY
from tests.contract.knowing import attempt, entity, held, known, link, proposal
from tests.contract.making import RUN, moment, parked, places, said, say
from tests.contract.test_documents import document_of
from tests.contract.test_episodes import episode_of, summary_of
from tests.contract.test_tasks import asked

from rememora.adapters.sql.journal import Journal
from rememora.adapters.sql.outbox import SqlRelay
from rememora.adapters.sql.tenancy import SqlAccounts
from rememora.domain.event import Event
from rememora.domain.hit import ItemKey
from rememora.domain.login import Invitation, Login, LoginSession
from rememora.domain.mission import Mission
from rememora.domain.mission_intake import Intake, Orchestrator
from rememora.domain.scope import Scope
from rememora.domain.tenancy import ApiKey, Plan, TenantAccount
from rememora.domain.trend import DayFigure
from rememora.domain.visibility import MemorySource
from rememora.ports.index import Embedded
from rememora.ports.knowledge import ActivePeriod
from rememora.ports.tenancy import IdempotentAnswer

if TYPE_CHECKING:
    from tests.contract.two_tenants import TenantSide

KEYS = (
    ItemKey("message", "m1", "c1"),
    ItemKey("memory", "k1"),
    ItemKey("entity", "e1"),
    ItemKey("summary", "c1", "c1"),
    ItemKey("episode", "ep1", "c1"),
)
FIRST = "acme"
FAR_ON = 50_000
"""A place in a chain, later than the newest entries that a reading of another chain looks at."""


def fill(side: TenantSide) -> None:
    """Everything of one tenant; what must differ for a leak to show differs between the first and the other."""
    for fill_in in (
        _history,
        _knowledge,
        _documents,
        _index,
        _events,
        _tasks,
        _tenancy,
        _logins,
        _trends,
        _agents,
        _missions,
    ):
        fill_in(side)


def _history(side: TenantSide) -> None:
    work, scope = side.work, side.scope
    for item in (scope, scope.within("c2")):
        say(work, item, [f"um {scope.tenant}", f"dois {scope.tenant}"])
        work.summaries.replace(item, summary_of(item, text=f"resumo {scope.tenant}"), after_seq=0)
        work.conversations.describe(item, channel=None, metadata={"of": scope.tenant}, at=moment())
        work.chores.add(item, "fold", due_at=moment())
        work.unread.add(item, ["m1", "m2"], due_at=moment())
    work.conversations.reserve(Scope(scope.tenant, f"only at {scope.tenant}", "c1"), places(1))
    work.conversations.reserve(scope.within("c3"), msgspec.structs.replace(places(2), unread=True))
    if scope.tenant != FIRST:
        say(work, scope.within("c2"), ["três"])
    last = work.conversations.reserve(scope, places(1)).messages
    work.messages.add(scope, [said(scope, last, content="três", id=f"last of {scope.tenant}")])
    work.messages.judge(scope, f"last of {scope.tenant}", "unjudged")
    if scope.tenant == FIRST:
        work.messages.hide(scope.within("c2"), "m1", "forgotten")
        work.conversations.hide(scope.within("c3"), "unjudged")
        work.messages.add(scope.within("c9"), [said(scope.within("c9"), 1, content="só", id="stray")])
    else:
        work.conversations.reserve(scope.within("c9"), places(1))
    first = msgspec.structs.replace(episode_of(scope, 10, id="ep1"), title=f"título {scope.tenant}")
    work.episodes.add(scope, first)
    work.episodes.add(scope, episode_of(scope, 20, id="ep2"), summarised=False)
    if scope.tenant == FIRST:
        waits = msgspec.structs.replace(episode_of(scope, 40, id="ep4"), hidden="withheld")
        work.episodes.add(scope, waits, summarised=False)
    _sources(side)


def _sources(side: TenantSide) -> None:
    work, scope = side.work, side.scope
    first = scope.tenant == FIRST
    conversation, message = ("c1", "m1") if first else ("c2", "m2")
    places = [("k1", "c1", "m1"), ("k1", conversation, message), ("k2", "c1", "m2" if first else "m1")]
    for memory, place, id in places:
        link = MemorySource(user=scope.user, memory=memory, conversation=place, message=id, hidden=None)
        work.sources.add(scope, msgspec.structs.replace(link, hidden="forgotten" if first else None))
    for key in ("Sol", "Gone") if first else ("Sol", "Mar"):
        work.sources.add_mention(scope.within("c2"), key, "m1")
        work.sources.add_mention(scope, key, "m1")


def _knowledge(side: TenantSide) -> None:
    work, scope = side.work, side.scope
    silent = msgspec.structs.replace(
        known(scope, id="k2", key="user.role_title"),
        status="deleted" if scope.tenant == FIRST else "active",
        source_ref="m1",
    )
    replaced = msgspec.structs.replace(
        known(scope, id="k4", key="user.role_title"),
        status="deprecated",
        source="explicit_user",
        source_ref="m1" if scope.tenant == FIRST else "m2",
    )
    # Each tenant's own take the place of k1 and rest on it.
    follower = msgspec.structs.replace(
        known(scope, id=f"k6 {scope.tenant}", key="user.rent"), supersedes="k1", doubted_by="k1", doubted_at=MIDDAY
    )
    shared = known(scope, id="k3", key="tenant.name", shared=True)
    succeeds = {"supersedes": f"whole of {scope.tenant}", "follows": f"part of {scope.tenant}"}
    successor = msgspec.structs.replace(known(scope, id="k7", key="user.floor"), status="deleted", **succeeds)
    for memory in (known(scope), silent, shared, replaced, follower, successor):
        work.memories.add(scope, msgspec.structs.replace(memory, value=f"valor {scope.tenant}"))
    ended = moment(20 if scope.tenant == FIRST else 2)
    past = msgspec.structs.replace(known(scope, id="k5", key="user.zone"), status="deleted", source_ref=None)
    work.memories.add(scope, past, spans=[ActivePeriod(since=MIDDAY, until=ended)])
    audited = ["k1", "k3"] if scope.tenant == FIRST else ["k1", "k2", "k3"]
    for memory_id in audited:
        position, _ = work.audit.follow(scope)
        work.audit.add(scope, link(scope, position, memory=memory_id), signature=scope.tenant.encode())
    _requests(side, 9 if scope.tenant == FIRST else FAR_ON)
    work.attempts.add(scope, msgspec.structs.replace(attempt(scope, "a1"), key="user.name"))
    work.proposals.add(scope, msgspec.structs.replace(proposal(scope, "p1"), value=scope.tenant))
    wished = {"wish": {"key": "user.name", "of": scope.tenant}, "conversation": "c1"}
    work.quarantine.add(scope, msgspec.structs.replace(held(scope, "q1"), **wished))
    for id, key, mentions in (("e1", "Sol", 1), ("e2", "Mar", 2), ("e3", "Lua", 3)):
        made = msgspec.structs.replace(entity(scope, id, key=key), mentions=mentions, conversation="c1")
        work.entities.add(scope, msgspec.structs.replace(made, value=f"de {scope.tenant}"))
    work.entities.add(scope, msgspec.structs.replace(entity(scope, "e4", key="Foz"), forgotten=True))
    if scope.tenant == FIRST:
        work.entities.hide(scope, "e2", judged="order", hidden=None)
    else:
        work.entities.add(scope, entity(scope, "e5", key="Gone"))


def _requests(side: TenantSide, last: int) -> None:
    """An erasure and a look at the end of a chain; one tenant's chain is so long that the other's is not near."""
    for position, action in ((last - 1, "erase"), (last, "read")):
        entry = msgspec.structs.replace(
            link(side.scope, position, memory=""), action=action, why=side.scope.tenant
        )
        side.work.audit.add(side.scope, entry, signature=side.scope.tenant.encode())


def _documents(side: TenantSide) -> None:
    work, scope = side.work, side.scope
    for key in ("k1", "k2"):
        work.documents.add(scope, document_of(scope, key, expires=moment(5)))
    if scope.tenant != FIRST:
        work.documents.add(scope, document_of(scope, "k3"))


def _index(side: TenantSide) -> None:
    work, scope = side.work, side.scope
    waits, gone, again = (
        ItemKey("message", id, place) for id, place in (("m2", "c1"), ("m1", "c2"), ("m2", "c2"))
    )
    _marked(side)
    work.index.put(scope, [*KEYS, waits, gone, again])
    if scope.tenant == FIRST:
        work.index.put(scope, [ItemKey("entity", "e0"), *KEYS])
    waiting = [item for item in work.index.waiting(scope, limit=99) if item.key in KEYS]
    vector = scope.tenant.encode()
    made = [Embedded(key=item.key, number=item.number, vector=vector) for item in waiting]
    work.index.embed(scope, made, run=RUN)
    work.index.drop(scope, [gone])
    if scope.tenant != FIRST:
        # Until it waits under a number that the first tenant has for an item that does not.
        for _ in range(3):
            work.index.put(scope, [again])


def _marked(side: TenantSide) -> None:
    """Four changes; the first tenant's leave the marks of an erasure and of a conversation that is gone."""
    work, scope, item = side.work, side.scope, ItemKey("message", "m0", "c1")
    for act in (work.index.clear, work.index.drop_conversation):
        work.index.put(scope, [item])
        if scope.tenant == FIRST:
            act(scope)
        else:
            work.index.put(scope, [item])


def told(scope: Scope, id: str) -> Event:
    """An event of a scope, under an id of its own."""
    return Event(
        id=id,
        type="conversation.deleted",
        tenant=scope.tenant,
        user=scope.user,
        conversation=scope.conversation,
        occurred_at=MIDDAY,
        payload={"messages": 1, "of": scope.tenant},
    )


def _events(side: TenantSide) -> None:
    for number in (1, 2):
        event = side.work.outbox.add(side.scope, told(side.scope, f"ev{number}"))
        SqlRelay(side.transaction).park(parked(event, dead=number == 1))
    SqlRelay(side.transaction).advance("mail", tenant=side.scope.tenant, position=1)
    if side.scope.tenant == FIRST:
        # So that the newest position of one tenant is not that of the other.
        side.work.outbox.add(side.scope, told(side.scope, "ev3"))


def _tasks(side: TenantSide) -> None:
    work, scope = side.work, side.scope
    for id, key in (("t1", "k1"), ("t2", None)):
        work.tasks.add(scope, msgspec.structs.replace(asked(scope, id, key=key), payload={"of": scope.tenant}))
    work.tasks.claim(scope, asked(scope, "t1"), owner="w1", until=moment(10))
    work.tasks.hide(scope, "t1" if scope.tenant == FIRST else "t2", "unjudged")


def api_key(tenant: str) -> ApiKey:
    """A key; its id is unlike any other tenant's."""
    return ApiKey(tenant=tenant, id=f"key of {tenant}", role="admin", created_at=MIDDAY)


def _tenancy(side: TenantSide) -> None:
    work, scope = side.work, side.scope
    account = TenantAccount(
        id=scope.tenant, name=scope.tenant, plan=Plan(name=scope.tenant), created_at=MIDDAY, updated_at=MIDDAY
    )
    SqlAccounts(side.transaction).put(account, secret=scope.tenant.encode())
    work.keys.add(scope, api_key(scope.tenant), scope.tenant.encode())
    work.usages.take(scope, "messages", since=MIDDAY, amount=len(scope.tenant) + (scope.tenant == FIRST))
    begun = IdempotentAnswer(fingerprint=scope.tenant.encode(), begun_at=MIDDAY)
    Journal(scope, "once", begun).step(lambda _: scope.tenant)(side.transaction)


def login(scope: Scope, id: str, *, user: str | None = None) -> Login:
    """An account of a person; its name is that of its id."""
    return Login(
        tenant=scope.tenant,
        id=id,
        name=f"name {id}",
        role="person",
        user=user or scope.user,
        created_at=MIDDAY,
    )


def invitation(scope: Scope, id: str) -> Invitation:
    """An invitation of a person."""
    return Invitation(
        tenant=scope.tenant,
        id=id,
        role="person",
        user=scope.user,
        name=f"de {scope.tenant}",
        created_by=scope.tenant,
        created_at=MIDDAY,
        expires_at=moment(60),
    )


def session(scope: Scope, id: str, *, login: str = "l1") -> LoginSession:
    """A session of an account, just begun."""
    return LoginSession(tenant=scope.tenant, id=id, login=login, created_at=MIDDAY, seen_at=MIDDAY)


def _logins(side: TenantSide) -> None:
    logins, scope = side.work.logins, side.scope
    # The second account is the person's own with one tenant, and somebody else's with the other.
    for id, user in (("l1", scope.user), ("l2", scope.user if scope.tenant == FIRST else "bia")):
        logins.put(scope, login(scope, id, user=user), f"hash of {scope.tenant}")
        for number in (1, 2):
            logins.open_session(scope, session(scope, f"{id} s{number}", login=id), scope.tenant.encode())
    logins.invite(scope, invitation(scope, "i1"), scope.tenant.encode())
    logins.count_try(scope, "address", since=MIDDAY, amount=len(scope.tenant) + (scope.tenant == FIRST))


def counted(amount: int) -> DayFigure:
    """A figure of a day."""
    return DayFigure(measure="turn", since=MIDDAY, bucket=5, amount=amount)


def _trends(side: TenantSide) -> None:
    side.work.trends.add(side.scope, [counted(2 if side.scope.tenant == FIRST else 7)])


def mission(scope: Scope, id: str, *, outlives: float = 600) -> Mission:
    """A mission at its beginning."""
    return Mission(
        id=id,
        tenant=scope.tenant,
        user=scope.user,
        session=scope.conversation,
        created_at=MIDDAY,
        expires_at=moment(outlives),
        intake=Intake(query=f"de {scope.tenant}"),
        orchestrator=Orchestrator(objective="x", deadline=moment(outlives)),
    )


def _missions(side: TenantSide) -> None:
    first = side.scope.tenant == FIRST
    where = side.scope.within("c1" if first else "c2")
    side.wait(side.missions.create(where, mission(where, "w1")))
    side.wait(side.missions.create(side.scope, mission(side.scope, "w2")))
    side.wait(side.missions.create(side.scope, mission(side.scope, "w3", outlives=-1 if first else 600)))


def _agents(side: TenantSide) -> None:
    """An agent of the user's in each table that may know of one, by names of this tenant alone."""
    work = side.work

    def agent(of: str) -> Scope:
        return Scope(side.scope.tenant, f"ana#agent:{of} {side.scope.tenant}", "c1")

    work.conversations.reserve(agent("conversations"), places(1))
    work.memories.add(scope := agent("memories"), known(scope, id="k9"))
    work.entities.add(scope := agent("entities"), entity(scope, "e9"))
    work.documents.add(scope := agent("documents"), document_of(scope, "k9"))
    work.attempts.add(scope := agent("attempts"), attempt(scope, "a9"))
    work.quarantine.add(scope := agent("quarantine"), held(scope, "q9"))
    work.tasks.add(scope := agent("tasks"), asked(scope, "t9"))
    side.wait(side.missions.create(scope := agent("missions"), mission(scope, "w9")))
