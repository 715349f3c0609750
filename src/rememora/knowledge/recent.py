"""Resolves a bare "this": the memory saved or used last, or a question about it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec

from rememora.domain.memory import Memory, Outcome
from rememora.domain.message import Message
from rememora.domain.verdict import AnyVerdict, Correct, Forget
from rememora.gate.pointing import Wish
from rememora.knowledge.base import KnowledgeBase, KnowledgeWriter
from rememora.knowledge.control import OFFERED, settle
from rememora.knowledge.find import reachable
from rememora.knowledge.pending import Act, ask_which

JUST_NOW = timedelta(minutes=10)
LOOKED_AT = 4


class RecentMemories(msgspec.Struct, frozen=True, kw_only=True):
    """The memories that were saved or used last, and when."""

    memories: tuple[Memory, ...]
    at: datetime
    together: bool
    """Whether one request made all of them, so that one request undoes them."""


def do_to_last(writer: KnowledgeWriter, knowledge: KnowledgeBase, wish: Wish) -> Outcome | None:
    """Carry out a request that names nothing; None if it asks to save, or there is nothing it could mean."""
    known = reachable(writer.work, writer.scope, shared=writer.actor.rights.write_shared)
    if wish == "save" or not known:
        return None
    verdict = _verdict(knowledge, wish)
    # What was saved last, or what the last answer used: whichever is newer is what "that" points at.
    last = max((_saved(known), *_used(writer, known)), key=lambda recent: recent.at)
    fresh = writer.now - last.at <= JUST_NOW
    # One memory is acted on at once; of several only a request that holds for all of them together.
    if fresh and (len(last.memories) == 1 or (last.together and wish != "correct")):
        outcome = settle(writer, knowledge, wish, last.memories, why="asked")
    else:
        outcome = Outcome(proposals=(ask_which(writer, wish, _offered(last, known) if fresh else _newest(known)),))
    return msgspec.structs.replace(outcome, verdict=verdict)


def changed_by(answer: Message) -> tuple[str, ...]:
    """Return the memories that the turn of an answer changed."""
    return tuple(id for id in answer.metadata.get("changed_memories") or () if isinstance(id, str))


def about_of(answer: Message) -> tuple[tuple[str, ...], bool]:
    """Return the memories an answer was about: those its turn changed, else those it used."""
    if changed := changed_by(answer):
        return changed, True
    used = answer.metadata.get("used_memories") or ()
    return tuple(id for id in used if isinstance(id, str)), False


def _verdict(knowledge: KnowledgeBase, wish: Act) -> AnyVerdict:
    if wish == "correct":
        return Correct(reason="intent.correct", why=knowledge.policy.why("intent.correct"), confidence=0.9)
    return Forget(reason="intent.forget", why=knowledge.policy.why("intent.forget"), confidence=0.9, target="")


def _newest(known: Sequence[Memory]) -> list[Memory]:
    return sorted(known, key=lambda memory: (memory.created_at, memory.id), reverse=True)[:OFFERED]


def _offered(last: RecentMemories, known: Sequence[Memory]) -> Sequence[Memory]:
    return last.memories[:OFFERED] or _newest(known)


def _saved(known: Sequence[Memory]) -> RecentMemories:
    """Return the memories saved last; everything from one message was saved at one moment."""
    at = max(memory.created_at for memory in known)
    return RecentMemories(
        memories=tuple(memory for memory in known if memory.created_at == at), at=at, together=True
    )


def _used(writer: KnowledgeWriter, known: Sequence[Memory]) -> list[RecentMemories]:
    """Return the memories that the last answer to this user was about, in any conversation."""
    for record in writer.work.conversations.newest(writer.scope, limit=1, before=None):
        said = writer.work.messages.newest(writer.scope.within(record.id), limit=LOOKED_AT)
        answers = [message for message in said if message.role == "assistant"]
        ids, together = about_of(answers[-1]) if answers else ((), False)
        used = tuple(memory for memory in known if memory.id in ids)
        if used:
            return [RecentMemories(memories=used, at=answers[-1].created_at, together=together)]
    return []
