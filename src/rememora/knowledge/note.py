"""Processes one message: the gate judges it, and its verdict is carried out; `judge` only returns the verdict."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypedDict, Unpack

import msgspec

from rememora import statements
from rememora.domain.check import check_text
from rememora.domain.memory import Memory, MemoryDraft, Outcome, Proposal, check_origin
from rememora.domain.message import CONTENT_BYTES
from rememora.domain.rights import Actor
from rememora.domain.scope import Scope
from rememora.domain.value_span import ValueSpan
from rememora.domain.verdict import (
    AnyVerdict,
    Ask,
    Correct,
    Fact,
    Forget,
    Origin,
    Quarantine,
    Refuse,
    Save,
)
from rememora.gate import Policy, evaluate
from rememora.gate.facts import UNNAMED
from rememora.gate.intents import names_removal
from rememora.gate.personal import is_family
from rememora.gate.pointing import bare_wish, declined, known_again, righted, undoes
from rememora.gate.stated import SLOTS
from rememora.knowledge import control, keep, superseded
from rememora.knowledge.affected import give_way, listed_item, remove_contact, remove_item, touched
from rememora.knowledge.base import LOOP_CHARACTERS, KnowledgeBase, KnowledgeWriter
from rememora.knowledge.corrected_value import corrected_text
from rememora.knowledge.evolve import ask_about_doubt, carry_on, settle
from rememora.knowledge.find import is_topic
from rememora.knowledge.forget_question import ask_which_to_forget
from rememora.knowledge.forget_target import ForgetTarget, find_target
from rememora.knowledge.forget_turn import forget_listed, forget_turn
from rememora.knowledge.item_question import ask_which_item
from rememora.knowledge.opt_outs import unwanted
from rememora.knowledge.pending import ask_to_save, ask_value, hold
from rememora.knowledge.recent import do_to_last
from rememora.knowledge.undo import undo_last
from rememora.knowledge.validity import Validity, validity_of
from rememora.language.folding import fold
from rememora.language.keys import is_statement
from rememora.language.phrases import phrase
from rememora.language.word_patterns import LETTERS
from rememora.reading.parsed import ParsedMessage, parse_message
from rememora.statements.attribute_values import sure_span

if TYPE_CHECKING:
    from rememora.statements.planner import Effect

    Effects = list[tuple[Memory, Effect]]

NOTHING = Outcome()
_OURS = phrase(r"\b{our}\b", re.IGNORECASE)
_NO_LONGER = phrase(r"\b{no_longer}\b")
UNREAD = "…"
"""Placeholder that each fact of a message replaces with its own value."""


class JudgeOptions(TypedDict, total=False):
    """Options of a judgement that saves nothing."""

    origin: Origin
    insists: bool
    before: Sequence[str]


_FORGET: Final = "intent.forget"
_OFF_LIST: Final = phrase(r"\b{off_list}\b")
"""Verbs that remove something from a list."""
_MERELY_NOT_KEPT: Final = ("refuse.momentary", "refuse.unworthy", "refuse.filler")
"""Reasons for not saving a message that may still report an event."""


class MessageOptions(TypedDict, total=False):
    """Optional facts about a message: everything but its text."""

    origin: Origin
    ref: str | None
    insists: bool


def judge(
    knowledge: KnowledgeBase,
    text: str,
    *,
    origin: Origin = Origin.USER_SAID,
    insists: bool = False,
    before: Sequence[str] = (),
) -> AnyVerdict:
    """Judge a message with the gate; nothing is written."""
    check_text("text", text, max_bytes=CONTENT_BYTES)
    check_origin("origin", origin)
    return evaluate(
        text,
        before=before,
        origin=origin,
        insists=insists,
        allow_sensitive=knowledge.settings.knowledge.allow_sensitive,
        most=knowledge.settings.knowledge.judged_characters,
        policy=knowledge.policy,
    )


async def judge_apart(knowledge: KnowledgeBase, text: str, **heard: Unpack[JudgeOptions]) -> AnyVerdict:
    """Judge a message, in a thread if the text is long, so that other requests are answered."""
    if len(text) <= LOOP_CHARACTERS:
        return judge(knowledge, text, **heard)
    return await asyncio.to_thread(judge, knowledge, text, **heard)


async def note(
    knowledge: KnowledgeBase,
    scope: Scope,
    text: str,
    *,
    actor: Actor,
    origin: Origin = Origin.USER_SAID,
    ref: str | None = None,
    insists: bool = False,
    before: Sequence[str] = (),
) -> Outcome:
    """Judge a message after its previous turns, and do what it asks: save, ask, quarantine, forget or correct."""
    # Apart from the event loop: every word is weighed, and a pasted document has many.
    verdict = await asyncio.to_thread(judge, knowledge, text, origin=origin, insists=insists, before=before)
    about = MemoryDraft(
        key="user.text", value=UNREAD, source_ref=ref, conversation=scope.conversation, insists=insists
    )
    wishes = wishes_of(knowledge, verdict, about, actor=actor)
    if ref is not None:
        knowledge = knowledge.heard_in(ref)
    message = parse_message(text, before)
    return await knowledge.write(
        scope, actor, lambda writer: _act_on(writer, knowledge, message, verdict, wishes, ref=ref)
    )


async def note_or_point(
    knowledge: KnowledgeBase, scope: Scope, text: str, *, actor: Actor, **heard: Unpack[MessageOptions]
) -> Outcome:
    """Note a message without context: one that only points refers to the memory saved or used last."""
    message, said = parse_message(text), heard.get("origin", Origin.USER_SAID) is Origin.USER_SAID
    # "Undo that" and "no, don't" have no content of their own to judge: they are tried before the gate sees the
    # message.
    if said and (undoes(message) or declined(message)):
        undone = await knowledge.write(scope, actor, lambda writer: undo_last(writer, kept=declined(message)))
        if undone.memories:
            return undone
    wish = bare_wish(message) if said else None
    if wish is not None:
        outcome = await knowledge.write(scope, actor, lambda writer: do_to_last(writer, knowledge, wish))
        if outcome is not None:
            return outcome
    return await note(knowledge, scope, text, actor=actor, **heard)


def _act_on(
    writer: KnowledgeWriter,
    knowledge: KnowledgeBase,
    message: ParsedMessage,
    verdict: AnyVerdict,
    wishes: tuple[MemoryDraft, ...],
    *,
    ref: str | None,
) -> Outcome:
    """Do what a message asks, and apply first-hand statements to rules and dependents."""
    # First, because a message that takes one thing off a list also reads like a wish to forget all of it.
    if (taken := _take_off_list(writer, knowledge, message, verdict)) is not None:
        return taken
    done = _act(writer, knowledge, message, verdict, wishes, ref=ref)
    if verdict.origin is not Origin.USER_SAID or not _may_carry_on(verdict):
        return done
    more = carry_on(writer, message, done)
    if more.memories or more.replaced:
        done = under(verdict, done, more)
    # One question at a time: a doubt can wait, an open question to the person cannot.
    if done.proposals or (doubt := ask_about_doubt(writer, message.raw, done)) is None:
        return done
    return under(verdict, done, Outcome(proposals=(doubt,)))


def _take_off_list(
    writer: KnowledgeWriter, knowledge: KnowledgeBase, message: ParsedMessage, verdict: AnyVerdict
) -> Outcome | None:
    """Remove an item from a known list, if a message that may ask for it means an item of that list.

    "Da relação de paraninfos pode cortar o de anatomia" sounds like a request only to a reader of the list.
    """
    # Without a verb to remove by, warm talk about what a list holds would take things off it.
    sure = knowledge.policy.threshold(
        "reader_forgets_item" if names_removal(message.compared) else "reader_forgets"
    )
    may_ask = message.chance("forget", "erase", "hush") >= sure
    off_list = _OFF_LIST.search(message.compared) is not None
    if not (may_ask or off_list) or verdict.origin is not Origin.USER_SAID or isinstance(verdict, Quarantine):
        return None
    if isinstance(verdict, Forget) and verdict.target == control.EVERYTHING:
        return None
    listed = listed_item(writer, message, by_name=off_list)
    if listed is None and not off_list:
        return None
    wish = Forget(
        reason=_FORGET,
        why=knowledge.policy.why(_FORGET),
        confidence=verdict.confidence,
        target=message.raw,
        origin=verdict.origin,
    )
    if listed is None:
        changed = forget_listed(writer, message, why=_FORGET)
        return Outcome(verdict=wish, memories=changed[:1], replaced=changed[1:]) if changed else None
    memory, one_thing = listed
    certain = one_thing and (off_list or isinstance(verdict, Forget))
    taken = remove_item(writer, memory, message, why=_FORGET, certain=certain)
    if taken is None:
        # The list is meant, and none of its things stands out.
        return Outcome(verdict=wish, proposals=(ask_which_item(writer, memory),))
    return Outcome(verdict=wish, memories=taken[:1], replaced=taken[1:])


def _may_carry_on(verdict: AnyVerdict) -> bool:
    """Return whether a message states something: no order, no secret, no request to forget, nothing refused."""
    return isinstance(verdict, Save | Correct) or (
        isinstance(verdict, Refuse) and not verdict.sensitive and verdict.reason in _MERELY_NOT_KEPT
    )


def _act(
    writer: KnowledgeWriter,
    knowledge: KnowledgeBase,
    message: ParsedMessage,
    verdict: AnyVerdict,
    wishes: tuple[MemoryDraft, ...],
    *,
    ref: str | None = None,
) -> Outcome:
    if isinstance(verdict, Forget):
        return _forget(writer, knowledge, message, verdict)
    if isinstance(verdict, Correct):
        return under(verdict, _correct(writer, knowledge, message, verdict, wishes))
    if isinstance(verdict, Save):
        return _keep(writer, knowledge, verdict, wishes, message.before)
    # A person who does not want this kind of thing kept is not asked about it either.
    if isinstance(verdict, Ask) and wishes:
        verdict = unwanted(writer.work, writer.scope, wishes[0], knowledge.policy) or verdict
    refused = isinstance(verdict, Refuse)
    writer.attempt(verdict, wishes[0] if wishes and not refused else None)
    keep.hide_refused(writer, verdict, ref)
    if isinstance(verdict, Ask):
        proposals = tuple(ask_to_save(writer, wish, reason=verdict.reason) for wish in wishes)
        return Outcome(verdict=verdict, proposals=proposals)
    if isinstance(verdict, Quarantine):
        return Outcome(verdict=verdict, quarantined=(hold(writer, message.raw, verdict, ref=ref),))
    # What a refused message says beside what is sensitive.
    harmless = list(zip(_valued(verdict), wishes, strict=True)) if refused else []
    return under(verdict, *_place_all(writer, knowledge, harmless, message.before))


def _keep(
    writer: KnowledgeWriter,
    knowledge: KnowledgeBase,
    verdict: Save,
    wishes: tuple[MemoryDraft, ...],
    before: Sequence[str],
) -> Outcome:
    """Save the facts of a message, end what it ended, and ask about what is uncertain."""
    sure = [fact for fact in verdict.facts if fact.value is not None]
    if not sure:
        writer.attempt(verdict, None)
    pairs = list(zip(sure, wishes[: len(sure)], strict=True))
    kept = _place_all(writer, knowledge, pairs, before)
    # Nothing of it was kept: the reason of the refusal is the answer.
    if kept and all(isinstance(outcome.verdict, Refuse) for outcome in kept):
        return kept[0]
    proposals = tuple(
        ask_to_save(writer, wish, reason="confirm.hedged")
        for wish in wishes[len(sure) :]
        if unwanted(writer.work, writer.scope, wish, knowledge.policy) is None
    )
    memories = [memory for outcome in kept for memory in outcome.memories]
    ended = superseded.end(writer, knowledge.policy, verdict.facts, memories)
    return under(verdict, *kept, Outcome(replaced=ended, proposals=proposals))


def _place_all(
    writer: KnowledgeWriter,
    knowledge: KnowledgeBase,
    pairs: Sequence[tuple[Fact, MemoryDraft]],
    before: Sequence[str],
    *,
    first: Outcome = NOTHING,
) -> list[Outcome]:
    """Save the facts of one message; none replaces another, nor the changes it made `first`.

    A known statement that one of them changed in part may be changed in part by the next: "o banco agora é o
    Postgres 16, e o deploy é terça".
    """
    kept: list[Outcome] = []
    written = dict.fromkeys((memory.id for memory in first.memories), False)
    for fact, wish in pairs:
        kept.append(place_fact(writer, knowledge, fact, wish, before, written))
        written |= {memory.id: memory.value != wish.value for memory in kept[-1].memories}
    return _at_the_end(kept)


def _at_the_end(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Return what stands after a message, without what one of its facts wrote and the next one changed again."""
    written = {memory.id for outcome in outcomes for memory in outcome.memories}
    between = written & {memory.id for outcome in outcomes for memory in outcome.replaced}
    return [
        msgspec.structs.replace(
            outcome,
            memories=tuple(memory for memory in outcome.memories if memory.id not in between),
            replaced=tuple(memory for memory in outcome.replaced if memory.id not in between),
        )
        for outcome in outcomes
    ]


def place_fact(
    writer: KnowledgeWriter,
    knowledge: KnowledgeBase,
    fact: Fact,
    draft: MemoryDraft,
    before: Sequence[str],
    written: Mapping[str, bool],
    *,
    narrowed: Callable[[Effects], Effects] = list,
) -> Outcome:
    """Save one fact, replacing what it changes; what is already known stays unchanged.

    `written` are the memories of the facts before it, and whether each is a known statement changed in part.
    `narrowed` returns the planned effects that may be carried out.
    """
    verdict = keep.weigh(knowledge, draft)
    if not isinstance(verdict, Save) or unwanted(writer.work, writer.scope, draft, knowledge.policy) is not None:
        return keep.act(writer, draft, verdict)
    current = writer.work.memories.active(writer.scope, draft.key, shared=draft.scope == "tenant_shared")
    # The same sentence again: it is confirmed, and any doubt about it ends.
    if current is not None and is_statement(draft.key):
        settle(writer, current)
        return keep.act(writer, draft, verdict)
    new = [id for id, changed in written.items() if not changed]
    effects = [
        (memory, effect)
        for memory, effect in touched(writer, fact, before, new)
        if memory.id not in written or effect.kind != "replace"
    ]
    draft, place, gone = give_way(writer, draft, narrowed(effects))
    if place is None:
        return _with_changed(keep.act(writer, draft, verdict), gone)
    if draft.value == place.value:
        # The change that it tells stands behind the statement already.
        writer.cite(place, ref=draft.source_ref)
        writer.attempt(verdict, draft, place)
        again = () if place.id in written else (place,)
        return _with_changed(Outcome(verdict=verdict, memories=again), gone)
    memory, replaced = keep.put(writer, draft, place, why=verdict.reason)
    writer.attempt(verdict, draft, memory)
    done = Outcome(verdict=verdict, memories=(memory,), replaced=() if replaced is None else (replaced,))
    return _with_changed(done, gone)


def _with_changed(outcome: Outcome, changed: Sequence[Memory]) -> Outcome:
    """Return an outcome with other memories that a fact amended, which stand, and those that it ended."""
    amended = [memory for memory in changed if memory.status == "active"]
    ended = [memory for memory in changed if memory.status != "active"]
    return msgspec.structs.replace(
        outcome, memories=(*outcome.memories, *amended), replaced=(*outcome.replaced, *ended)
    )


def _forget(writer: KnowledgeWriter, knowledge: KnowledgeBase, message: ParsedMessage, verdict: Forget) -> Outcome:
    if known_again(message):
        # Who lets something be mentioned again wants nothing forgotten.
        return Outcome()
    if verdict.target == control.EVERYTHING:
        return under(verdict, control.forget_everything(writer, why=verdict.reason))
    meant = find_target(writer, knowledge, message, verdict)
    done = _forget_meant(writer, message, verdict, meant)
    # Words that may not speak to memory, and that name nothing it holds, are left alone.
    return under(verdict, done) if meant.addressed or not done.nothing_done else Outcome()


def _forget_meant(
    writer: KnowledgeWriter, message: ParsedMessage, verdict: Forget, meant: ForgetTarget
) -> Outcome:
    """Forget the memories that are meant, one item of a list, or a turn; in doubt ask which."""
    if (
        meant.sure
        and len(meant.memories) == 1
        and (taken := remove_contact(writer, meant.memories[0], message, why=verdict.reason))
    ):
        return Outcome(memories=taken[:1], replaced=taken[1:])
    if meant.sure and len(meant.memories) == 1 and meant.memories[0].id in meant.in_part:
        certain = meant.memories[0].id in meant.surely_in_part
        taken = remove_item(writer, meant.memories[0], message, why=verdict.reason, certain=certain)
        if taken is not None:
            return Outcome(memories=taken[:1], replaced=taken[1:])
        if statements.items.leaves_open(message):
            return Outcome(proposals=(ask_which_item(writer, meant.memories[0]),))
    # In order of certainty: one item of a list, then something said and never saved, then whole memories;
    # otherwise the person is asked.
    if meant.turn is not None:
        gone = forget_turn(writer, meant.turn, message, in_part=meant.turn_in_part, why=verdict.reason)
        return Outcome(memories=gone[:1], replaced=gone[1:])
    one_matter = meant.together or len(meant.memories) == 1 or is_topic(meant.memories, verdict.key or "")
    if meant.sure and one_matter:
        gone = tuple(control.forget_one(writer, memory, why=verdict.reason) for memory in meant.memories)
        return Outcome(memories=gone)
    return Outcome(proposals=(_which_meant(writer, meant),) if meant.memories else ())


def _which_meant(writer: KnowledgeWriter, meant: ForgetTarget) -> Proposal:
    """Ask which of several is meant, or whether one is; what is likely a wish suppresses what it likely means.

    All of several that fit equally, else the likeliest; no list of which one thing is meant.
    """
    likely = meant.memories if meant.sure else meant.memories[:1]
    whole = [memory for memory in likely if memory.id not in meant.in_part]
    return ask_which_to_forget(writer, meant.memories, whole if meant.wished else ())


def _correct(
    writer: KnowledgeWriter,
    knowledge: KnowledgeBase,
    message: ParsedMessage,
    verdict: Correct,
    wishes: tuple[MemoryDraft, ...],
) -> Outcome:
    """Replace a wrong value with the correct one, or ask which memory or which value is meant."""
    if righted(message) is not None and not any(fact.key in SLOTS for fact in verdict.facts):
        # A value and nothing else is of what was answered last, and no statement.
        return Outcome()
    pairs = list(zip(_valued(verdict), wishes, strict=True))
    stated = [(fact, wish) for fact, wish in pairs if fact.said is not None]
    first = NOTHING
    if len(stated) < len(pairs) or not pairs:
        first = _correct_named(
            writer, knowledge, message, verdict, [wish for fact, wish in pairs if fact.said is None]
        )
    return under(verdict, first, *_place_all(writer, knowledge, stated, message.before, first=first))


def _correct_named(
    writer: KnowledgeWriter,
    knowledge: KnowledgeBase,
    message: ParsedMessage,
    verdict: Correct,
    wishes: Sequence[MemoryDraft],
) -> Outcome:
    """Correct what a message names without stating anything else about it."""
    if _NO_LONGER.search(message.compared) and (
        ended := superseded.end(writer, knowledge.policy, verdict.facts, ())
    ):
        return Outcome(replaced=ended)
    matching = control.meant(writer, knowledge, verdict.key, _context(message.raw, verdict))
    if not matching and wishes and not str(verdict.key).endswith(f".{UNNAMED}"):
        # Nothing stood there yet: the right value is simply new, where the message says of what.
        return keep.act(writer, wishes[0], keep.weigh(knowledge, wishes[0]))
    if len(matching) == 1 and not _takes_value(matching[0], verdict.value, message.raw):
        # Put in the place of the whole sentence it would lose the rest.
        return Outcome(proposals=(ask_value(writer, matching[0]),))
    return control.correct_these(writer, knowledge, matching, verdict.value, why=verdict.reason, said=message.raw)


def _takes_value(memory: Memory, value: object, text: str) -> bool:
    """Check that a value has its place in a memory; a slot has one place, and without a value it is asked for."""
    return value is None or not is_statement(memory.key) or corrected_text(memory, value, text) is not None


def _context(text: str, verdict: Correct) -> str:
    """Return the words around a correction; for a long text, those that follow it."""
    start = 0 if verdict.evidence is None else verdict.evidence.start
    return text[start : start + keep.EVIDENCE_CHARACTERS] if len(text) > keep.EVIDENCE_CHARACTERS else text


def wishes_of(
    knowledge: KnowledgeBase, verdict: AnyVerdict, about: MemoryDraft, *, actor: Actor
) -> tuple[MemoryDraft, ...]:
    """List the drafts of a message, those to save before those to ask about; else each is like `about`."""
    unsure = verdict.unsure if isinstance(verdict, Save) else ()
    return tuple(_wish(knowledge, fact, verdict, about, actor) for fact in (*_valued(verdict), *unsure))


def _valued(verdict: AnyVerdict) -> list[Fact]:
    return [fact for fact in verdict.facts if fact.value is not None]


def _wish(
    knowledge: KnowledgeBase, fact: Fact, verdict: AnyVerdict, about: MemoryDraft, actor: Actor
) -> MemoryDraft:
    """Convert a fact of a message to a draft; only a fact of an unnamed project is bound to its conversation."""
    explicit = isinstance(verdict, Correct) or (isinstance(verdict, Save) and verdict.explicit)
    # A rule names when something would be so, and no time at which it is.
    tells = is_statement(fact.key) and not (fact.said is not None and fact.said.attribute == "rule")
    true = validity_of(str(fact.value), now=knowledge.clock()) if tells else Validity()
    wish = msgspec.structs.replace(
        about,
        key=fact.key,
        value=fact.value,
        category=fact.category,
        # Nobody means everybody to read what they merely mention, nor ever of their family.
        scope=None if explicit and _is_the_firms(knowledge, fact) else "personal",
        confidence=1.0 if explicit else fact.confidence,
        source="explicit_user" if explicit else "inferred",
        conversation=keep.binding(about.conversation, fact.key, fact.category),
        origin=fact.origin,
        evidence=None if fact.evidence is None else fact.evidence.text[: keep.EVIDENCE_CHARACTERS],
        # A slot is about whom its key names: "aqui é a Ana, da Padaria Sol" names the person, not the firm.
        subject=(fact.said.subject or None) if fact.said and is_statement(fact.key) else None,
        attribute=fact.said.attribute if fact.said else None,
        attribute_span=_span_of(fact),
        valid_from=true.since,
        valid_to=true.until,
    )
    return keep.place(knowledge.policy, wish, actor)


def _span_of(fact: Fact) -> ValueSpan | None:
    """Return where a statement says the value of its attribute, where that is sure."""
    if fact.said is None or not is_statement(fact.key) or not isinstance(fact.value, str):
        return None
    return sure_span(fact.value, fact.said.attribute, fact.said.marked)


def _is_the_firms(knowledge: KnowledgeBase, fact: Fact) -> bool:
    """Return whether an explicit fact is for the whole company: about the company, and about nobody's family."""
    if is_statement(fact.key):
        of_all = _OURS.search(str(fact.value)) is not None
        of_firm = fact.said is not None and (fact.said.subject == "company" or of_all)
        return of_firm and not _names_family(str(fact.value), knowledge.policy)
    return not is_family(fact.key, fact.value, knowledge.policy)


def _names_family(text: str, policy: Policy) -> bool:
    """Return whether a sentence mentions somebody's mother, child or other relative."""
    kin = policy.one("personal", "own", "family")
    return any(kin.match(word) or kin.match(word.removesuffix("s")) for word in LETTERS.findall(fold(text)))


def under(verdict: AnyVerdict | None, *outcomes: Outcome) -> Outcome:
    """Combine several outcomes into one, under the verdict on the whole message."""
    return Outcome(
        verdict=verdict,
        memories=tuple(memory for outcome in outcomes for memory in outcome.memories),
        replaced=tuple(old for outcome in outcomes for old in outcome.replaced),
        proposals=tuple(proposal for outcome in outcomes for proposal in outcome.proposals),
        quarantined=tuple(held for outcome in outcomes for held in outcome.quarantined),
    )
