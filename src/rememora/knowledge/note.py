"""One message, heard: the gate judges it, and what it says is done; `judge` only says what would be."""

from __future__ import annotations

import asyncio
import re
from typing import TypedDict, Unpack

import msgspec

from rememora.domain.check import check_text
from rememora.domain.memory import Outcome, Wish, check_origin
from rememora.domain.message import CONTENT_BYTES
from rememora.domain.rights import Actor
from rememora.domain.scope import Scope
from rememora.domain.verdict import (
    AnyVerdict,
    Ask,
    Candidate,
    Correct,
    Fact,
    Forget,
    Origin,
    Quarantine,
    Refuse,
    Save,
)
from rememora.gate import evaluate
from rememora.gate.facts import DOUBTFUL, UNNAMED, as_fact, doubtful_fact
from rememora.gate.normalise import read
from rememora.gate.own import is_family
from rememora.gate.pointing import bare_wish, declined, undoes
from rememora.knowledge import control, keep, outlived
from rememora.knowledge.aim import aim
from rememora.knowledge.aside import ask_to_save, ask_which, hold
from rememora.knowledge.desk import LOOP_CHARACTERS, Desk, Hand
from rememora.knowledge.extract import extract
from rememora.knowledge.lately import do_to_last
from rememora.knowledge.undo import undo_last
from rememora.knowledge.wanted import unwanted
from rememora.language import fold
from rememora.ports.outside import Model

EVIDENCE_CHARACTERS = 500
KEY_WORDS = 3
_GENERAL = frozenset({UNNAMED, DOUBTFUL})
_SAYS_NOTHING = "confirm.empty_wish"
UNREAD = "…"
"""Stands where each fact of a message puts its own value."""
_WORD = re.compile(r"[a-z0-9]+")


class Judged(TypedDict, total=False):
    """Options of a judgement that keeps nothing."""

    origin: Origin
    insists: bool


class Heard(TypedDict, total=False):
    """What may be said of a message besides its text."""

    origin: Origin
    ref: str | None
    insists: bool


def judge(desk: Desk, text: str, *, origin: Origin = Origin.USER_SAID, insists: bool = False) -> AnyVerdict:
    """What the gate says of a message; nothing is written."""
    check_text("text", text, max_bytes=CONTENT_BYTES)
    check_origin("origin", origin)
    return evaluate(
        text,
        origin=origin,
        insists=insists,
        allow_sensitive=desk.settings.knowledge.allow_sensitive,
        most=desk.settings.knowledge.judged_characters,
        policy=desk.policy,
    )


async def judge_apart(desk: Desk, text: str, **heard: Unpack[Judged]) -> AnyVerdict:
    """The same, in a thread where the text is long, so that other requests are answered meanwhile."""
    if len(text) <= LOOP_CHARACTERS:
        return judge(desk, text, **heard)
    return await asyncio.to_thread(judge, desk, text, **heard)


async def note(
    desk: Desk,
    scope: Scope,
    text: str,
    *,
    actor: Actor,
    origin: Origin = Origin.USER_SAID,
    ref: str | None = None,
    insists: bool = False,
) -> Outcome:
    """Judge a message and do what it asks: keep, ask, hold apart, forget or correct."""
    # Apart from the event loop: every word is weighed, and a pasted document has many.
    verdict = await asyncio.to_thread(judge, desk, text, origin=origin, insists=insists)
    about = Wish(key="user.text", value=UNREAD, source_ref=ref, conversation=scope.conversation, insists=insists)
    wishes = wishes_of(desk, text, verdict, about, actor=actor)
    if ref is not None:
        desk = desk.heard_in(ref)
    return await desk.write(scope, actor, lambda hand: _act(hand, desk, text, verdict, wishes, ref=ref))


async def note_or_point(desk: Desk, scope: Scope, text: str, *, actor: Actor, **heard: Unpack[Heard]) -> Outcome:
    """The same for a message that stands alone: one that only points means what was kept or used last."""
    said = heard.get("origin", Origin.USER_SAID) is Origin.USER_SAID
    if said and (undoes(text) or declined(text)):
        undone = await desk.write(scope, actor, lambda hand: undo_last(hand, kept=declined(text)))
        if undone.memories:
            return undone
    wish = bare_wish(text) if said else None
    if wish is not None:
        outcome = await desk.write(scope, actor, lambda hand: do_to_last(hand, desk, wish))
        if outcome is not None:
            return outcome
    return await note(desk, scope, text, actor=actor, **heard)


async def infer(
    desk: Desk, scope: Scope, text: str, model: Model, *, actor: Actor, origin: Origin, ref: str | None
) -> Outcome:
    """Keep what a language model reads in a message, fact by fact, as far as the gate lets it."""
    check_text("text", text, max_bytes=CONTENT_BYTES)
    found = await extract(model, text, policy=desk.policy, origin=origin)
    verdict = await judge_apart(desk, text, origin=origin)
    if isinstance(verdict, Quarantine):
        return await desk.write(scope, actor, lambda hand: _act(hand, desk, text, verdict, (), ref=ref))
    wishes = [_inferred(desk, candidate, scope=scope, actor=actor, ref=ref) for candidate in found.candidates]
    return await desk.write(
        scope,
        actor,
        lambda hand: _under(verdict, *(keep.act(hand, each, keep.weigh(desk, each)) for each in wishes)),
    )


def _inferred(desk: Desk, candidate: Candidate, *, scope: Scope, actor: Actor, ref: str | None) -> Wish:
    category = desk.policy.category_of(candidate.key)
    wish = Wish(
        key=candidate.key,
        value=candidate.value,
        scope="personal",
        confidence=candidate.confidence,
        source="inferred",
        source_ref=ref,
        conversation=scope.conversation if category == "projects" else None,
        origin=candidate.origin,
        evidence=None if candidate.evidence is None else candidate.evidence.text[:EVIDENCE_CHARACTERS],
    )
    return keep.place(desk.policy, wish, actor)


def _act(
    hand: Hand,
    desk: Desk,
    text: str,
    verdict: AnyVerdict,
    wishes: tuple[Wish, ...],
    *,
    ref: str | None = None,
) -> Outcome:
    if isinstance(verdict, Forget):
        return _forget(hand, desk, text, verdict)
    if isinstance(verdict, Correct):
        return _under(verdict, _correct(hand, desk, text, verdict, wishes))
    if isinstance(verdict, Save):
        return _keep(hand, desk, verdict, wishes)
    if isinstance(verdict, Ask) and wishes:
        verdict = unwanted(hand.work, hand.scope, wishes[0], desk.policy) or verdict
    hand.attempt(verdict, wishes[0] if wishes else None)
    keep.hide_refused(hand, verdict, ref)
    if isinstance(verdict, Ask):
        asked = tuple(ask_to_save(hand, wish, reason=verdict.reason) for wish in wishes)
        return Outcome(verdict=verdict, proposals=asked)
    if isinstance(verdict, Quarantine):
        return Outcome(verdict=verdict, quarantined=(hold(hand, text, verdict, ref=ref),))
    return Outcome(verdict=verdict)


def _keep(hand: Hand, desk: Desk, verdict: Save, wishes: tuple[Wish, ...]) -> Outcome:
    """Keep what a message brought, and let go of what it put an end to."""
    if not wishes:
        hand.attempt(verdict, None)
    kept = [keep.act(hand, wish, keep.weigh(desk, wish)) for wish in wishes]
    if kept and all(isinstance(outcome.verdict, Refuse) for outcome in kept):
        return kept[0]
    standing = [memory for outcome in kept for memory in outcome.memories]
    return _under(verdict, *kept, Outcome(replaced=outlived.end(hand, desk.policy, verdict.facts, standing)))


def _forget(hand: Hand, desk: Desk, text: str, verdict: Forget) -> Outcome:
    if verdict.target == control.EVERYTHING:
        return _under(verdict, control.forget_everything(hand, why=verdict.reason))
    meant = aim(hand, desk, text, verdict)
    if meant.sure:
        return _under(verdict, control.forget_these(hand, meant.memories, verdict.key or "", why=verdict.reason))
    if meant.memories:
        return _under(verdict, Outcome(proposals=(ask_which(hand, "forget", meant.memories),)))
    # Words that may not speak to memory, and that name nothing it holds, are left alone.
    return _under(verdict) if meant.addressed else Outcome()


def _correct(hand: Hand, desk: Desk, text: str, verdict: Correct, wishes: tuple[Wish, ...]) -> Outcome:
    found = control.meant(hand, desk, verdict.key, _around(text, verdict))
    if not found and wishes and not str(verdict.key).endswith(f".{UNNAMED}"):
        # Nothing stood there yet: the right value is simply new, where the message says of what.
        return keep.act(hand, wishes[0], keep.weigh(desk, wishes[0]))
    return control.correct_these(hand, desk, found, verdict.value, why=verdict.reason)


def _around(text: str, verdict: Correct) -> str:
    """The words beside a correction; of a long text, those that follow it."""
    start = 0 if verdict.evidence is None else verdict.evidence.start
    return text[start : start + EVIDENCE_CHARACTERS] if len(text) > EVIDENCE_CHARACTERS else text


def wishes_of(desk: Desk, text: str, verdict: AnyVerdict, about: Wish, *, actor: Actor) -> tuple[Wish, ...]:
    """What a message brings to keep, each fact as a wish that is otherwise like `about`."""
    return tuple(_wish(desk, fact, verdict, about, actor) for fact in _facts(desk, text, verdict))


def _facts(desk: Desk, text: str, verdict: AnyVerdict) -> list[Fact]:
    """What a verdict found to keep; a doubtful message of no known form is asked about as a whole."""
    facts = [fact for fact in verdict.facts if fact.value is not None]
    if facts or not isinstance(verdict, Ask) or verdict.reason == _SAYS_NOTHING:
        return facts
    reading = read(text[: int(desk.policy.threshold("read_characters"))])
    whole = doubtful_fact(reading, desk.policy)
    if whole is None:
        return []
    return [as_fact(whole, reading, desk.policy, confidence=verdict.confidence, origin=verdict.origin)]


def _wish(desk: Desk, fact: Fact, verdict: AnyVerdict, about: Wish, actor: Actor) -> Wish:
    """A fact of a message as a wish; only a project's is bound to the conversation it was said in."""
    explicit = isinstance(verdict, Correct) or (isinstance(verdict, Save) and verdict.explicit)
    wish = msgspec.structs.replace(
        about,
        key=own_key(fact),
        value=fact.value,
        category=fact.category,
        # Nobody means everybody to read what they merely mention, nor ever of their family.
        scope=None if explicit and not is_family(fact.key, fact.value, desk.policy) else "personal",
        confidence=1.0 if explicit else fact.confidence,
        source="explicit_user" if explicit else "inferred",
        conversation=about.conversation if fact.category == "projects" else None,
        origin=fact.origin,
        evidence=None if fact.evidence is None else fact.evidence.text[:EVIDENCE_CHARACTERS],
    )
    return keep.place(desk.policy, wish, actor)


def own_key(fact: Fact) -> str:
    """A key of its own for a statement of no known kind, so that one does not replace another."""
    space, _, name = fact.key.rpartition(".")
    if name not in _GENERAL:
        return fact.key
    words = [word for word in _WORD.findall(fold(str(fact.value))) if len(word) > KEY_WORDS]
    return "_".join([f"{space}.{name}", *words[:KEY_WORDS]])


def _under(verdict: AnyVerdict, *outcomes: Outcome) -> Outcome:
    """Several outcomes as one, under the verdict on the whole message."""
    return Outcome(
        verdict=verdict,
        memories=tuple(each for outcome in outcomes for each in outcome.memories),
        replaced=tuple(each for outcome in outcomes for each in outcome.replaced),
        proposals=tuple(each for outcome in outcomes for each in outcome.proposals),
        quarantined=tuple(each for outcome in outcomes for each in outcome.quarantined),
    )
