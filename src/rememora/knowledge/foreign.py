"""Takes in what another product remembers of a person: through the gate, once, and in the place of nothing."""

from __future__ import annotations

import asyncio
import hashlib
import re
import uuid
from datetime import datetime

import msgspec

from rememora.domain.check import check_name, check_time
from rememora.domain.memory import Memory, Outcome, Wish
from rememora.domain.rights import Actor
from rememora.domain.scope import Scope
from rememora.domain.verdict import AnyVerdict, Ask, Correct, Forget, Origin, Quarantine, Refuse, Save
from rememora.knowledge import control, keep
from rememora.knowledge.aside import ask_to_save, hold
from rememora.knowledge.desk import Desk, Hand, state_of
from rememora.knowledge.note import UNREAD, judge, wishes_of
from rememora.knowledge.spans import fitted
from rememora.language import fold
from rememora.ports.knowledge import Span
from rememora.tenancy.quotas import charge

KEY_WORDS = 4
KEY_CHARACTERS = 200
DIGEST_CHARACTERS = 8
WHOLE = "user.imported"
"""Beginning of the keys of sentences that were kept as they stand."""
WHOLE_CONFIDENCE = 0.5
_SPACE = uuid.UUID("4f1f2b0e-5b58-5d0c-9d54-6f2f0c1d7a11")
_WORD = re.compile(r"[a-z0-9]+")


class Foreign(msgspec.Struct, frozen=True, kw_only=True):
    """A sentence of another product about a person: what it is called there, and since when it is known."""

    text: str
    ref: str
    at: datetime | None = None
    # Whether a sentence that the gate would ask about or refuse is kept as it stands: it was kept there already.
    whole: bool = False

    def __post_init__(self) -> None:
        check_name("ref", self.ref)
        if self.at is not None:
            check_time("at", self.at)


async def bring(desk: Desk, scope: Scope, foreign: Foreign, *, actor: Actor) -> Outcome:
    """Keep, ask about or hold apart what was remembered elsewhere; what is here already has no verdict."""
    verdict = await asyncio.to_thread(judge, desk, foreign.text)
    about = Wish(key="user.text", value=UNREAD, source_ref=foreign.ref)
    found = wishes_of(desk, foreign.text, verdict, about, actor=actor)
    # Another product knows one person: nothing of it is the whole tenant's.
    wishes = tuple(msgspec.structs.replace(wish, scope="personal") for wish in found)
    return await desk.write(scope, actor, lambda hand: _bring(hand, desk, foreign, verdict, wishes))


def _bring(hand: Hand, desk: Desk, foreign: Foreign, verdict: AnyVerdict, wishes: tuple[Wish, ...]) -> Outcome:
    here = _here(hand, foreign, verdict, len(wishes))
    if here is not None:
        return here
    if isinstance(verdict, Save | Correct) and wishes:
        words = [keep.weigh(desk, wish) for wish in wishes]
        if not foreign.whole or any(isinstance(word, Save) for word in words):
            kept = [
                _keep(hand, foreign, wish, word, n)
                for n, (wish, word) in enumerate(zip(wishes, words, strict=True))
            ]
            return _together(verdict, kept)
    if foreign.whole and not isinstance(verdict, Quarantine):
        return _keep_whole(hand, desk, foreign, verdict)
    # An order among another product's memories is not this person's order: it is tried, and not done.
    hand.attempt(verdict, wishes[0] if wishes else None)
    return _aside(hand, foreign, verdict, wishes)


def _keep_whole(hand: Hand, desk: Desk, foreign: Foreign, verdict: AnyVerdict) -> Outcome:
    """Keep a sentence as it stands, of little weight; a sensitive one in silence, a wish to forget held apart."""
    if isinstance(verdict, Forget):
        hand.attempt(verdict, None)
        return Outcome(verdict=verdict, quarantined=(hold(hand, foreign.text, verdict, ref=foreign.ref),))
    words = "_".join(_WORD.findall(fold(foreign.text))[:KEY_WORDS]) or "text"
    wish = Wish(
        key=f"{WHOLE}_{words}"[:KEY_CHARACTERS],
        value=foreign.text,
        scope="personal",
        confidence=WHOLE_CONFIDENCE,
        source="inferred",
        source_ref=foreign.ref,
        origin=Origin.DOCUMENT,
        evidence=foreign.text,
    )
    placed = keep.place(desk.policy, wish, hand.actor)
    free = msgspec.structs.replace(placed, key=_free_key(hand, placed))
    known = hand.work.memories.active(hand.scope, free.key, shared=False)
    if known is not None:
        return Outcome(memories=(known,))
    memory = _put(hand, free, id=_id(hand.scope, foreign.ref, 0), at=foreign.at)
    hand.attempt(verdict, free, memory)
    if isinstance(verdict, Refuse) and verdict.sensitive:
        memory = control.silence(hand, memory, why=verdict.reason)
    return Outcome(verdict=verdict, memories=(memory,))


def _together(verdict: AnyVerdict, outcomes: list[Outcome]) -> Outcome:
    """Several facts' outcomes as one, under the word on the facts where none was kept; none if all were here."""
    words = [each.verdict for each in outcomes if each.verdict is not None]
    kept = any(isinstance(word, Save) for word in words)
    return Outcome(
        verdict=verdict if kept else next(iter(words), None),
        memories=tuple(memory for each in outcomes for memory in each.memories),
        proposals=tuple(asked for each in outcomes for asked in each.proposals),
        quarantined=tuple(held for each in outcomes for held in each.quarantined),
    )


def _here(hand: Hand, foreign: Foreign, verdict: AnyVerdict, facts: int) -> Outcome | None:
    """What an earlier import made of this sentence, however it stands now."""
    ids = [_id(hand.scope, foreign.ref, number) for number in range(max(facts, 1))]
    known = hand.work.memories.with_ids(hand.scope, ids)
    if known:
        return Outcome(memories=tuple(known.values()))
    if isinstance(verdict, Quarantine) or (foreign.whole and isinstance(verdict, Forget)):
        texts = tuple(each for each in hand.work.quarantine.of_user(hand.scope) if each.source_ref == foreign.ref)
        return Outcome(quarantined=texts) if texts else None
    if isinstance(verdict, Ask):
        return _asked(hand, foreign)
    return None


def _asked(hand: Hand, foreign: Foreign) -> Outcome | None:
    asked = hand.work.proposals.all(hand.scope, status=None)
    own = tuple(each for each in asked if (each.wish or {}).get("source_ref") == foreign.ref)
    return Outcome(proposals=own) if own else None


def _aside(hand: Hand, foreign: Foreign, verdict: AnyVerdict, wishes: tuple[Wish, ...]) -> Outcome:
    if isinstance(verdict, Ask):
        free = [msgspec.structs.replace(wish, key=_free_key(hand, wish)) for wish in wishes]
        asked = tuple(ask_to_save(hand, wish, reason=verdict.reason) for wish in free)
        return Outcome(verdict=verdict, proposals=asked)
    if isinstance(verdict, Quarantine):
        return Outcome(verdict=verdict, quarantined=(hold(hand, foreign.text, verdict, ref=foreign.ref),))
    return Outcome(verdict=verdict)


def _keep(hand: Hand, foreign: Foreign, wish: Wish, verdict: AnyVerdict, number: int) -> Outcome:
    """One fact under its key, or under one of its own where another value stands there."""
    if not isinstance(verdict, Save):
        earlier = _asked(hand, foreign) if isinstance(verdict, Ask) else None
        if earlier is None:
            hand.attempt(verdict, wish)
        return earlier or _aside(hand, foreign, verdict, (wish,))
    free = msgspec.structs.replace(wish, key=_free_key(hand, wish))
    known = hand.work.memories.active(hand.scope, free.key, shared=False)
    if known is not None:
        return Outcome(memories=(known,))
    memory = _put(hand, free, id=_id(hand.scope, foreign.ref, number), at=foreign.at)
    hand.attempt(verdict, free, memory)
    return Outcome(verdict=verdict, memories=(memory,))


def _put(hand: Hand, wish: Wish, *, id: str, at: datetime | None) -> Memory:
    """Store a memory that is as old as the other product says."""
    since = hand.now if at is None else min(at, hand.now)
    memory = msgspec.structs.replace(keep.memory_of(hand, wish), id=id, created_at=since, updated_at=since)
    charge(hand.work, hand.scope, "memories", 1, now=hand.now)
    taken = hand.work.memories.spans_of_key(hand.scope, memory.key)
    hand.work.memories.add(hand.scope, memory, spans=fitted([Span(since=since)], taken))
    hand.cite(memory)
    hand.show(memory)
    hand.record("import", memory, after=state_of(memory))
    hand.tell(keep.updated(memory, "import"))
    return memory


def _free_key(hand: Hand, wish: Wish) -> str:
    """The wish's key, unless another value stands there: then the key with the value's words, or its digest."""
    words = "_".join(_WORD.findall(fold(str(wish.plain_value)))[:KEY_WORDS])
    digest = hashlib.sha256(str(wish.plain_value).encode()).hexdigest()[:DIGEST_CHARACTERS]
    own = f"{wish.key}_{words}"[:KEY_CHARACTERS] if words else wish.key
    for key in (wish.key, own):
        current = hand.work.memories.active(hand.scope, key, shared=False)
        if current is None or current.value == wish.value:
            return key
    return f"{own}_{digest}"


def _id(scope: Scope, ref: str, number: int) -> str:
    """The same for the same sentence of the same person: a second import finds the first."""
    return str(uuid.uuid5(_SPACE, "\n".join((scope.tenant, scope.user, ref, str(number)))))
