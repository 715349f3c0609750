"""Erases for good: out of every table, queue and file, with a receipt that says how much and nothing of what.

Each place that holds something about a person stands in `PLACES`; another layer that holds more adds a line.
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
from rememora.domain.receipt import Beyond, Doomed, Erasure, Receipt, ReceiptReport
from rememora.domain.rights import Actor
from rememora.domain.scope import Scope
from rememora.errors import NotFound, RememoraError
from rememora.knowledge import audit
from rememora.knowledge.desk import Desk, Hand
from rememora.language import fold
from rememora.ports.erasable import Erasable
from rememora.ports.outside import Signer
from rememora.ports.store import Store, UnitOfWork
from rememora.visibility.follow import Traces, erase_sources, spoken_text

EVERY = 1_000_000
SAID_AT_MOST = 1_000
LEAST_CHARACTERS = 12
"""A piece of text shorter than this says nothing about where it comes from."""
FINGERPRINT_BYTES = 16
FINGERPRINTS = 200
NEEDLES = 32
NEEDLE_CHARACTERS = 48
NEEDLE_BYTES = 6
SELF = "self"
NOTHING: Mapping[str, int] = MappingProxyType({})
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
    ("conversations", lambda work: work.conversations),
    ("tasks", lambda work: work.tasks),
    ("events", lambda work: work.outbox),
    ("answers", lambda work: work.answers),
    ("logins", lambda work: work.logins),
)
"""Every place that holds something about a person, and how to reach it."""


class Erased(msgspec.Struct, frozen=True, kw_only=True):
    """What one erasure took out, while its words are still in memory."""

    id: str
    counts: dict[str, int]
    position: int
    at: datetime
    texts: tuple[str, ...]
    doomed: Doomed

    @property
    def words(self) -> frozenset[str]:
        """The words that fingerprints are made of."""
        return words_of(self.texts)


class Left(msgspec.Struct, frozen=True, kw_only=True):
    """What stands in the store's files after an erasure: other rows with the same text, and what is out of reach.

    `words` are those that stand there rightly; none where nobody could tell, so that a check finds what was left.
    """

    elsewhere: int = 0
    remains: tuple[str, ...] = ()
    words: frozenset[bytes] = frozenset()


Onward = Callable[[Doomed], Awaitable[Beyond]]
"""Takes away what the store itself has passed on, once it has nothing more to pass on."""


async def nothing_beyond(_: Doomed) -> Beyond:
    """Nothing was passed on."""
    return Beyond()


async def erase(
    desk: Desk,
    scope: Scope,
    erasure: Erasure,
    *,
    actor: Actor,
    beside: Mapping[str, int] = NOTHING,
    onward: Onward = nothing_beyond,
) -> Receipt:
    """Remove for good, drive the bytes out of the store's files, and sign what was done, here and elsewhere."""
    if actor.id != scope.user and not actor.rights.act_for_users:
        actor.need("erase_others")
    named = await desk.store.read(scope, lambda work: _named(work, scope, erasure))
    for each in _exactly(erasure, named):
        await desk.note_erasure(scope, each)
    # Outside of the transaction: it takes as long as the person's history is, and nobody has to wait for it.
    said = await desk.store.read(scope, lambda work: _said(work, scope, erasure, named))
    erased = await desk.write(scope, actor, lambda hand: _erase(hand, erasure, said))
    beyond = await onward(erased.doomed)
    left = await _drive_out(desk.store, scope, erased.texts, rebuild=erasure.person)
    marks = sorted((word for word in erased.words if word.encode() not in left.words), key=len)[-FINGERPRINTS:]
    receipt = Receipt(
        id=erased.id,
        tenant=scope.tenant,
        kind=erasure.kind,
        at=erased.at,
        counts={**erased.counts, **beside, **beyond.counts},
        audit_position=erased.position,
        fingerprints=tuple(sorted(fingerprint(desk.signer, erased.id, word) for word in marks)),
        elsewhere=left.elsewhere,
        public_key=desk.signer.public_key.hex(),
        remains=(*left.remains, *beyond.remains),
    )
    return desk.signed(receipt)


def _exactly(erasure: Erasure, named: Sequence[Memory]) -> list[Erasure]:
    """The same wish by ids, where a memory was named: who repeats it later means the same ones."""
    if erasure.memory is None or not named:
        return [erasure]
    return [msgspec.structs.replace(erasure, memory=memory.id) for memory in named]


def _named(work: UnitOfWork, scope: Scope, erasure: Erasure) -> list[Memory]:
    """The memories an erasure means: by key all that ever stood there, by id one and those it replaced."""
    if erasure.memory is None:
        wanted = MemoryFilter(
            status=None, scope="personal", prefix=erasure.topic, conversation=erasure.conversation
        )
        return work.memories.page(scope, wanted, limit=EVERY)
    found = work.memories.get(scope, erasure.memory)
    if found is not None:
        return [found, *_before(work, scope, found)]
    own = work.memories.of_key(scope, erasure.memory, shared=False)
    return own or work.memories.of_key(scope, erasure.memory, shared=True)


def _before(work: UnitOfWork, scope: Scope, memory: Memory) -> list[Memory]:
    """The memories whose place this one took, one after the other."""
    line = [memory]
    while line[-1].supersedes and (earlier := work.memories.get(scope, line[-1].supersedes)) is not None:
        if earlier in line:
            break
        line.append(earlier)
    return line[1:]


def _said(work: UnitOfWork, scope: Scope, erasure: Erasure, memories: Sequence[Memory]) -> list[tuple[str, str]]:
    """The messages that hold the very words of what is erased, beside those it is known to come from."""
    if erasure.person and erasure.history:
        return []
    words = {(each.evidence or "").strip() for each in memories if each.scope == "personal"}
    found = [
        place
        for text in sorted(words)
        if len(text) >= LEAST_CHARACTERS
        for place in work.sources.saying(scope, text, limit=SAID_AT_MOST)
    ]
    return list(dict.fromkeys(found))


async def _drive_out(store: Store, scope: Scope, texts: Sequence[str], *, rebuild: bool) -> Left:
    """Leave no byte of the texts in the files; where that fails the receipt says so: the rows are gone."""
    try:
        return await _driven_out(store, scope, texts, rebuild=rebuild)
    except (RememoraError, OSError) as error:
        return Left(remains=(not_driven_out(error),))


def not_driven_out(error: Exception) -> str:
    """What a receipt says of files that could not be cleaned, or not be searched."""
    return f"bytes in the store's files and logs, until an erasure of this tenant goes through to its end: {error}"


async def _driven_out(store: Store, scope: Scope, texts: Sequence[str], *, rebuild: bool) -> Left:
    needles = needles_of(texts)
    # Searching costs the files' size for each piece, writing them anew costs it once: many pieces do the second.
    rebuild = rebuild or len(needles) > NEEDLES
    sample = needles[:: len(needles) // NEEDLES + 1]
    remains = await store.scrub(scope, rebuild=rebuild)
    left = await store.residue(scope, sample)
    if left and not rebuild:
        # Either a page kept old bytes, or the same text stands in rows that nobody asked to erase: writing the
        # store anew leaves only the second.
        remains = await store.scrub(scope, rebuild=True)
        left = await store.residue(scope, sample)
    return Left(elsewhere=len(left), remains=remains, words=frozenset(await store.words(scope)))


async def verify(
    desk: Desk, scope: Scope, receipt: Receipt, *, suspects: Sequence[str] = (), actor: Actor
) -> ReceiptReport:
    """Check a receipt, and look through the store's files for what it stands for and for suspected text."""
    if suspects:
        actor.need("search_files")
    genuine = _is_genuine(desk.signer, receipt)
    known = set(receipt.fingerprints)
    words = await desk.store.words(scope)
    found = [place for word, place in words.items() if fingerprint(desk.signer, receipt.id, word) in known]
    found += await desk.store.residue(scope, [text.encode() for text in suspects if text])
    named = sum(fingerprint(desk.signer, receipt.id, word) in known for word in words_of(suspects))
    residues = tuple(sorted(set(found), key=lambda place: (place.file, place.offset)))
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
    """What stands for a word in one receipt; keyed, so that nobody without the key can try words against it."""
    plain = word.encode() if isinstance(word, str) else word
    return signer.seal(receipt.encode() + b"\0" + plain)[:FINGERPRINT_BYTES].hex()


def words_of(texts: Iterable[str]) -> frozenset[str]:
    """Words of five letters or more, as written and as search folds them, and numbers as people write them."""
    plain = {word for text in texts for form in (_WORD, _NUMBER) for word in form.findall(text)}
    return frozenset(plain | {fold(word) for word in plain})


def needles_of(texts: Sequence[str]) -> list[bytes]:
    """Pieces of the texts long enough to be nobody else's by chance."""
    pieces = {
        text[start : start + NEEDLE_CHARACTERS].encode()
        for text in texts
        for start in range(0, len(text), NEEDLE_CHARACTERS)
    }
    return sorted(piece for piece in pieces if len(piece) >= NEEDLE_BYTES)


def _erase(hand: Hand, erasure: Erasure, said: Sequence[tuple[str, str]]) -> Erased:
    memories = _memories(hand, erasure)
    traces = _hide(hand, memories, erasure, said)
    doomed, texts = _reach(hand, erasure, memories, traces.mentioned)
    for memory in _shared(hand, doomed):
        hand.show(msgspec.structs.replace(memory, status="deleted"))
    emptied = hand.work.audit.redact(hand.scope, doomed)
    counts = {name: holder(hand.work).erase(hand.scope, doomed) for name, holder in PLACES}
    counts |= {"audit_entries": len(emptied), "hidden": traces.turns}
    counts["vectors"] += traces.vectors
    id = new_id()
    actor = SELF if hand.actor.id == hand.scope.user else hand.actor.id
    entry = Act(action="erase", actor=actor, after={"receipt": id, "emptied": audit.ranges_of(emptied)})
    position = audit.record(hand.work, hand.scope, entry, signer=hand.signer, at=hand.now)
    hand.tell(MemoryDeleted(erased=True, count=counts["memories"], receipt=id))
    return Erased(id=id, counts=counts, position=position, at=hand.now, texts=tuple(texts), doomed=doomed)


def _hide(hand: Hand, memories: Sequence[Memory], erasure: Erasure, said: Sequence[tuple[str, str]]) -> Traces:
    """Let no turn that stays tell what is erased: hidden for good."""
    if erasure.person and erasure.history:
        return Traces()
    goes = erasure.conversation if erasure.history else None
    stays = [place for place in said if place[0] != goes]
    traces = erase_sources(hand.work, hand.scope, memories, stays, now=hand.now)
    hand.touched.extend(traces.touched)
    return traces


def _reach(
    hand: Hand, erasure: Erasure, memories: Sequence[Memory], mentioned: Sequence[str]
) -> tuple[Doomed, list[str]]:
    """What an erasure reaches, and every text of it, for the search of the files."""
    keys = {memory.key for memory in memories}
    values = {fold(spoken_text(memory.value)) for memory in memories if memory.scope == "personal"}
    entities = hand.work.entities.every(hand.scope)
    sole = hand.work.sources.hidden_mentions(hand.scope, mentioned)
    gone = [
        each
        for each in entities
        if _goes(each, keys, erasure)
        or fold(spoken_text(each.value)) in values
        or 0 < each.mentions <= sole.get(each.key, 0)
    ]
    doomed = Doomed(
        memories=tuple(memory.id for memory in memories),
        # Events name keys as others see them.
        keys=(*keys, *map(hand.shown, keys)),
        entities=tuple(entity.id for entity in gone),
        conversation=erasure.conversation,
        person=erasure.person,
        history=erasure.history and (erasure.person or erasure.conversation is not None),
    )
    texts = [
        *_memory_texts(memories),
        *(spoken_text(entity.value) for entity in gone),
        *_other_texts(hand, doomed),
    ]
    return doomed, texts


def _shared(hand: Hand, doomed: Doomed) -> list[Memory]:
    """What the tenant shares is in another index than the person's own."""
    found = (hand.work.memories.get(hand.scope, id) for id in doomed.memories)
    return [memory for memory in found if memory is not None and memory.scope == "tenant_shared"]


def _goes(entity: Entity, keys: set[str], erasure: Erasure) -> bool:
    there = erasure.conversation is not None and entity.conversation == erasure.conversation
    return erasure.person or there or entity.key in keys


def _memories(hand: Hand, erasure: Erasure) -> list[Memory]:
    found = _named(hand.work, hand.scope, erasure)
    if erasure.memory is not None and not found:
        raise NotFound("memory", erasure.memory)
    if any(memory.scope == "tenant_shared" for memory in found):
        hand.actor.need("write_shared")
    return found


def _memory_texts(memories: Iterable[Memory]) -> list[str]:
    texts: list[str] = []
    for memory in memories:
        texts += [spoken_text(memory.value), memory.evidence or ""]
    return texts


def _other_texts(hand: Hand, doomed: Doomed) -> list[str]:
    """The texts of tasks, documents, quarantine and messages that go with it."""
    texts = [*hand.work.tasks.texts(hand.scope, doomed), *hand.work.documents.texts(hand.scope, doomed)]
    if doomed.person:
        texts += [held.text for held in hand.work.quarantine.of_user(hand.scope)]
    if doomed.history:
        texts += hand.work.messages.texts(hand.scope, doomed, limit=EVERY)
    return texts
