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
from tests.contract.two_tenants import Act, Here

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


def _erase(here: Here, *, room: str, doomed: ErasurePlan) -> Any:
    return getattr(here.work, room).erase(here.person, doomed)


def _is_known(here: Here) -> tuple[bool, bool]:
    """Before and after all of the tenant is gone."""
    accounts = SqlAccounts(here.transaction)
    before = accounts.is_known(here.scope.tenant)
    accounts.erase(here.scope.tenant)
    return before, accounts.is_known(here.scope.tenant)


def _linked(here: Here, memory: str) -> MemorySource:
    return MemorySource(user=here.scope.user, memory=memory, conversation="c1", message="m1", hidden="suppressed")


def _entered(here: Here) -> None:
    position, _ = here.work.audit.follow(here.scope)
    here.work.audit.add(here.scope, link(here.scope, position), signature=b"signature")


def _embedded(here: Here) -> int:
    items = here.work.index.waiting(here.scope, limit=99)
    found = [Embedded(key=item.key, number=item.number, vector=b"vvvv") for item in items]
    return here.work.index.embed(here.scope, found, run=RUN)


def _embedded_beside(here: Here) -> int:
    # Under any number, since the other tenant's items of the same key have numbers of their own.
    found = [Embedded(key=key, number=number, vector=b"wwww") for key in KEYS for number in range(1, 40)]
    return here.work.index.embed_beside(here.scope, found, run=NEXT)


def _named(here: Here, id: str) -> Any:
    return msgspec.structs.replace(api_key(here.scope.tenant), id=id)


def _answered(*, status: int | None = None) -> IdempotentAnswer:
    return IdempotentAnswer(fingerprint=b"f", begun_at=moment(5), status=status)


def _got(here: Here, id: str) -> Mission | None:
    try:
        return here.wait(here.missions.get(here.person, id))
    except NotFound:
        return None


def _failed(found: Mission) -> MissionChange[str]:
    changed = msgspec.structs.replace(found, status="failed", closed_at=MIDDAY)
    intake = msgspec.structs.replace(found.intake, query="changed")
    return MissionChange(outcome=found.intake.query, mission=msgspec.structs.replace(changed, intake=intake))


HISTORY: dict[str, Act] = {
    "conversations.get": lambda here: here.work.conversations.get(here.scope),
    "conversations.newest": lambda here: here.work.conversations.newest(here.scope, limit=9, before=None),
    "conversations.newest before": lambda here: here.work.conversations.newest(here.scope, limit=9, before=BEFORE),
    "conversations.reserve": lambda here: here.work.conversations.reserve(here.scope, places(1)),
    "conversations.describe": lambda here: here.work.conversations.describe(
        here.scope, channel="voice", metadata={"a": 1}, at=moment(5)
    ),
    "conversations.mark_folded": lambda here: here.work.conversations.mark_folded(here.scope, folded=1),
    "conversations.mark_counted": lambda here: here.work.conversations.mark_counted(
        here.scope.within("c2"), before=2, counted=1
    ),
    "conversations.count_no_further": lambda here: here.work.conversations.count_no_further(here.scope),
    "conversations.mark_cut": lambda here: here.work.conversations.mark_cut(here.scope, before=0, cut=1),
    "conversations.remove": lambda here: here.work.conversations.remove(here.scope),
    "messages.edition": lambda here: here.work.messages.edition(here.scope).messages,
    "messages.edition of another": lambda here: here.work.messages.edition(here.scope.within("c2")).messages,
    "messages.add of many": lambda here: here.work.messages.add(
        here.scope, [said(here.scope, seq) for seq in (9, 10)]
    ),
    "messages.add": lambda here: here.work.messages.add(here.scope, [said(here.scope, 9)]),
    "messages.with_ids": lambda here: here.work.messages.with_ids(here.scope, ["m1", "m2"]),
    "messages.newest": lambda here: here.work.messages.newest(here.scope, limit=9),
    "messages.after": lambda here: here.work.messages.after(here.scope, limit=9, seq=0),
    "messages.turns": lambda here: here.work.messages.turns(here.scope, limit=9),
    "messages.turns_after": lambda here: here.work.messages.turns_after(here.scope, limit=9, seq=0),
    "messages.count_turns_after": lambda here: here.work.messages.count_turns_after(here.scope, seq=0),
    "messages.mark": lambda here: here.work.messages.mark(here.scope.within("c2"), "m1"),
    "messages.judge": lambda here: here.work.messages.judge(here.scope, "m1", "secret", shown="masked"),
    "messages.hide": lambda here: here.work.messages.hide(here.scope, "m1", "secret"),
    "messages.unjudged": lambda here: here.work.messages.unjudged(here.scope, limit=9),
    "conversations.unjudged": lambda here: here.work.conversations.unjudged(here.scope, limit=9),
    "conversations.hide": lambda here: here.work.conversations.hide(here.scope, "order"),
    "conversations.renew": lambda here: here.work.conversations.renew(here.scope),
    "sources.add": lambda here: here.work.sources.add(here.scope, _linked(here, "k9")),
    "sources.add_all": lambda here: here.work.sources.add_all(
        here.scope, [_linked(here, id) for id in ("k8", "k9")]
    ),
    "sources.add again": lambda here: here.work.sources.add(here.scope, _linked(here, "k1")),
    "sources.of_memories": lambda here: here.work.sources.of_memories(here.scope, ["k1"]),
    "sources.of_message": lambda here: here.work.sources.of_message(here.scope, "m1"),
    "sources.of_key": lambda here: here.work.sources.of_key(here.scope, "user.name", shared=False),
    "sources.mark": lambda here: here.work.sources.mark(here.scope, "k1", "erased"),
    "sources.conversation_of": lambda here: [
        here.work.sources.conversation_of(here.scope, id) for id in ("last of acme", "last of zeta", "stray")
    ],
    "sources.saying": lambda here: here.work.sources.saying(here.scope, "um", limit=9),
    "sources.add_mention": lambda here: here.work.sources.add_mention(here.scope, "Rio", "m1"),
    "sources.add_mention again": lambda here: here.work.sources.add_mention(here.scope, "Sol", "m1"),
    "sources.mentioned_in": lambda here: here.work.sources.mentioned_in(here.scope, ["m1"]),
    "sources.hidden_mentions": lambda here: here.work.sources.hidden_mentions(here.scope, ["Sol", "Mar"]),
    "sources.forget_mentions": lambda here: here.work.sources.forget_mentions(here.scope),
    "sources.forget_mentions of": lambda here: here.work.sources.forget_mentions(here.scope, "Sol"),
    "sources.remove": lambda here: here.work.sources.remove(here.scope),
    "summaries.hide": lambda here: here.work.summaries.hide(here.scope, "withheld"),
    "summaries.rewrite": lambda here: here.work.summaries.rewrite(here.scope, summary_of(here.scope, text="new")),
    "episodes.withhold": lambda here: here.work.episodes.withhold(here.scope, 1),
    "episodes.withheld": lambda here: here.work.episodes.withheld(here.scope),
    "episodes.hide": lambda here: here.work.episodes.hide(here.scope, "ep1", "order"),
    "messages.remove": lambda here: here.work.messages.remove(here.scope),
    "messages.texts": lambda here: here.work.messages.texts(here.scope, PERSON, limit=9),
    "summaries.get": lambda here: here.work.summaries.get(here.scope),
    "summaries.all": lambda here: here.work.summaries.all(here.scope),
    "summaries.replace": lambda here: here.work.summaries.replace(
        here.scope, summary_of(here.scope, last_seq=9), after_seq=5
    ),
    "summaries.remove": lambda here: here.work.summaries.remove(here.scope),
    "episodes.add_all": lambda here: [
        each.id
        for each in here.work.episodes.add_all(here.scope, [episode_of(here.scope, turns) for turns in (10, 30)])
    ],
    "episodes.add": lambda here: here.work.episodes.add(here.scope, episode_of(here.scope, 30)),
    "episodes.add twice": lambda here: here.work.episodes.add(here.scope, episode_of(here.scope, 10)),
    "episodes.tell": lambda here: here.work.episodes.tell(here.scope, episode_of(here.scope, 20, id="ep2")),
    "episodes.newest": lambda here: here.work.episodes.newest(here.scope, limit=9),
    "episodes.newest of user": lambda here: here.work.episodes.newest(here.person, limit=9),
    "episodes.remove": lambda here: here.work.episodes.remove(here.scope),
    "chores.add": lambda here: here.work.chores.add(here.scope, "episode", due_at=moment()),
    "chores.claim": lambda here: here.work.chores.claim(here.scope, "fold", seen=moment(), until=moment(9)),
    "chores.postpone": lambda here: here.work.chores.postpone(here.scope, "fold", due_at=moment(9)),
    "chores.renew": lambda here: here.work.chores.renew(here.scope, "fold", due_at=moment(9)),
    "chores.done": lambda here: here.work.chores.done(here.scope, "fold"),
    "chores.remove": lambda here: here.work.chores.remove(here.scope),
    "unread.add": lambda here: here.work.unread.add(here.scope, ["m1", "m3"], due_at=moment(5)),
    "unread.claim": lambda here: here.work.unread.claim(here.scope, "m1", seen=moment(), until=moment(9)),
    "unread.postpone": lambda here: here.work.unread.postpone(
        here.scope, "m1", claimed=moment(), due_at=moment(9)
    ),
    "unread.done": lambda here: here.work.unread.done(here.scope, "m1", claimed=moment()),
    "unread.remove": lambda here: here.work.unread.remove(here.scope),
    "unread.read_no_further": lambda here: here.work.unread.read_no_further(here.person),
}
KNOWLEDGE: dict[str, Act] = {
    "memories.add": lambda here: here.work.memories.add(here.scope, known(here.scope, id="k9", key="user.x")),
    "memories.add spans": lambda here: here.work.memories.add(
        here.scope, known(here.scope, id="k9", key="user.x"), spans=[ActivePeriod(since=MIDDAY)]
    ),
    "memories.are_more": lambda here: [here.work.memories.are_more(here.scope, than=count) for count in range(4)],
    "memories.with_ids": lambda here: here.work.memories.with_ids(here.scope, ["k1", "k3"]),
    "memories.get": lambda here: here.work.memories.get(here.scope, "k1"),
    "memories.active": lambda here: here.work.memories.active(here.scope, "user.name", shared=False),
    "memories.succeeded": lambda here: sorted(
        here.work.memories.succeeded(here.scope, [f"{how} of {whose}" for how in PLACES for whose in TENANTS])
    ),
    "memories.newest": lambda here: here.work.memories.newest(here.scope, shared=False, limit=9),
    "memories.newest shared": lambda here: here.work.memories.newest(here.scope, shared=True, limit=9),
    "memories.outdated": lambda here: here.work.memories.outdated(here.scope, limit=9),
    "memories.learned_from": lambda here: here.work.memories.learned_from(
        here.scope, [(str(here.scope.conversation), "m1"), ("c2", "m1")]
    ),
    "memories.page": lambda here: here.work.memories.page(here.scope, ANY, limit=9),
    "memories.as_of": lambda here: here.work.memories.as_of(here.scope, moment(1)),
    "memories.mark": lambda here: here.work.memories.mark(here.scope, known(here.scope), "deleted", at=moment(5)),
    "memories.mark active": lambda here: here.work.memories.mark(
        here.scope, known(here.scope, id="k2"), "active", at=moment(5)
    ),
    "memories.mark active again": lambda here: here.work.memories.mark(
        here.scope, known(here.scope, id="k5", key="user.zone"), "active", at=moment(5)
    ),
    "memories.suppress": lambda here: here.work.memories.suppress(
        here.scope, known(here.scope), True, at=moment(5)
    ),
    "memories.doubt": lambda here: here.work.memories.doubt(here.scope, known(here.scope), "k2", at=moment(5)),
    "memories.successors": lambda here: here.work.memories.successors(here.scope, known(here.scope)),
    "memories.resting_on": lambda here: here.work.memories.resting_on(here.scope, known(here.scope)),
    "memories.spans": lambda here: here.work.memories.spans(here.scope, known(here.scope)),
    "memories.spans_of_key": lambda here: here.work.memories.spans_of_key(here.scope, known(here.scope).key),
    "memories.agents": lambda here: here.work.memories.agents(here.scope),
    "memories.of_key": lambda here: here.work.memories.of_key(here.scope, "user.name", shared=False),
    "entities.judged": lambda here: here.work.entities.judged(here.scope, "e2"),
    "entities.hide": lambda here: here.work.entities.hide(here.scope, "e1", judged="order", hidden="order"),
    "attempts.add": lambda here: here.work.attempts.add(here.scope, attempt(here.scope, "a9")),
    "attempts.newest": lambda here: here.work.attempts.newest(here.scope, limit=9),
    "attempts.counts": lambda here: sorted(here.work.attempts.counts(here.scope).items()),
    "audit.head": lambda here: here.work.audit.head(here.scope),
    "audit.follow": lambda here: here.work.audit.follow(here.scope),
    "audit.add": _entered,
    "audit.after": lambda here: here.work.audit.after(here.scope, position=0, limit=9),
    "audit.newest": lambda here: here.work.audit.newest(here.scope, before=99, limit=9),
    "audit.of_memory": lambda here: here.work.audit.of_memory(here.scope, "k1"),
    "audit.of_owner": lambda here: here.work.audit.of_owner(here.scope, position=0, limit=9),
    "audit.newest_of_owner": lambda here: here.work.audit.newest_of_owner(here.scope, before=99, limit=9),
    "audit.newest_requests": lambda here: here.work.audit.newest_requests(here.scope, limit=9),
    "audit.redact": lambda here: here.work.audit.redact(here.scope, ErasurePlan(memories=("k2",))),
    "audit.redact one": lambda here: here.work.audit.redact(here.scope, ErasurePlan(memories=("k1",))),
    "audit.redact person": lambda here: here.work.audit.redact(here.scope, ErasurePlan(person=True)),
    "audit.unaudited": lambda here: here.work.audit.unaudited(here.scope),
    "proposals.add": lambda here: here.work.proposals.add(here.scope, proposal(here.scope, "p9")),
    "proposals.get": lambda here: here.work.proposals.get(here.scope, "p1"),
    "proposals.all": lambda here: here.work.proposals.all(here.scope, status=None),
    "proposals.close": lambda here: here.work.proposals.close(here.scope, "p1", status="refused"),
    "proposals.expire": lambda here: here.work.proposals.expire(here.scope, now=moment(10**7)),
    "quarantine.add": lambda here: here.work.quarantine.add(here.scope, held(here.scope, "q9")),
    "quarantine.get": lambda here: here.work.quarantine.get(here.scope, "q1"),
    "lookback.judged": lambda here: here.work.lookback.judged(here.scope, limit=9),
    "lookback.known": lambda here: here.work.lookback.known(here.scope, limit=9),
    "quarantine.page": lambda here: here.work.quarantine.page(here.scope, status=None, limit=9, after=""),
    "quarantine.of_user": lambda here: here.work.quarantine.of_user(here.scope),
    "quarantine.review": lambda here: here.work.quarantine.review(
        here.scope, "q1", status="rejected", at=moment(5)
    ),
    "entities.get": lambda here: here.work.entities.get(here.scope, "Sol"),
    "entities.mention": lambda here: here.work.entities.mention(here.scope, mention(), at=moment(5)),
    "entities.evict": lambda here: here.work.entities.evict(here.scope, keep="Sol", cap=2),
    "entities.add": lambda here: here.work.entities.add(here.scope, entity(here.scope, "e9", key="Rio")),
    "entities.top": lambda here: here.work.entities.top(here.scope, limit=9),
    "entities.every": lambda here: here.work.entities.every(here.scope),
    "entities.forget": lambda here: here.work.entities.forget(here.scope),
    "entities.restore": lambda here: here.work.entities.restore(here.scope),
}
DOCUMENTS: dict[str, Act] = {
    "documents.get": lambda here: here.work.documents.get(here.scope, "notes", "k1"),
    "documents.put": lambda here: here.work.documents.put(here.scope, "notes", DOCUMENT, at=moment(5)),
    "documents.add": lambda here: here.work.documents.add(here.scope, document_of(here.scope, "k9")),
    "documents.add again": lambda here: here.work.documents.add(here.scope, document_of(here.scope, "k1")),
    "documents.prolong": lambda here: here.work.documents.prolong(here.scope, "notes", "k1", moment(9)),
    "documents.page": lambda here: here.work.documents.page(here.scope, "notes", limit=9),
    "documents.every": lambda here: here.work.documents.every(here.scope),
    "documents.remove": lambda here: here.work.documents.remove(here.scope, "notes", "k1"),
    "documents.expire": lambda here: here.work.documents.expire(here.scope, "notes", now=moment(99)),
    "documents.texts": lambda here: here.work.documents.texts(here.scope, PERSON),
    "documents.texts one": lambda here: here.work.documents.texts(here.scope, ONE),
}
INDEX: dict[str, Act] = {
    "index.put": lambda here: here.work.index.put(here.scope, [ItemKey("message", "m9", "c1")]),
    "index.put again": lambda here: here.work.index.put(here.scope, KEYS[:1]),
    "index.put_messages of one": lambda here: here.work.index.put_messages(here.scope, [said(here.scope, 3)]),
    "index.put_messages": lambda here: here.work.index.put_messages(
        here.scope, [said(here.scope, seq) for seq in range(1, 10)]
    ),
    "index.touch": lambda here: here.work.index.touch(here.scope, KEYS[0]),
    "index.drop": lambda here: here.work.index.drop(here.scope, KEYS[:1]),
    "index.drop_conversation": lambda here: here.work.index.drop_conversation(here.scope),
    "index.clear": lambda here: here.work.index.clear(here.scope),
    "index.changes": lambda here: here.work.index.changes(here.scope, after=0, limit=99),
    "index.exceeds": lambda here: [here.work.index.exceeds(here.scope, rows) for rows in range(99)],
    "index.load of the rest": lambda here: here.work.index.load(here.scope, after=1, limit=99, mark=b"1"),
    "index.load of few": lambda here: here.work.index.load(here.scope, after=0, limit=1, mark=b"1", whole=True),
    "index.load": lambda here: here.work.index.load(here.scope, after=0, limit=99, mark=b"1"),
    "index.featureless": lambda here: here.work.index.featureless(here.scope, limit=99),
    "index.put_features": lambda here: here.work.index.put_features(
        here.scope, [(number, b"1 word") for number in range(1, 40)]
    ),
    "index.standing": lambda here: here.work.index.standing(
        here.scope, [(kind, number) for kind in KINDS for number in range(1, 40)]
    ),
    "index.waiting": lambda here: here.work.index.waiting(here.scope, limit=99),
    "index.embed": _embedded,
    "index.embed_beside": _embedded_beside,
    "index.settled": lambda here: here.work.index.settled(here.scope, run=NEXT, after=0, limit=99),
    "index.settled of one": lambda here: here.work.index.settled(here.scope, run=NEXT, after=0, limit=1),
    "index.drop_model": lambda here: here.work.index.drop_model(here.scope, RUN.model.key),
}
EVENTS: dict[str, Act] = {
    "outbox.add_all": lambda here: here.work.outbox.add_all(here.scope, [told(here.scope, "ev8")]),
    "outbox.add": lambda here: here.work.outbox.add(here.scope, told(here.scope, "ev9")),
    "outbox.page": lambda here: here.work.outbox.page(here.scope, after=0, limit=9, types=None),
    "outbox.newest": lambda here: here.work.outbox.newest(here.scope, before=99, limit=9),
    "outbox.dead": lambda here: here.work.outbox.dead(here.scope, limit=9),
    "outbox.deliveries": lambda here: here.work.outbox.deliveries(here.scope),
    "outbox.revive": lambda here: here.work.outbox.revive(here.scope, subscriber=None, at=MIDDAY),
    "tasks.add": lambda here: here.work.tasks.add(here.scope, asked(here.scope, "t9", key="k9")),
    "tasks.add twice": lambda here: here.work.tasks.add(here.scope, asked(here.scope, "t9", key="k1")),
    "tasks.get": lambda here: here.work.tasks.get(here.scope, "t1"),
    "tasks.with_key": lambda here: here.work.tasks.with_key(here.scope, "k1"),
    "tasks.page": lambda here: here.work.tasks.page(here.scope, TaskFilter(), limit=9),
    "tasks.of_tenant": lambda here: here.work.tasks.of_tenant(here.scope, TaskFilter(), limit=9),
    "tasks.due": lambda here: here.work.tasks.due(here.scope, "crm", now=moment(99), limit=9),
    "tasks.of_anybody": lambda here: here.work.tasks.of_anybody(here.scope, "t1"),
    "tasks.claim": lambda here: here.work.tasks.claim(
        here.scope, asked(here.scope, "t2"), owner="w2", until=moment(9)
    ),
    "tasks.renew": lambda here: here.work.tasks.renew(here.scope, "t1", owner="w1", until=moment(99)),
    "tasks.postpone": lambda here: here.work.tasks.postpone(
        here.scope, asked(here.scope), owner="w1", due_at=moment(9), at=moment(1)
    ),
    "tasks.end": lambda here: here.work.tasks.end(
        here.scope, "t1", status="completed", ending=TaskDone(), at=moment(1), owner="w1"
    ),
    "tasks.end of anybody": lambda here: here.work.tasks.end(
        here.scope, "t2", status="cancelled", ending=TaskDone(), at=moment(1), owner=None
    ),
    "tasks.unjudged": lambda here: here.work.tasks.unjudged(here.scope, limit=9),
    "tasks.hide": lambda here: here.work.tasks.hide(here.scope, "t1", "order"),
    "tasks.texts": lambda here: here.work.tasks.texts(here.scope, PERSON),
}
TENANCY: dict[str, Act] = {
    "keys.add": lambda here: here.work.keys.add(here.scope, _named(here, "new"), b"d"),
    "keys.all": lambda here: here.work.keys.all(here.scope),
    "keys.get": lambda here: here.work.keys.get(here.scope, f"key of {here.other}"),
    "keys.put": lambda here: here.work.keys.put(
        here.scope, msgspec.structs.replace(api_key(here.other), revoked_at=MIDDAY)
    ),
    "usages.plan": lambda here: here.work.usages.plan(here.scope),
    "usages.count": lambda here: here.work.usages.count(here.scope, "messages", now=MIDDAY, amount=1),
    "usages.take": lambda here: here.work.usages.take(here.scope, "messages", since=MIDDAY, amount=1),
    "usages.used": lambda here: here.work.usages.used(here.scope, "messages", since=MIDDAY),
    "usages.link_secret": lambda here: here.work.usages.link_secret(here.scope),
    "accounts.erase": lambda here: SqlAccounts(here.transaction).erase(here.scope.tenant),
    "accounts.is_known": _is_known,
    "accounts.users": lambda here: sorted(SqlAccounts(here.transaction).users(here.scope.tenant)),
    "accounts.forget_attempts": lambda here: SqlAccounts(here.transaction).forget_attempts(
        [(here.scope.tenant, here.scope.user, "a1")]
    ),
    "journal.step": lambda here: Journal(here.scope, "other", _answered()).step(lambda _: 1)(here.transaction),
    "journal.step again": lambda here: Journal(here.scope, "once", _begun(here)).step(lambda _: 1)(
        here.transaction
    ),
    "answers.get": lambda here: here.work.answers.get(here.scope, "once"),
    "answers.spend": lambda here: here.work.answers.spend(here.scope, "once", _answered(status=200)),
    "answers.settle": lambda here: here.work.answers.settle(here.scope, "once", _answered(status=200)),
}
LOGINS: dict[str, Act] = {
    "logins.all": lambda here: here.work.logins.all(here.scope),
    "logins.named": lambda here: here.work.logins.named(here.scope, "name l1"),
    "logins.put": lambda here: here.work.logins.put(here.scope, login(here.scope, "l9"), "hash"),
    "logins.put again": lambda here: here.work.logins.put(here.scope, login(here.scope, "l1"), "another hash"),
    "logins.touch": lambda here: here.work.logins.touch(here.scope, "l1", at=moment(5)),
    "logins.end": lambda here: here.work.logins.end(here.scope, "l1"),
    "logins.invite": lambda here: here.work.logins.invite(here.scope, invitation(here.scope, "i9"), b"d"),
    "logins.invitations": lambda here: here.work.logins.invitations(here.scope),
    "logins.spend": lambda here: here.work.logins.spend(here.scope, "i1"),
    "logins.open_session": lambda here: here.work.logins.open_session(here.scope, session(here.scope, "s9"), b"d"),
    "logins.put_session": lambda here: here.work.logins.put_session(
        here.scope, msgspec.structs.replace(session(here.scope, "l1 s1"), seen_at=moment(5))
    ),
    "logins.end_sessions": lambda here: here.work.logins.end_sessions(here.scope, "l1"),
    "logins.end_sessions only one": lambda here: here.work.logins.end_sessions(here.scope, "l1", only="l1 s1"),
    "logins.count_try": lambda here: here.work.logins.count_try(here.scope, "elsewhere", since=MIDDAY),
    "logins.count_try again": lambda here: here.work.logins.count_try(here.scope, "address", since=MIDDAY),
}
TRENDS: dict[str, Act] = {
    "trends.add": lambda here: here.work.trends.add(here.scope, [counted(3)]),
    "trends.raise_to": lambda here: here.work.trends.raise_to(here.scope, counted(9)),
    "trends.since": lambda here: here.work.trends.since(here.scope, EPOCH),
    "trends.judged": lambda here: _ordered(here.work.trends.judged(here.scope, EPOCH, moment(5))),
    "trends.acts": lambda here: _ordered(here.work.trends.acts(here.scope, EPOCH, moment(5), last=99)),
}
MISSIONS: dict[str, Act] = {
    "missions.create": lambda here: here.wait(here.missions.create(here.scope, mission(here.scope, "w9"))),
    "missions.get": lambda here: _got(here, "w2"),
    "missions.change": lambda here: here.wait(here.missions.change(here.person, "w2", plan=_failed)),
    "missions.delete": lambda here: here.wait(here.missions.delete(here.person, "w2")),
    "missions.erase": lambda here: here.wait(here.missions.erase(here.person)),
    "missions.erase conversation": lambda here: here.wait(here.missions.erase(here.scope.within("c1"))),
    "missions.erase other conversation": lambda here: here.wait(here.missions.erase(here.scope.within("c2"))),
    "missions.find_active": lambda here: here.wait(here.missions.find_active(here.person)),
}
ERASING: dict[str, Act] = {
    f"{room}.erase {what}": partial(_erase, room=room, doomed=doomed)
    for room in ERASABLE
    for what, doomed in {"person": PERSON, "conversation": TALK, "one": ONE}.items()
}
ROOMS = (HISTORY, KNOWLEDGE, DOCUMENTS, INDEX, EVENTS, TENANCY, LOGINS, TRENDS, MISSIONS, ERASING)
ACTS: dict[str, Act] = {name: act for room in ROOMS for name, act in room.items()}


def _ordered(days: list[DayCount]) -> list[DayCount]:
    """Counts in one order, since the store returns the groups in any."""
    return sorted(days, key=msgspec.structs.astuple)


def _begun(here: Here) -> IdempotentAnswer:
    return IdempotentAnswer(fingerprint=here.scope.tenant.encode(), begun_at=MIDDAY)
