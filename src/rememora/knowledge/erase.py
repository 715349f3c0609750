"""Erases permanently: from every table, queue and file, with a receipt that gives counts and no content.

Each place that holds personal data is listed in `PLACES`; a layer with another place adds a line.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType

import msgspec

from rememora.domain.audit import Act
from rememora.domain.entity import Entity
from rememora.domain.event import MemoryDeleted
from rememora.domain.ids import new_id
from rememora.domain.memory import Memory, MemoryFilter
from rememora.domain.receipt import Erasure, ErasurePlan, OutsideErasure, Receipt, ReceiptReport
from rememora.domain.rights import Actor
from rememora.domain.scope import Scope
from rememora.errors import NotFound, RememoraError
from rememora.knowledge import audit
from rememora.knowledge.base import KnowledgeBase, KnowledgeWriter
from rememora.language import fold
from rememora.language.amended import extends
from rememora.ports.erasable import Erasable
from rememora.ports.outside import Signer
from rememora.ports.store import Store, UnitOfWork
from rememora.visibility.follow import ErasedTraces, erase_sources, spoken_text

EVERY = 1_000_000
SAID_AT_MOST = 1_000
LEAST_CHARACTERS = 12
"""Minimum length of a text that identifies its source."""
FINGERPRINT_BYTES = 16
FINGERPRINTS = 200
NEEDLES = 32
NEEDLE_CHARACTERS = 48
NEEDLE_BYTES = 6
SELF = "self"
NOTHING: Mapping[str, int] = MappingProxyType({})
# Only words long enough to identify somebody.
_WORD = re.compile(r"\w{5,}")
_NUMBER = re.compile(r"[0-9][0-9 ()./-]{5,30}[0-9]")

PLACES: tuple[tuple[str, Callable[[UnitOfWork], Erasable]], ...] = (
    ("vectors", lambda work: work.index),
    ("memories", lambda work: work.memories),
    ("attempts", lambda work: work.attempts),
    ("proposals", lambda work: work.proposals),
    ("quarantined", lambda work: work.quarantine),
    ("entities", lambda work: work.entities),
    ("documents", lambda work: work.documents),
    ("sources", lambda work: work.sources),
    ("messages", lambda work: work.messages),
    ("summaries", lambda work: work.summaries),
    ("episodes", lambda work: work.episodes),
    ("chores", lambda work: work.chores),
    ("unread", lambda work: work.unread),
    ("conversations", lambda work: work.conversations),
    ("tasks", lambda work: work.tasks),
    ("events", lambda work: work.outbox),
    ("answers", lambda work: work.answers),
    ("logins", lambda work: work.logins),
)
"""Every place that holds personal data, and how to reach it."""


class ErasedContent(msgspec.Struct, frozen=True, kw_only=True):
    """Erased content of one erasure, while its words are still in memory."""

    id: str
    counts: dict[str, int]
    position: int
    at: datetime
    texts: tuple[str, ...]
    plan: ErasurePlan

    @property
    def words(self) -> frozenset[str]:
        """Return the words that the fingerprints are made of."""
        return words_of(self.texts)


class RemainingCopies(msgspec.Struct, frozen=True, kw_only=True):
    """Matches left in the store's files after an erasure: other rows with the same text, and places out of reach.

    `words` are those that rightly remain; empty if that could not be determined, so that a check finds them.
    """

    elsewhere: int = 0
    remains: tuple[str, ...] = ()
    words: frozenset[bytes] = frozenset()


Onward = Callable[[ErasurePlan], Awaitable[OutsideErasure]]
"""Removes what the store itself has published, after the relay has stopped."""


async def nothing_beyond(_: ErasurePlan) -> OutsideErasure:
    """Nothing was published."""
    return OutsideErasure()


async def erase(
    knowledge: KnowledgeBase,
    scope: Scope,
    erasure: Erasure,
    *,
    actor: Actor,
    counts: Mapping[str, int] = NOTHING,
    onward: Onward = nothing_beyond,
) -> Receipt:
    """Erase permanently, remove the bytes from the store's files, and sign the receipt, here and elsewhere."""
    if actor.id not in (scope.user, scope.human) and not actor.rights.act_for_users:
        actor.need("erase_others")
    named = await knowledge.store.read(scope, lambda work: _named(work, scope, erasure))
    for target in _exactly(erasure, named):
        await knowledge.note_erasure(scope, target)
    # Outside of the transaction: it takes as long as the person's history is, and nobody has to wait for it.
    said = await knowledge.store.read(scope, lambda work: _said(work, scope, erasure, named))
    erased = await knowledge.write(scope, actor, lambda writer: _erase(writer, erasure, said))
    beyond = await onward(erased.plan)
    left = await _scrub_files(knowledge.store, scope, erased.texts, rebuild=erasure.person)
    marks = sorted((word for word in erased.words if word.encode() not in left.words), key=len)[-FINGERPRINTS:]
    receipt = Receipt(
        id=erased.id,
        tenant=scope.tenant,
        kind=erasure.kind,
        at=erased.at,
        counts=_summed(erased.counts, counts, beyond.counts),
        audit_position=erased.position,
        fingerprints=tuple(sorted(fingerprint(knowledge.signer, erased.id, word) for word in marks)),
        elsewhere=left.elsewhere,
        public_key=knowledge.signer.public_key.hex(),
        remains=(*left.remains, *beyond.remains),
    )
    return knowledge.signed(receipt)


def _summed(*counts: Mapping[str, int]) -> dict[str, int]:
    """Add up the counts of each place; a place that held nothing is still named."""
    names = dict.fromkeys(name for count in counts for name in count)
    return {name: sum(count.get(name, 0) for count in counts) for name in names}


def _exactly(erasure: Erasure, named: Sequence[Memory]) -> list[Erasure]:
    """Return the same erasure by ids, if a memory was named by key, so that a repetition means the same ones."""
    if erasure.memory is None or not named:
        return [erasure]
    return [msgspec.structs.replace(erasure, memory=memory.id) for memory in named]


def _named(work: UnitOfWork, scope: Scope, erasure: Erasure) -> list[Memory]:
    """Return the memories of an erasure: all that were ever under a key, or one id and those it replaced."""
    if erasure.memory is None:
        filters = MemoryFilter(
            status=None, scope="personal", prefix=erasure.topic, conversation=erasure.conversation
        )
        return work.memories.page(scope, filters, limit=EVERY)
    match = work.memories.get(scope, erasure.memory)
    if match is not None:
        return _with_amended(work, scope, [match, *_before(work, scope, match)])
    # Not an id, so a key: the person's own memories before those of the tenant.
    personal = work.memories.of_key(scope, erasure.memory, shared=False)
    found_there = personal or work.memories.of_key(scope, erasure.memory, shared=True)
    before = [earlier for memory in found_there for earlier in _before(work, scope, memory)]
    return _with_amended(work, scope, list({memory.id: memory for memory in (*found_there, *before)}.values()))


def _with_amended(work: UnitOfWork, scope: Scope, memories: list[Memory]) -> list[Memory]:
    """Add the later versions of amended statements, which begin with the words of those before them."""
    line = list(memories)
    for earlier in line:
        for later in work.memories.successors(scope, earlier):
            says_it = later.supersedes == earlier.id and extends(str(later.value), str(earlier.value))
            if says_it and later not in line:
                line.append(later)
    return line


def _before(work: UnitOfWork, scope: Scope, memory: Memory) -> list[Memory]:
    """Return the memories that this one replaced, whole or in part, one after the other."""
    line = [memory]
    for other in line:
        for origin in (other.supersedes, other.follows):
            earlier = None if origin is None else work.memories.get(scope, origin)
            if earlier is not None and earlier not in line:
                line.append(earlier)
    return line[1:]


def _said(work: UnitOfWork, scope: Scope, erasure: Erasure, memories: Sequence[Memory]) -> list[tuple[str, str]]:
    """Return the messages that contain erased text verbatim, besides its known sources."""
    if erasure.person and erasure.history:
        return []
    words = {(memory.evidence or "").strip() for memory in memories if memory.scope == "personal"}
    texts = [
        place
        for text in sorted(words)
        if len(text) >= LEAST_CHARACTERS
        for place in work.sources.saying(scope, text, limit=SAID_AT_MOST)
    ]
    return list(dict.fromkeys(texts))


async def _scrub_files(store: Store, scope: Scope, texts: Sequence[str], *, rebuild: bool) -> RemainingCopies:
    """Remove the bytes of the texts from the files; a failure is named in the receipt, since the rows are gone."""
    try:
        return await _scrubbed(store, scope, texts, rebuild=rebuild)
    except (RememoraError, OSError) as error:
        return RemainingCopies(remains=(scrub_failure(error),))


def scrub_failure(error: Exception) -> str:
    """Describe for a receipt the files that could not be cleaned or searched."""
    return f"bytes in the store's files and logs, until an erasure of this tenant goes through to its end: {error}"


async def _scrubbed(store: Store, scope: Scope, texts: Sequence[str], *, rebuild: bool) -> RemainingCopies:
    needles = needles_of(texts)
    # A search reads the files once per piece, a rewrite once in all: with many pieces the rewrite is cheaper.
    rebuild = rebuild or len(needles) > NEEDLES
    sample = needles[:: len(needles) // NEEDLES + 1]
    remains = await store.scrub(scope, rebuild=rebuild)
    left = await store.residue(scope, sample)
    if left and not rebuild:
        # Either a page kept old bytes, or the same text stands in rows outside the erasure: rewriting the
        # store leaves only the second.
        remains = await store.scrub(scope, rebuild=True)
        left = await store.residue(scope, sample)
    return RemainingCopies(elsewhere=len(left), remains=remains, words=frozenset(await store.words(scope)))


async def verify(
    knowledge: KnowledgeBase, scope: Scope, receipt: Receipt, *, suspects: Sequence[str] = (), actor: Actor
) -> ReceiptReport:
    """Verify a receipt, and search the store's files for the erased content and for suspected text."""
    if suspects:
        actor.need("search_files")
    genuine = _is_genuine(knowledge.signer, receipt)
    known = set(receipt.fingerprints)
    # The receipt holds fingerprints only: every word of the files is sealed alike, and compared.
    words = await knowledge.store.words(scope)
    places = [place for word, place in words.items() if fingerprint(knowledge.signer, receipt.id, word) in known]
    places += await knowledge.store.residue(scope, [text.encode() for text in suspects if text])
    named = sum(fingerprint(knowledge.signer, receipt.id, word) in known for word in words_of(suspects))
    residues = tuple(sorted(set(places), key=lambda place: (place.file, place.offset)))
    return ReceiptReport(
        genuine=genuine, clean=not residues, residues=residues, named=named, elsewhere=receipt.elsewhere
    )


def _is_genuine(signer: Signer, receipt: Receipt) -> bool:
    try:
        return signer.verify(receipt.signed_part(), bytes.fromhex(receipt.signature))
    except ValueError:
        # A signature that is no number at all.
        return False


def fingerprint(signer: Signer, receipt: str, word: str | bytes) -> str:
    """Return the fingerprint of a word in one receipt; keyed, so that words cannot be guessed without the key."""
    plain = word.encode() if isinstance(word, str) else word
    return signer.seal(receipt.encode() + b"\0" + plain)[:FINGERPRINT_BYTES].hex()


def words_of(texts: Iterable[str]) -> frozenset[str]:
    """Return words of five letters or more, as written and folded, and numbers as people write them."""
    plain = {word for text in texts for form in (_WORD, _NUMBER) for word in form.findall(text)}
    return frozenset(plain | {fold(word) for word in plain})


def needles_of(texts: Sequence[str]) -> list[bytes]:
    """Return pieces of the texts that are long enough to be unique."""
    pieces = {
        text[start : start + NEEDLE_CHARACTERS].encode()
        for text in texts
        for start in range(0, len(text), NEEDLE_CHARACTERS)
    }
    return sorted(piece for piece in pieces if len(piece) >= NEEDLE_BYTES)


def _erase(writer: KnowledgeWriter, erasure: Erasure, places: Sequence[tuple[str, str]]) -> ErasedContent:
    memories = _memories(writer, erasure)
    traces = _hide(writer, memories, erasure, places)
    plan, texts = _reach(writer, erasure, memories, traces.mentioned)
    for memory in _shared(writer, plan):
        writer.show(msgspec.structs.replace(memory, status="deleted"))
    emptied = writer.work.audit.redact(writer.scope, plan)
    counts = {name: holder(writer.work).erase(writer.scope, plan) for name, holder in PLACES}
    counts |= {"audit_entries": len(emptied), "hidden": traces.turns}
    counts["vectors"] += traces.vectors
    id = new_id()
    actor = SELF if writer.actor.id in (writer.scope.user, writer.scope.human) else writer.actor.id
    entry = Act(action="erase", actor=actor, after={"receipt": id, "emptied": audit.ranges_of(emptied)})
    position = audit.record(writer.work, writer.scope, entry, signer=writer.signer, at=writer.now)
    writer.tell(MemoryDeleted(erased=True, count=counts["memories"], receipt=id))
    return ErasedContent(id=id, counts=counts, position=position, at=writer.now, texts=tuple(texts), plan=plan)


def _hide(
    writer: KnowledgeWriter, memories: Sequence[Memory], erasure: Erasure, places: Sequence[tuple[str, str]]
) -> ErasedTraces:
    """Hide the remaining turns that would reveal what is erased, permanently."""
    if erasure.person and erasure.history:
        return ErasedTraces()
    goes = erasure.conversation if erasure.history else None
    stays = [place for place in places if place[0] != goes]
    traces = erase_sources(writer.work, writer.scope, memories, stays, now=writer.now)
    writer.touched.extend(traces.touched)
    return traces


def _reach(
    writer: KnowledgeWriter, erasure: Erasure, memories: Sequence[Memory], mentioned: Sequence[str]
) -> tuple[ErasurePlan, list[str]]:
    """Plan an erasure: everything it reaches, and every text of it, for the search of the files."""
    keys = {memory.key for memory in memories}
    values = {fold(spoken_text(memory.value)) for memory in memories if memory.scope == "personal"}
    entities = writer.work.entities.every(writer.scope)
    sole = writer.work.sources.hidden_mentions(writer.scope, mentioned)
    gone = [
        entity
        for entity in entities
        if _goes(entity, keys, erasure)
        or fold(spoken_text(entity.value)) in values
        or 0 < entity.mentions <= sole.get(entity.key, 0)
    ]
    plan = ErasurePlan(
        memories=tuple(memory.id for memory in memories),
        # Events name keys as others see them.
        keys=(*keys, *map(writer.shown, keys)),
        entities=tuple(entity.id for entity in gone),
        conversation=erasure.conversation,
        person=erasure.person,
        history=erasure.history and (erasure.person or erasure.conversation is not None),
    )
    texts = [
        *_memory_texts(memories),
        *(spoken_text(entity.value) for entity in gone),
        *_other_texts(writer, plan),
    ]
    return plan, texts


def _shared(writer: KnowledgeWriter, plan: ErasurePlan) -> list[Memory]:
    """Return the tenant's shared memories that an erasure reaches; they are in the tenant's index."""
    memories = (writer.work.memories.get(writer.scope, id) for id in plan.memories)
    return [memory for memory in memories if memory is not None and memory.scope == "tenant_shared"]


def _goes(entity: Entity, keys: set[str], erasure: Erasure) -> bool:
    there = erasure.conversation is not None and entity.conversation == erasure.conversation
    return erasure.person or there or entity.key in keys


def _memories(writer: KnowledgeWriter, erasure: Erasure) -> list[Memory]:
    named = _named(writer.work, writer.scope, erasure)
    if erasure.memory is not None and not named:
        raise NotFound("memory", erasure.memory)
    if any(memory.scope == "tenant_shared" for memory in named):
        writer.actor.need("write_shared")
    return named


def _memory_texts(memories: Iterable[Memory]) -> list[str]:
    texts: list[str] = []
    for memory in memories:
        texts += [spoken_text(memory.value), memory.evidence or ""]
    return texts


def _other_texts(writer: KnowledgeWriter, plan: ErasurePlan) -> list[str]:
    """Return the texts of tasks, documents, quarantine and messages that are erased with it."""
    texts = [*writer.work.tasks.texts(writer.scope, plan), *writer.work.documents.texts(writer.scope, plan)]
    if plan.person:
        texts += [held.text for held in writer.work.quarantine.of_user(writer.scope)]
    if plan.history:
        texts += writer.work.messages.texts(writer.scope, plan, limit=EVERY)
    return texts
