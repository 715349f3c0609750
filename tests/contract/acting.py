"""Every act of every repository, as one tenant does it: what reads and what writes, each in all its ways."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import Any

import msgspec
from tests.clock import MIDDAY
from tests.contract.filling import KEYS, api_key, counted, invitation, login, mission, session, told
from tests.contract.knowing import attempt, entity, held, known, link, mention, proposal
from tests.contract.making import NEXT, RUN, moment, places, said
from tests.contract.test_documents import document_of
from tests.contract.test_episodes import episode_of, summary_of
from tests.contract.test_tasks import asked
from tests.contract.two_tenants import Act, TenantSide

from rememora.adapters.sql.journal import Journal
from rememora.adapters.sql.tenancy import SqlAccounts
from rememora.domain.document import NewDocument
from rememora.domain.hit import KINDS, ItemKey
from rememora.domain.memory import MemoryFilter
from rememora.domain.mission import Mission, MissionChange
from rememora.domain.receipt import ErasurePlan
from rememora.domain.task import TaskDone, TaskFilter
from rememora.domain.trend import DayCount
from rememora.domain.visibility import MemorySource
from rememora.errors import NotFound
from rememora.ports.index import Embedded
from rememora.ports.knowledge import ActivePeriod
from rememora.ports.tenancy import IdempotentAnswer

PERSON = ErasurePlan(memories=("k1", "k2"), keys=("user.name",), entities=("e1",), person=True, history=True)
TALK = ErasurePlan(conversation="c1", history=True)
ONE = ErasurePlan(memories=("k1",), keys=("user.name", "Sol"), entities=("e0", "e1"))
HELD = "conversations messages index memories attempts proposals quarantine entities summaries episodes chores"
DOCUMENT = NewDocument(key="k1", value={"new": True})
ERASABLE = [*HELD.split(), "unread", "documents", "sources", "tasks", "outbox", "answers", "logins"]
ANY = MemoryFilter(status=None)
PLACES, TENANTS = ("whole", "part"), ("acme", "zeta")
BEFORE = (moment(60), "c9")
EPOCH = datetime.fromtimestamp(0, UTC)


def _erase(side: TenantSide, *, room: str, plan: ErasurePlan) -> Any:
    return getattr(side.work, room).erase(side.person, plan)


def _is_known(side: TenantSide) -> tuple[bool, bool]:
    """Before and after all of the tenant is gone."""
    accounts = SqlAccounts(side.transaction)
    before = accounts.is_known(side.scope.tenant)
    accounts.erase(side.scope.tenant)
    return before, accounts.is_known(side.scope.tenant)


def _linked(side: TenantSide, memory: str) -> MemorySource:
    return MemorySource(user=side.scope.user, memory=memory, conversation="c1", message="m1", hidden="suppressed")


def _entered(side: TenantSide) -> None:
    position, _ = side.work.audit.follow(side.scope)
    side.work.audit.add(side.scope, link(side.scope, position), signature=b"signature")


def _embedded(side: TenantSide) -> int:
    items = side.work.index.waiting(side.scope, limit=99)
    vectors = [Embedded(key=item.key, number=item.number, vector=b"vvvv") for item in items]
    return side.work.index.embed(side.scope, vectors, run=RUN)


def _embedded_beside(side: TenantSide) -> int:
    # Under any number, since the other tenant's items of the same key have numbers of their own.
    vectors = [Embedded(key=key, number=number, vector=b"wwww") for key in KEYS for number in range(1, 40)]
    return side.work.index.embed_beside(side.scope, vectors, run=NEXT)


def _named(side: TenantSide, id: str) -> Any:
    return msgspec.structs.replace(api_key(side.scope.tenant), id=id)


def _answered(*, status: int | None = None) -> IdempotentAnswer:
    return IdempotentAnswer(fingerprint=b"f", begun_at=moment(5), status=status)


def _got(side: TenantSide, id: str) -> Mission | None:
    try:
        return side.wait(side.missions.get(side.person, id))
    except NotFound:
        return None


def _failed(result: Mission) -> MissionChange[str]:
    changed = msgspec.structs.replace(result, status="failed", closed_at=MIDDAY)
    intake = msgspec.structs.replace(result.intake, query="changed")
    return MissionChange(outcome=result.intake.query, mission=msgspec.structs.replace(changed, intake=intake))


HISTORY: dict[str, Act] = {
    "conversations.get": lambda side: side.work.conversations.get(side.scope),
    "conversations.newest": lambda side: side.work.conversations.newest(side.scope, limit=9, before=None),
    "conversations.newest before": lambda side: side.work.conversations.newest(side.scope, limit=9, before=BEFORE),
    "conversations.reserve": lambda side: side.work.conversations.reserve(side.scope, places(1)),
    "conversations.describe": lambda side: side.work.conversations.describe(
        side.scope, channel="voice", metadata={"a": 1}, at=moment(5)
    ),
    "conversations.mark_folded": lambda side: side.work.conversations.mark_folded(side.scope, folded=1),
    "conversations.mark_counted": lambda side: side.work.conversations.mark_counted(
        side.scope.within("c2"), before=2, counted=1
    ),
    "conversations.count_no_further": lambda side: side.work.conversations.count_no_further(side.scope),
    "conversations.mark_cut": lambda side: side.work.conversations.mark_cut(side.scope, before=0, cut=1),
    "conversations.remove": lambda side: side.work.conversations.remove(side.scope),
    "messages.edition": lambda side: side.work.messages.edition(side.scope).messages,
    "messages.edition of another": lambda side: side.work.messages.edition(side.scope.within("c2")).messages,
    "messages.add of many": lambda side: side.work.messages.add(
        side.scope, [said(side.scope, seq) for seq in (9, 10)]
    ),
    "messages.add": lambda side: side.work.messages.add(side.scope, [said(side.scope, 9)]),
    "messages.with_ids": lambda side: side.work.messages.with_ids(side.scope, ["m1", "m2"]),
    "messages.newest": lambda side: side.work.messages.newest(side.scope, limit=9),
    "messages.after": lambda side: side.work.messages.after(side.scope, limit=9, seq=0),
    "messages.turns": lambda side: side.work.messages.turns(side.scope, limit=9),
    "messages.turns_after": lambda side: side.work.messages.turns_after(side.scope, limit=9, seq=0),
    "messages.count_turns_after": lambda side: side.work.messages.count_turns_after(side.scope, seq=0),
    "messages.mark": lambda side: side.work.messages.mark(side.scope.within("c2"), "m1"),
    "messages.judge": lambda side: side.work.messages.judge(side.scope, "m1", "secret", shown="masked"),
    "messages.hide": lambda side: side.work.messages.hide(side.scope, "m1", "secret"),
    "messages.unjudged": lambda side: side.work.messages.unjudged(side.scope, limit=9),
    "conversations.unjudged": lambda side: side.work.conversations.unjudged(side.scope, limit=9),
    "conversations.hide": lambda side: side.work.conversations.hide(side.scope, "order"),
    "conversations.renew": lambda side: side.work.conversations.renew(side.scope),
    "sources.add": lambda side: side.work.sources.add(side.scope, _linked(side, "k9")),
    "sources.add_all": lambda side: side.work.sources.add_all(
        side.scope, [_linked(side, id) for id in ("k8", "k9")]
    ),
    "sources.add again": lambda side: side.work.sources.add(side.scope, _linked(side, "k1")),
    "sources.of_memories": lambda side: side.work.sources.of_memories(side.scope, ["k1"]),
    "sources.of_message": lambda side: side.work.sources.of_message(side.scope, "m1"),
    "sources.of_key": lambda side: side.work.sources.of_key(side.scope, "user.name", shared=False),
    "sources.mark": lambda side: side.work.sources.mark(side.scope, "k1", "erased"),
    "sources.conversation_of": lambda side: [
        side.work.sources.conversation_of(side.scope, id) for id in ("last of acme", "last of zeta", "stray")
    ],
    "sources.saying": lambda side: side.work.sources.saying(side.scope, "um", limit=9),
    "sources.add_mention": lambda side: side.work.sources.add_mention(side.scope, "Rio", "m1"),
    "sources.add_mention again": lambda side: side.work.sources.add_mention(side.scope, "Sol", "m1"),
    "sources.mentioned_in": lambda side: side.work.sources.mentioned_in(side.scope, ["m1"]),
    "sources.hidden_mentions": lambda side: side.work.sources.hidden_mentions(side.scope, ["Sol", "Mar"]),
    "sources.forget_mentions": lambda side: side.work.sources.forget_mentions(side.scope),
    "sources.forget_mentions of": lambda side: side.work.sources.forget_mentions(side.scope, "Sol"),
    "sources.remove": lambda side: side.work.sources.remove(side.scope),
    "summaries.hide": lambda side: side.work.summaries.hide(side.scope, "withheld"),
    "summaries.rewrite": lambda side: side.work.summaries.rewrite(side.scope, summary_of(side.scope, text="new")),
    "episodes.withhold": lambda side: side.work.episodes.withhold(side.scope, 1),
    "episodes.withheld": lambda side: side.work.episodes.withheld(side.scope),
    "episodes.hide": lambda side: side.work.episodes.hide(side.scope, "ep1", "order"),
    "messages.remove": lambda side: side.work.messages.remove(side.scope),
    "messages.texts": lambda side: side.work.messages.texts(side.scope, PERSON, limit=9),
    "summaries.get": lambda side: side.work.summaries.get(side.scope),
    "summaries.all": lambda side: side.work.summaries.all(side.scope),
    "summaries.replace": lambda side: side.work.summaries.replace(
        side.scope, summary_of(side.scope, last_seq=9), after_seq=5
    ),
    "summaries.remove": lambda side: side.work.summaries.remove(side.scope),
    "episodes.add_all": lambda side: [
        item.id
        for item in side.work.episodes.add_all(side.scope, [episode_of(side.scope, turns) for turns in (10, 30)])
    ],
    "episodes.add": lambda side: side.work.episodes.add(side.scope, episode_of(side.scope, 30)),
    "episodes.add twice": lambda side: side.work.episodes.add(side.scope, episode_of(side.scope, 10)),
    "episodes.tell": lambda side: side.work.episodes.tell(side.scope, episode_of(side.scope, 20, id="ep2")),
    "episodes.newest": lambda side: side.work.episodes.newest(side.scope, limit=9),
    "episodes.newest of user": lambda side: side.work.episodes.newest(side.person, limit=9),
    "episodes.remove": lambda side: side.work.episodes.remove(side.scope),
    "chores.add": lambda side: side.work.chores.add(side.scope, "episode", due_at=moment()),
    "chores.claim": lambda side: side.work.chores.claim(side.scope, "fold", seen=moment(), until=moment(9)),
    "chores.postpone": lambda side: side.work.chores.postpone(side.scope, "fold", due_at=moment(9)),
    "chores.renew": lambda side: side.work.chores.renew(side.scope, "fold", due_at=moment(9)),
    "chores.done": lambda side: side.work.chores.done(side.scope, "fold"),
    "chores.remove": lambda side: side.work.chores.remove(side.scope),
    "unread.add": lambda side: side.work.unread.add(side.scope, ["m1", "m3"], due_at=moment(5)),
    "unread.claim": lambda side: side.work.unread.claim(side.scope, "m1", seen=moment(), until=moment(9)),
    "unread.postpone": lambda side: side.work.unread.postpone(
        side.scope, "m1", claimed=moment(), due_at=moment(9)
    ),
    "unread.done": lambda side: side.work.unread.done(side.scope, "m1", claimed=moment()),
    "unread.remove": lambda side: side.work.unread.remove(side.scope),
    "unread.read_no_further": lambda side: side.work.unread.read_no_further(side.person),
}
KNOWLEDGE: dict[str, Act] = {
    "memories.add": lambda side: side.work.memories.add(side.scope, known(side.scope, id="k9", key="user.x")),
    "memories.add spans": lambda side: side.work.memories.add(
        side.scope, known(side.scope, id="k9", key="user.x"), spans=[ActivePeriod(since=MIDDAY)]
    ),
    "memories.are_more": lambda side: [side.work.memories.are_more(side.scope, than=count) for count in range(4)],
    "memories.with_ids": lambda side: side.work.memories.with_ids(side.scope, ["k1", "k3"]),
    "memories.get": lambda side: side.work.memories.get(side.scope, "k1"),
    "memories.active": lambda side: side.work.memories.active(side.scope, "user.name", shared=False),
    "memories.succeeded": lambda side: sorted(
        side.work.memories.succeeded(side.scope, [f"{how} of {whose}" for how in PLACES for whose in TENANTS])
    ),
    "memories.newest": lambda side: side.work.memories.newest(side.scope, shared=False, limit=9),
    "memories.newest shared": lambda side: side.work.memories.newest(side.scope, shared=True, limit=9),
    "memories.outdated": lambda side: side.work.memories.outdated(side.scope, limit=9),
    "memories.learned_from": lambda side: side.work.memories.learned_from(
        side.scope, [(str(side.scope.conversation), "m1"), ("c2", "m1")]
    ),
    "memories.page": lambda side: side.work.memories.page(side.scope, ANY, limit=9),
    "memories.as_of": lambda side: side.work.memories.as_of(side.scope, moment(1)),
    "memories.mark": lambda side: side.work.memories.mark(side.scope, known(side.scope), "deleted", at=moment(5)),
    "memories.mark active": lambda side: side.work.memories.mark(
        side.scope, known(side.scope, id="k2"), "active", at=moment(5)
    ),
    "memories.mark active again": lambda side: side.work.memories.mark(
        side.scope, known(side.scope, id="k5", key="user.zone"), "active", at=moment(5)
    ),
    "memories.suppress": lambda side: side.work.memories.suppress(
        side.scope, known(side.scope), True, at=moment(5)
    ),
    "memories.doubt": lambda side: side.work.memories.doubt(side.scope, known(side.scope), "k2", at=moment(5)),
    "memories.successors": lambda side: side.work.memories.successors(side.scope, known(side.scope)),
    "memories.resting_on": lambda side: side.work.memories.resting_on(side.scope, known(side.scope)),
    "memories.spans": lambda side: side.work.memories.spans(side.scope, known(side.scope)),
    "memories.spans_of_key": lambda side: side.work.memories.spans_of_key(side.scope, known(side.scope).key),
    "memories.agents": lambda side: side.work.memories.agents(side.scope),
    "memories.of_key": lambda side: side.work.memories.of_key(side.scope, "user.name", shared=False),
    "entities.judged": lambda side: side.work.entities.judged(side.scope, "e2"),
    "entities.hide": lambda side: side.work.entities.hide(side.scope, "e1", judged="order", hidden="order"),
    "attempts.add": lambda side: side.work.attempts.add(side.scope, attempt(side.scope, "a9")),
    "attempts.newest": lambda side: side.work.attempts.newest(side.scope, limit=9),
    "attempts.counts": lambda side: sorted(side.work.attempts.counts(side.scope).items()),
    "audit.head": lambda side: side.work.audit.head(side.scope),
    "audit.follow": lambda side: side.work.audit.follow(side.scope),
    "audit.add": _entered,
    "audit.after": lambda side: side.work.audit.after(side.scope, position=0, limit=9),
    "audit.newest": lambda side: side.work.audit.newest(side.scope, before=99, limit=9),
    "audit.of_memory": lambda side: side.work.audit.of_memory(side.scope, "k1"),
    "audit.of_owner": lambda side: side.work.audit.of_owner(side.scope, position=0, limit=9),
    "audit.newest_of_owner": lambda side: side.work.audit.newest_of_owner(side.scope, before=99, limit=9),
    "audit.newest_requests": lambda side: side.work.audit.newest_requests(side.scope, limit=9),
    "audit.redact": lambda side: side.work.audit.redact(side.scope, ErasurePlan(memories=("k2",))),
    "audit.redact one": lambda side: side.work.audit.redact(side.scope, ErasurePlan(memories=("k1",))),
    "audit.redact person": lambda side: side.work.audit.redact(side.scope, ErasurePlan(person=True)),
    "audit.unaudited": lambda side: side.work.audit.unaudited(side.scope),
    "proposals.add": lambda side: side.work.proposals.add(side.scope, proposal(side.scope, "p9")),
    "proposals.get": lambda side: side.work.proposals.get(side.scope, "p1"),
    "proposals.all": lambda side: side.work.proposals.all(side.scope, status=None),
    "proposals.close": lambda side: side.work.proposals.close(side.scope, "p1", status="refused"),
    "proposals.expire": lambda side: side.work.proposals.expire(side.scope, now=moment(10**7)),
    "quarantine.add": lambda side: side.work.quarantine.add(side.scope, held(side.scope, "q9")),
    "quarantine.get": lambda side: side.work.quarantine.get(side.scope, "q1"),
    "lookback.judged": lambda side: side.work.lookback.judged(side.scope, limit=9),
    "lookback.known": lambda side: side.work.lookback.known(side.scope, limit=9),
    "quarantine.page": lambda side: side.work.quarantine.page(side.scope, status=None, limit=9, after=""),
    "quarantine.of_user": lambda side: side.work.quarantine.of_user(side.scope),
    "quarantine.review": lambda side: side.work.quarantine.review(
        side.scope, "q1", status="rejected", at=moment(5)
    ),
    "entities.get": lambda side: side.work.entities.get(side.scope, "Sol"),
    "entities.mention": lambda side: side.work.entities.mention(side.scope, mention(), at=moment(5)),
    "entities.evict": lambda side: side.work.entities.evict(side.scope, keep="Sol", cap=2),
    "entities.add": lambda side: side.work.entities.add(side.scope, entity(side.scope, "e9", key="Rio")),
    "entities.top": lambda side: side.work.entities.top(side.scope, limit=9),
    "entities.every": lambda side: side.work.entities.every(side.scope),
    "entities.forget": lambda side: side.work.entities.forget(side.scope),
    "entities.restore": lambda side: side.work.entities.restore(side.scope),
}
DOCUMENTS: dict[str, Act] = {
    "documents.get": lambda side: side.work.documents.get(side.scope, "notes", "k1"),
    "documents.put": lambda side: side.work.documents.put(side.scope, "notes", DOCUMENT, at=moment(5)),
    "documents.add": lambda side: side.work.documents.add(side.scope, document_of(side.scope, "k9")),
    "documents.add again": lambda side: side.work.documents.add(side.scope, document_of(side.scope, "k1")),
    "documents.prolong": lambda side: side.work.documents.prolong(side.scope, "notes", "k1", moment(9)),
    "documents.page": lambda side: side.work.documents.page(side.scope, "notes", limit=9),
    "documents.every": lambda side: side.work.documents.every(side.scope),
    "documents.remove": lambda side: side.work.documents.remove(side.scope, "notes", "k1"),
    "documents.expire": lambda side: side.work.documents.expire(side.scope, "notes", now=moment(99)),
    "documents.texts": lambda side: side.work.documents.texts(side.scope, PERSON),
    "documents.texts one": lambda side: side.work.documents.texts(side.scope, ONE),
}
INDEX: dict[str, Act] = {
    "index.put": lambda side: side.work.index.put(side.scope, [ItemKey("message", "m9", "c1")]),
    "index.put again": lambda side: side.work.index.put(side.scope, KEYS[:1]),
    "index.put_messages of one": lambda side: side.work.index.put_messages(side.scope, [said(side.scope, 3)]),
    "index.put_messages": lambda side: side.work.index.put_messages(
        side.scope, [said(side.scope, seq) for seq in range(1, 10)]
    ),
    "index.touch": lambda side: side.work.index.touch(side.scope, KEYS[0]),
    "index.drop": lambda side: side.work.index.drop(side.scope, KEYS[:1]),
    "index.drop_conversation": lambda side: side.work.index.drop_conversation(side.scope),
    "index.clear": lambda side: side.work.index.clear(side.scope),
    "index.changes": lambda side: side.work.index.changes(side.scope, after=0, limit=99),
    "index.exceeds": lambda side: [side.work.index.exceeds(side.scope, rows) for rows in range(99)],
    "index.load of the rest": lambda side: side.work.index.load(side.scope, after=1, limit=99, mark=b"1"),
    "index.load of few": lambda side: side.work.index.load(side.scope, after=0, limit=1, mark=b"1", whole=True),
    "index.load": lambda side: side.work.index.load(side.scope, after=0, limit=99, mark=b"1"),
    "index.featureless": lambda side: side.work.index.featureless(side.scope, limit=99),
    "index.put_features": lambda side: side.work.index.put_features(
        side.scope, [(number, b"1 word") for number in range(1, 40)]
    ),
    "index.standing": lambda side: side.work.index.standing(
        side.scope, [(kind, number) for kind in KINDS for number in range(1, 40)]
    ),
    "index.waiting": lambda side: side.work.index.waiting(side.scope, limit=99),
    "index.embed": _embedded,
    "index.embed_beside": _embedded_beside,
    "index.settled": lambda side: side.work.index.settled(side.scope, run=NEXT, after=0, limit=99),
    "index.settled of one": lambda side: side.work.index.settled(side.scope, run=NEXT, after=0, limit=1),
    "index.drop_model": lambda side: side.work.index.drop_model(side.scope, RUN.model.key),
}
EVENTS: dict[str, Act] = {
    "outbox.add_all": lambda side: side.work.outbox.add_all(side.scope, [told(side.scope, "ev8")]),
    "outbox.add": lambda side: side.work.outbox.add(side.scope, told(side.scope, "ev9")),
    "outbox.page": lambda side: side.work.outbox.page(side.scope, after=0, limit=9, types=None),
    "outbox.newest": lambda side: side.work.outbox.newest(side.scope, before=99, limit=9),
    "outbox.dead": lambda side: side.work.outbox.dead(side.scope, limit=9),
    "outbox.deliveries": lambda side: side.work.outbox.deliveries(side.scope),
    "outbox.revive": lambda side: side.work.outbox.revive(side.scope, subscriber=None, at=MIDDAY),
    "tasks.add": lambda side: side.work.tasks.add(side.scope, asked(side.scope, "t9", key="k9")),
    "tasks.add twice": lambda side: side.work.tasks.add(side.scope, asked(side.scope, "t9", key="k1")),
    "tasks.get": lambda side: side.work.tasks.get(side.scope, "t1"),
    "tasks.with_key": lambda side: side.work.tasks.with_key(side.scope, "k1"),
    "tasks.page": lambda side: side.work.tasks.page(side.scope, TaskFilter(), limit=9),
    "tasks.of_tenant": lambda side: side.work.tasks.of_tenant(side.scope, TaskFilter(), limit=9),
    "tasks.due": lambda side: side.work.tasks.due(side.scope, "crm", now=moment(99), limit=9),
    "tasks.of_anybody": lambda side: side.work.tasks.of_anybody(side.scope, "t1"),
    "tasks.claim": lambda side: side.work.tasks.claim(
        side.scope, asked(side.scope, "t2"), owner="w2", until=moment(9)
    ),
    "tasks.renew": lambda side: side.work.tasks.renew(side.scope, "t1", owner="w1", until=moment(99)),
    "tasks.postpone": lambda side: side.work.tasks.postpone(
        side.scope, asked(side.scope), owner="w1", due_at=moment(9), at=moment(1)
    ),
    "tasks.end": lambda side: side.work.tasks.end(
        side.scope, "t1", status="completed", ending=TaskDone(), at=moment(1), owner="w1"
    ),
    "tasks.end of anybody": lambda side: side.work.tasks.end(
        side.scope, "t2", status="cancelled", ending=TaskDone(), at=moment(1), owner=None
    ),
    "tasks.unjudged": lambda side: side.work.tasks.unjudged(side.scope, limit=9),
    "tasks.hide": lambda side: side.work.tasks.hide(side.scope, "t1", "order"),
    "tasks.texts": lambda side: side.work.tasks.texts(side.scope, PERSON),
}
TENANCY: dict[str, Act] = {
    "keys.add": lambda side: side.work.keys.add(side.scope, _named(side, "new"), b"d"),
    "keys.all": lambda side: side.work.keys.all(side.scope),
    "keys.get": lambda side: side.work.keys.get(side.scope, f"key of {side.other}"),
    "keys.put": lambda side: side.work.keys.put(
        side.scope, msgspec.structs.replace(api_key(side.other), revoked_at=MIDDAY)
    ),
    "usages.plan": lambda side: side.work.usages.plan(side.scope),
    "usages.count": lambda side: side.work.usages.count(side.scope, "messages", now=MIDDAY, amount=1),
    "usages.take": lambda side: side.work.usages.take(side.scope, "messages", since=MIDDAY, amount=1),
    "usages.used": lambda side: side.work.usages.used(side.scope, "messages", since=MIDDAY),
    "usages.link_secret": lambda side: side.work.usages.link_secret(side.scope),
    "accounts.erase": lambda side: SqlAccounts(side.transaction).erase(side.scope.tenant),
    "accounts.is_known": _is_known,
    "accounts.users": lambda side: sorted(SqlAccounts(side.transaction).users(side.scope.tenant)),
    "accounts.forget_attempts": lambda side: SqlAccounts(side.transaction).forget_attempts(
        [(side.scope.tenant, side.scope.user, "a1")]
    ),
    "journal.step": lambda side: Journal(side.scope, "other", _answered()).step(lambda _: 1)(side.transaction),
    "journal.step again": lambda side: Journal(side.scope, "once", _begun(side)).step(lambda _: 1)(
        side.transaction
    ),
    "answers.get": lambda side: side.work.answers.get(side.scope, "once"),
    "answers.spend": lambda side: side.work.answers.spend(side.scope, "once", _answered(status=200)),
    "answers.settle": lambda side: side.work.answers.settle(side.scope, "once", _answered(status=200)),
}
LOGINS: dict[str, Act] = {
    "logins.all": lambda side: side.work.logins.all(side.scope),
    "logins.named": lambda side: side.work.logins.named(side.scope, "name l1"),
    "logins.put": lambda side: side.work.logins.put(side.scope, login(side.scope, "l9"), "hash"),
    "logins.put again": lambda side: side.work.logins.put(side.scope, login(side.scope, "l1"), "another hash"),
    "logins.touch": lambda side: side.work.logins.touch(side.scope, "l1", at=moment(5)),
    "logins.end": lambda side: side.work.logins.end(side.scope, "l1"),
    "logins.invite": lambda side: side.work.logins.invite(side.scope, invitation(side.scope, "i9"), b"d"),
    "logins.invitations": lambda side: side.work.logins.invitations(side.scope),
    "logins.spend": lambda side: side.work.logins.spend(side.scope, "i1"),
    "logins.open_session": lambda side: side.work.logins.open_session(side.scope, session(side.scope, "s9"), b"d"),
    "logins.put_session": lambda side: side.work.logins.put_session(
        side.scope, msgspec.structs.replace(session(side.scope, "l1 s1"), seen_at=moment(5))
    ),
    "logins.end_sessions": lambda side: side.work.logins.end_sessions(side.scope, "l1"),
    "logins.end_sessions only one": lambda side: side.work.logins.end_sessions(side.scope, "l1", only="l1 s1"),
    "logins.count_try": lambda side: side.work.logins.count_try(side.scope, "elsewhere", since=MIDDAY),
    "logins.count_try again": lambda side: side.work.logins.count_try(side.scope, "address", since=MIDDAY),
}
TRENDS: dict[str, Act] = {
    "trends.add": lambda side: side.work.trends.add(side.scope, [counted(3)]),
    "trends.raise_to": lambda side: side.work.trends.raise_to(side.scope, counted(9)),
    "trends.since": lambda side: side.work.trends.since(side.scope, EPOCH),
    "trends.judged": lambda side: _ordered(side.work.trends.judged(side.scope, EPOCH, moment(5))),
    "trends.acts": lambda side: _ordered(side.work.trends.acts(side.scope, EPOCH, moment(5), last=99)),
}
MISSIONS: dict[str, Act] = {
    "missions.create": lambda side: side.wait(side.missions.create(side.scope, mission(side.scope, "w9"))),
    "missions.get": lambda side: _got(side, "w2"),
    "missions.change": lambda side: side.wait(side.missions.change(side.person, "w2", plan=_failed)),
    "missions.delete": lambda side: side.wait(side.missions.delete(side.person, "w2")),
    "missions.erase": lambda side: side.wait(side.missions.erase(side.person)),
    "missions.erase conversation": lambda side: side.wait(side.missions.erase(side.scope.within("c1"))),
    "missions.erase other conversation": lambda side: side.wait(side.missions.erase(side.scope.within("c2"))),
    "missions.find_active": lambda side: side.wait(side.missions.find_active(side.person)),
}
ERASING: dict[str, Act] = {
    f"{room}.erase {what}": partial(_erase, room=room, plan=gone)
    for room in ERASABLE
    for what, gone in {"person": PERSON, "conversation": TALK, "one": ONE}.items()
}
ROOMS = (HISTORY, KNOWLEDGE, DOCUMENTS, INDEX, EVENTS, TENANCY, LOGINS, TRENDS, MISSIONS, ERASING)
ACTS: dict[str, Act] = {name: act for room in ROOMS for name, act in room.items()}


def _ordered(days: list[DayCount]) -> list[DayCount]:
    """Counts in one order, since the store returns the groups in any."""
    return sorted(days, key=msgspec.structs.astuple)


def _begun(side: TenantSide) -> IdempotentAnswer:
    return IdempotentAnswer(fingerprint=side.scope.tenant.encode(), begun_at=MIDDAY)
