"""What "this" means where nothing but the wish is said: what was kept or used last, or one question about it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec

from rememora.domain.memory import Memory, Outcome
from rememora.domain.message import Message
from rememora.domain.verdict import AnyVerdict, Correct, Forget
from rememora.gate.pointing import Wish
from rememora.knowledge.aside import Act, ask_which
from rememora.knowledge.control import OFFERED, settle
from rememora.knowledge.desk import Desk, Hand
from rememora.knowledge.find import reachable

JUST_NOW = timedelta(minutes=10)
LOOKED_AT = 4


class Lately(msgspec.Struct, frozen=True, kw_only=True):
    """The memories that were last kept or used, and when."""

    memories: tuple[Memory, ...]
    at: datetime
    together: bool
    """Whether one wish made all of them, so that one wish undoes them."""


def do_to_last(hand: Hand, desk: Desk, wish: Wish) -> Outcome | None:
    """Carry out a wish that names nothing; None where it is one to save, or there is nothing it could mean."""
    known = reachable(hand.work, hand.scope, shared=hand.actor.rights.write_shared)
    if wish == "save" or not known:
        return None
    verdict = _verdict(desk, wish)
    last = max((_saved(known), *_used(hand, known)), key=lambda each: each.at)
    fresh = hand.now - last.at <= JUST_NOW
    if fresh and (len(last.memories) == 1 or (last.together and wish != "correct")):
        outcome = settle(hand, desk, wish, last.memories, why="asked")
    else:
        outcome = Outcome(proposals=(ask_which(hand, wish, _offered(last, known) if fresh else _newest(known)),))
    return msgspec.structs.replace(outcome, verdict=verdict)


def changed_by(answer: Message) -> tuple[str, ...]:
    """The memories that the turn of an answer changed."""
    return tuple(id for id in answer.metadata.get("changed_memories") or () if isinstance(id, str))


def about_of(answer: Message) -> tuple[tuple[str, ...], bool]:
    """The memories an answer was about: those its turn changed together, else those it used."""
    if changed := changed_by(answer):
        return changed, True
    used = answer.metadata.get("used_memories") or ()
    return tuple(id for id in used if isinstance(id, str)), False


def _verdict(desk: Desk, wish: Act) -> AnyVerdict:
    if wish == "correct":
        return Correct(reason="intent.correct", why=desk.policy.why("intent.correct"), confidence=0.9)
    return Forget(reason="intent.forget", why=desk.policy.why("intent.forget"), confidence=0.9, target="")


def _newest(known: Sequence[Memory]) -> list[Memory]:
    return sorted(known, key=lambda each: (each.created_at, each.id), reverse=True)[:OFFERED]


def _offered(last: Lately, known: Sequence[Memory]) -> Sequence[Memory]:
    return last.memories[:OFFERED] or _newest(known)


def _saved(known: Sequence[Memory]) -> Lately:
    """What was kept last; all that one message brought was kept at one moment."""
    at = max(each.created_at for each in known)
    return Lately(memories=tuple(each for each in known if each.created_at == at), at=at, together=True)


def _used(hand: Hand, known: Sequence[Memory]) -> list[Lately]:
    """What the last answer to this user was about, in whichever conversation."""
    for record in hand.work.conversations.newest(hand.scope, limit=1, before=None):
        said = hand.work.messages.newest(hand.scope.within(record.id), limit=LOOKED_AT)
        answers = [message for message in said if message.role == "assistant"]
        ids, together = about_of(answers[-1]) if answers else ((), False)
        found = tuple(memory for memory in known if memory.id in ids)
        if found:
            return [Lately(memories=found, at=answers[-1].created_at, together=together)]
    return []
