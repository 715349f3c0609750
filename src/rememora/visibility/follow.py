"""Carries the rule out inside the transaction that changes something: messages, the index, what was made of them.

Every function returns or collects the conversations whose summary or episodes are now withheld, so that the caller
can have them made again once the transaction is over.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import islice, takewhile

import msgspec

from rememora.domain.entity import Entity
from rememora.domain.hit import ItemKey
from rememora.domain.memory import Memory
from rememora.domain.message import Message, question_of
from rememora.domain.scope import Scope
from rememora.domain.visibility import MemorySource, Reason, VisibilityVerdict
from rememora.language import fold
from rememora.language.word_patterns import LETTERS
from rememora.language.wordlists import is_idle
from rememora.ports.store import UnitOfWork
from rememora.visibility.judge import judge_echo
from rememora.visibility.plan import entity_reason, memory_reasons, strongest

ANSWERS_WITHIN = 4
"""Turns after a message among which its answer is looked for."""
LOOKED_BACK = 6
LINEAGE_KEYS = 200
"""Keys among which the forerunners and followers of a memory are looked for."""
SHORTEST_NEEDLE = 3
_ABOUT = ("used_memories", "changed_memories")
_OWN: frozenset[Reason | None] = frozenset({"order", "secret", "erased"})
"""Reasons for which an entity is hidden by its own text; a memory that comes and goes does not change it."""


class ErasedTraces(msgspec.Struct, frozen=True, kw_only=True):
    """Result of an erasure: how many turns and vectors, where, and which entities were counted in them."""

    turns: int = 0
    vectors: int = 0
    touched: tuple[Scope, ...] = ()
    mentioned: tuple[str, ...] = ()


def cite(work: UnitOfWork, scope: Scope, memory: Memory, refs: Iterable[str | None], *, text: str = "") -> None:
    """Link a memory with the messages it came from; where none is named, with the last turn that says it."""
    if not memory.user:
        return
    owner = Scope(memory.tenant, memory.user)
    places = [place for ref in dict.fromkeys(refs) if ref and (place := locate(work, scope, owner, ref))]
    if not any(_plain(text) in _plain(work.messages.with_ids(place, [id])[id].content) for place, id in places):
        # "Save that": the message that asks for it is not the one that says it.
        last = _last_saying(work, scope, owner, text)
        places += [] if last is None else [last]
    for inside, id in places:
        for message_id in (id, *_answers(work, inside, id, text=text)):
            link = MemorySource(
                user=owner.user, memory=memory.id, conversation=str(inside.conversation), message=message_id
            )
            work.sources.add(owner, link)


def locate(work: UnitOfWork, scope: Scope, owner: Scope, ref: str) -> tuple[Scope, str] | None:
    """Find the conversation that holds a message: the current one, or any of the person's."""
    if scope.conversation is not None and scope.user == owner.user:
        current = owner.within(scope.conversation)
        if work.messages.mark(current, ref) is not None:
            return current, ref
    conversation = work.sources.conversation_of(owner, ref)
    return None if conversation is None else (owner.within(conversation), ref)


def follow(work: UnitOfWork, scope: Scope, memory: Memory, *, now: datetime) -> list[Scope]:
    """Update the visibility of the source messages of every memory of a lineage."""
    shared = memory.scope == "tenant_shared"
    family = lineage(work, scope, memory)
    reasons = memory_reasons(family)
    keys = dict.fromkeys((memory.key, *(memory.key for memory in family)))
    links = [link for key in keys for link in work.sources.of_key(scope, key, shared=shared)]
    # Only links whose reason has changed are written: most changes of a memory hide or show nothing.
    moved = [link for link in links if link.hidden != reasons.get(link.memory)]
    for user, id in dict.fromkeys((link.user, link.memory) for link in moved):
        work.sources.mark(Scope(scope.tenant, user), id, reasons.get(id))
    if not shared:
        _follow_values(work, scope.person(), family, reasons)
    touched: list[Scope] = []
    # A conversation at a time, as `refresh` judges them anew; it says whether anything has changed there.
    for user, conversation in dict.fromkeys((link.user, link.conversation) for link in moved):
        place = Scope(scope.tenant, user, conversation)
        ids = dict.fromkeys(
            link.message for link in moved if (link.user, link.conversation) == (user, conversation)
        )
        if refresh(work, place, list(ids), now=now):
            touched.append(place)
    return touched


def lineage(work: UnitOfWork, scope: Scope, memory: Memory) -> list[Memory]:
    """All memories under a key, and under every key that one of them came from or went to."""
    shared = memory.scope == "tenant_shared"
    family_of: dict[str, Memory] = {}
    keys = [memory.key]
    # `keys` grows while it is read: a memory may have moved from key to key. The number is bounded, since
    # imported data can chain without end.
    for key in islice(keys, LINEAGE_KEYS):
        family = work.memories.of_key(scope, key, shared=shared)
        family_of.update((relative.id, relative) for relative in family)
        origins = {origin for relative in family for origin in (relative.supersedes, relative.follows) if origin}
        named = [work.memories.get(scope, id) for id in origins - family_of.keys()]
        replaced = {
            origin for relative in family_of.values() for origin in (relative.supersedes, relative.follows)
        }
        # Replaced, but by nothing under the keys seen so far: its successor has another key.
        ended = [
            relative for relative in family if relative.status == "deprecated" and relative.id not in replaced
        ]
        later = [next for old in ended for next in work.memories.successors(scope, old)]
        near = [relative.key for relative in (*named, *later) if relative is not None]
        keys.extend(dict.fromkeys(key_ for key_ in near if key_ not in keys))
    return list(family_of.values())


def conclude(
    work: UnitOfWork, scope: Scope, ref: str | None, judged: VisibilityVerdict, *, now: datetime
) -> list[Scope]:
    """Store what the gate made of a message, in the transaction of its verdict; answers to it are its echo."""
    place = None if ref is None else locate(work, scope, scope.person(), ref)
    if place is None:
        return []
    inside, id = place
    work.messages.judge(inside, id, judged.hidden, shown=judged.shown)
    # Answers came in before the gate had decided, and may repeat what is hidden now.
    answers = _answers(work, inside, id)
    for answer in answers:
        _echo(work, inside, answer, id, of=judged.hidden)
    return [inside] if refresh(work, inside, [id, *answers], now=now) else []


def erase_sources(
    work: UnitOfWork,
    scope: Scope,
    memories: Iterable[Memory],
    verbatim: Iterable[tuple[str, str]],
    *,
    now: datetime,
) -> ErasedTraces:
    """Hide permanently the source messages of erased memories, and those that `verbatim` names."""
    owners = {memory.id: Scope(memory.tenant, memory.user) for memory in memories if memory.user}
    links = [link for id, owner in owners.items() for link in work.sources.of_memories(owner, [id])]
    places = [(link.user, link.conversation, link.message) for link in links]
    places += [(scope.user, conversation, id) for conversation, id in verbatim]
    # By conversation, so that each is renewed and its summary withheld once.
    grouped: dict[Scope, list[str]] = {}
    for user, conversation, id in dict.fromkeys(places):
        grouped.setdefault(Scope(scope.tenant, user, conversation), []).append(id)
    return _together([_erase_turns(work, place, ids, now=now) for place, ids in grouped.items()])


def _erase_turns(work: UnitOfWork, place: Scope, ids: Sequence[str], *, now: datetime) -> ErasedTraces:
    marks = {id: work.messages.mark(place, id) for id in ids}
    fresh = [id for id, mark in marks.items() if mark is not None and mark.judged != "erased"]
    # Marked first: `refresh` judges what was made of these turns by their marks.
    for id in fresh:
        work.messages.judge(place, id, "erased")
    vectors = work.index.drop(place, [ItemKey("message", id, str(place.conversation)) for id in fresh])
    moved = refresh(work, place, fresh, now=now)
    return ErasedTraces(
        turns=len(fresh),
        vectors=vectors,
        touched=(place,) if moved else (),
        mentioned=tuple(work.sources.mentioned_in(place, fresh)),
    )


def _together(traces: Sequence[ErasedTraces]) -> ErasedTraces:
    return ErasedTraces(
        turns=sum(trace.turns for trace in traces),
        vectors=sum(trace.vectors for trace in traces),
        touched=tuple(place for trace in traces for place in trace.touched),
        mentioned=tuple(dict.fromkeys(key for trace in traces for key in trace.mentioned)),
    )


def hear_answers(
    work: UnitOfWork,
    scope: Scope,
    placed: Sequence[Message],
    judged: Sequence[VisibilityVerdict],
    *,
    now: datetime,
) -> list[Message]:
    """Link new answers with what they answer and use, and hide those whose question or memory is hidden."""
    return [
        _heard(work, scope, message, now=now)
        if message.role == "assistant" and _speaks_of(message)
        else _overheard(work, scope, message, now=now)
        if verdict.may_echo
        else message
        for message, verdict in zip(placed, judged, strict=True)
    ]


def refresh(work: UnitOfWork, scope: Scope, ids: Sequence[str], *, now: datetime) -> bool:
    """Bring messages of a conversation to what follows from their marks and links; whether anything changed."""
    changed = [(id, moved) for id in ids if (moved := _refresh_one(work, scope, id)) is not None]
    if not changed:
        return False
    work.conversations.renew(scope)
    # Only a message that appeared or disappeared changes what was made of it; another reason for being hidden
    # does not.
    crossed = [(id, seq) for id, (seq, crosses) in changed if crosses]
    if crossed:
        _withhold(work, scope, [seq for _, seq in crossed], now=now)
        recount(work, scope, work.sources.mentioned_in(scope, [id for id, _ in crossed]))
    return True


def recount(work: UnitOfWork, scope: Scope, keys: Sequence[str]) -> None:
    """Show or hide entities by how many of their mentions are in visible messages."""
    if not keys:
        return
    person = scope.person()
    hidden = work.sources.hidden_mentions(person, keys)
    for entity in work.entities.every(person):
        if entity.key in hidden:
            judged = work.entities.judged(person, entity.id)
            reason = entity_reason(judged, mentions=entity.mentions, hidden=hidden[entity.key])
            set_entity(work, person, entity, judged=judged, hidden=reason)


def set_entity(
    work: UnitOfWork, scope: Scope, entity: Entity, *, judged: Reason | None, hidden: Reason | None
) -> None:
    """Store the visibility of an entity, and update the index."""
    work.entities.hide(scope, entity.id, judged=judged, hidden=hidden)
    key = ItemKey("entity", entity.id)
    if hidden is not None:
        work.index.drop(scope, [key])
    elif entity.hidden is not None and not entity.forgotten:
        work.index.put(scope, [key])


def _refresh_one(work: UnitOfWork, scope: Scope, id: str) -> tuple[int, bool] | None:
    """Its place, and whether it came into sight or went out of it; None where nothing changed."""
    mark = work.messages.mark(scope, id)
    if mark is None:
        return None
    reasons = [link.hidden for link in work.sources.of_message(scope, id)]
    # Hidden by its own verdict or by any memory that came from it; shown again only when all of them allow it.
    reason = strongest((mark.judged, *reasons))
    if reason == mark.hidden:
        return None
    work.messages.hide(scope, id, reason)
    key = ItemKey("message", id, str(scope.conversation))
    if reason is not None:
        work.index.drop(scope, [key])
    elif mark.role != "system":
        work.index.put(scope, [key])
    return mark.seq, (reason is None) != (mark.hidden is None)


def _withhold(work: UnitOfWork, scope: Scope, places: Sequence[int], *, now: datetime) -> None:
    """Let what was made of these places wait, hidden, to be made again."""
    conversation = str(scope.conversation)
    gone = {id for seq in places for id in work.episodes.withhold(scope, seq)}
    work.index.drop(scope, [ItemKey("episode", id, conversation) for id in sorted(gone)])
    summary = work.summaries.get(scope)
    # A summary cannot be mended in part: it is withheld and folded again from what is visible.
    if summary is not None and min(places) <= summary.last_seq:
        work.summaries.hide(scope, "withheld")
        work.index.drop(scope, [ItemKey("summary", conversation, conversation)])
        work.chores.add(scope, "fold", due_at=now)


def _heard(work: UnitOfWork, scope: Scope, message: Message, *, now: datetime) -> Message:
    question = question_of(message)
    mark = None if question is None else work.messages.mark(scope, question)
    links = [] if question is None else work.sources.of_message(scope, question)
    states: dict[str, Reason | None] = {link.memory: link.hidden for link in links}
    # The answer's own metadata says which memories it used; it stands and falls with them.
    named = [id for name in _ABOUT for id in _ids(message.metadata.get(name)) if id not in states]
    used = work.memories.with_ids(scope, named) if named else {}
    states |= _reasons_of(work, scope, used)
    conversation = str(scope.conversation)
    work.sources.add_all(
        scope,
        [
            MemorySource(user=scope.user, memory=id, conversation=conversation, message=message.id, hidden=hidden)
            for id, hidden in states.items()
            # What the tenant shares is not hidden by one user's wish.
            if id not in used or used[id].user == scope.user
        ],
    )
    echoes = False
    if question is not None and mark is not None and mark.judged in ("secret", "order"):
        echoes = True
        _echo(work, scope, message.id, question, of=mark.judged)
    if not refresh(work, scope, [message.id], now=now) and not echoes:
        return message
    return work.messages.with_ids(scope, [message.id])[message.id]


def _overheard(work: UnitOfWork, scope: Scope, message: Message, *, now: datetime) -> Message:
    """Mask an answer that names no question where it repeats a secret of the person's turn before it."""
    before = work.messages.newest(scope, limit=LOOKED_BACK, before=message.seq)
    question = next((turn for turn in reversed(before) if turn.role == "user"), None)
    if question is None or question.hidden != "secret":
        return message
    echo = judge_echo(message.content, question.content, question.shown)
    if echo.hidden is None:
        return message
    work.messages.judge(scope, message.id, echo.hidden, shown=echo.shown)
    refresh(work, scope, [message.id], now=now)
    return work.messages.with_ids(scope, [message.id])[message.id]


def _reasons_of(work: UnitOfWork, scope: Scope, memories: Mapping[str, Memory]) -> dict[str, Reason | None]:
    """Return why each memory is hidden; the lineage of an active one that nothing replaced need not be read."""
    succeeded = work.memories.succeeded(scope, list(memories))
    return {
        id: None
        if memory.status == "active" and not memory.suppressed and id not in succeeded
        else memory_reasons(lineage(work, scope, memory)).get(id)
        for id, memory in memories.items()
    }


def _echo(work: UnitOfWork, scope: Scope, id: str, question: str, *, of: Reason | None) -> None:
    """Mark an answer to something hidden: masked where it repeats a secret, an echo otherwise."""
    mark = work.messages.mark(scope, id)
    if mark is None or mark.judged not in (None, "echo", "unjudged"):
        return
    echo = VisibilityVerdict()
    if of == "secret":
        turns = work.messages.with_ids(scope, [id, question])
        echo = judge_echo(turns[id].content, turns[question].content, turns[question].shown)
    work.messages.judge(scope, id, echo.hidden or "echo", shown=echo.shown)


def _answers(work: UnitOfWork, scope: Scope, id: str, *, text: str = "") -> list[str]:
    """The answers to a message, among the turns that follow it.

    A host that stores its own answers need not say what each replies to: what the assistant says before the
    person speaks again is one where it repeats a word of the `text`.
    """
    mark = work.messages.mark(scope, id)
    if mark is None:
        return []
    after = work.messages.turns_after(scope, seq=mark.seq, limit=ANSWERS_WITHIN)
    # Up to the person's next turn; a common word makes it likely that it answers this message.
    heard = takewhile(lambda turn: turn.role != "user", after)
    words = _words(text)
    unnamed = [turn.id for turn in heard if question_of(turn) is None and words & _words(turn.content)]
    return [*(turn.id for turn in after if question_of(turn) == id), *unnamed]


def _words(text: str) -> frozenset[str]:
    """The words of a text that say something by themselves."""
    folded = (fold(word) for word in LETTERS.findall(text))
    return frozenset(word for word in folded if len(word) > SHORTEST_NEEDLE and not is_idle(word))


def _last_saying(work: UnitOfWork, scope: Scope, owner: Scope, text: str) -> tuple[Scope, str] | None:
    """The last turn of the newest conversation that holds the words of a memory that names no message."""
    needle = _plain(text)
    if len(needle) < SHORTEST_NEEDLE:
        return None
    # A memory saved by hand names no message: it was most likely said where it was saved, or else last.
    places = [scope.conversation] if scope.conversation is not None else []
    places = places or [record.id for record in work.conversations.newest(owner, limit=1, before=None)]
    for place in places:
        inside = owner.within(place)
        for turn in reversed(work.messages.newest(inside, limit=LOOKED_BACK)):
            if turn.role == "user" and needle in _plain(turn.content):
                return inside, turn.id
    return None


def _follow_values(
    work: UnitOfWork, scope: Scope, family: Sequence[Memory], reasons: Mapping[str, Reason | None]
) -> None:
    """An entity that says just what a memory says stands as the memory does."""
    values: dict[str, list[Reason | None]] = {}
    for memory in family:
        if isinstance(memory.value, str) and (name := _plain(memory.value)):
            values.setdefault(name, []).append(reasons[memory.id])
    if not values:
        return
    for entity in work.entities.every(scope):
        hiding_of = values.get(_plain(entity.value)) if isinstance(entity.value, str) else None
        if hiding_of is None:
            continue
        # Shown while any memory with this value is; hidden only when all are.
        hiding = None if None in hiding_of else strongest(hiding_of)
        judged = work.entities.judged(scope, entity.id)
        # What was decided about the entity itself is not overruled by a memory.
        if judged not in _OWN and judged != hiding:
            count = work.sources.hidden_mentions(scope, [entity.key])[entity.key]
            reason = entity_reason(hiding, mentions=entity.mentions, hidden=count)
            set_entity(work, scope, entity, judged=hiding, hidden=reason)


def _speaks_of(message: Message) -> bool:
    return question_of(message) is not None or any(message.metadata.get(name) for name in _ABOUT)


def _ids(named: object) -> list[str]:
    return [value for value in named if isinstance(value, str)] if isinstance(named, list | tuple) else []


def _plain(text: object) -> str:
    return " ".join(fold(str(text)).split())


def spoken_text(value: object) -> str:
    """Format a value as it may appear in a message."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
