"""Carries out requests of a message to memory itself, before it is answered: save, forget, correct, yes, no.

The gate reads every message, in any wording and modality; the verbs of knowledge do the rest, and the model is
informed of the actions, so that an answer never claims what did not happen.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta

import msgspec

from rememora.context.erasure_dialog import ErasureDialog
from rememora.context.known import spoken
from rememora.context.referents import Referents, resolve_reference
from rememora.context.surroundings import CHARACTERS_READ, Surroundings, surroundings_of
from rememora.domain.context import CANCELLED, MemoryAction
from rememora.domain.memory import Memory, Outcome, Proposal
from rememora.domain.message import Message
from rememora.domain.rights import Actor
from rememora.domain.scope import Scope
from rememora.domain.verdict import Ask, Correct, Forget, Quarantine, Refuse, Save
from rememora.errors import Conflict, NotFound
from rememora.gate import Unrelated, Value, load_policy, read_answer
from rememora.gate.explain import said_why
from rememora.gate.intents import attribute
from rememora.gate.pointing import (
    Wish,
    bare_wish,
    declined,
    insisted,
    known_again,
    means_other,
    righted,
    silenced_topic,
    spoken_again,
    undoes,
)
from rememora.gate.policy import is_policy_loaded
from rememora.knowledge.base import KnowledgeBase, KnowledgeWriter
from rememora.knowledge.control import (
    EVERYTHING,
    correct_these,
    forget_one,
    forget_these,
    let_mention,
    restore,
    silence,
)
from rememora.knowledge.control import suppress as silence_named
from rememora.knowledge.corrected_value import fits
from rememora.knowledge.eraser import Eraser
from rememora.knowledge.find import counts_only, may_choose
from rememora.knowledge.forget_question import suppressed_by
from rememora.knowledge.note import judge, note
from rememora.knowledge.opt_outs import NOT_WANTED
from rememora.knowledge.other import take_other
from rememora.knowledge.propose import answer
from rememora.knowledge.recent import changed_by
from rememora.knowledge.undo import undo_these
from rememora.language import detect, language_of_turns
from rememora.language.amended import parts_of
from rememora.language.keys import is_statement
from rememora.language.labels import fact_sentence, label_of
from rememora.language.packs import replies_of
from rememora.language.phrases import phrase
from rememora.reading.parsed import ParsedMessage, parse_message

JUST_ASKED = timedelta(minutes=10)
ANSWER_WORDS = 12
SHOWN_MEMORIES = 5
UNDO_TURNS = 3
"""Turns back that a plain wish to undo looks for a change: a question may stand in between."""
_WRONG = "said to be wrong"
_UNWANTED = "refuse.unwanted"
_AND = phrase(r"\s*{and}\s", re.IGNORECASE)
_PICKED = frozenset({"forget", "suppress"})
"""Questions that are answered by a choice among what is offered."""
_DONE: Mapping[str, str] = {"correct": "corrected", "forget": "forgotten", "suppress": "silenced"}
"""Kinds of action that a reply reports, by the act."""


async def act_on(
    knowledge: KnowledgeBase, eraser: Eraser, scope: Scope, message: Message, actor: Actor
) -> list[MemoryAction]:
    """Act on the requests of one message to memory, and return the actions in the language of the message."""
    if not is_policy_loaded():
        await asyncio.to_thread(load_policy)
    knowledge = knowledge.heard_in(message.id)
    surroundings = await knowledge.store.read(
        scope, lambda work: surroundings_of(work, scope, message), short=True
    )
    language = _spoken(surroundings, message)
    parsed = parse_message(message.content, surroundings.turns)
    erasing = ErasureDialog(
        desk=knowledge, eraser=eraser, scope=scope, message=message, parsed=parsed, actor=actor, language=language
    )
    # Erasures first: a "yes" belongs to the open question, and must not be read as anything else.
    answered = await erasing.answered(surroundings.questions)
    if answered and answered[0].kind != CANCELLED:
        return list(answered)
    # A message that asks for an erasure asks for nothing else: the question comes back at once.
    handled = await erasing.asked()
    if handled is not None:
        return [*answered, *handled]
    if means_other(parsed):
        waiting = _just_asked(surroundings, message)
        return [*answered, *await _other(knowledge, scope, actor, surroundings, waiting, language=language)]
    return [*answered, *await _acted_on(knowledge, scope, message, parsed, actor, surroundings, language)]


def _spoken(surroundings: Surroundings, message: Message) -> str:
    """Return the language of a message, or the one that the person last used here if that is unclear."""
    said = [turn.partition(": ")[2] for turn in surroundings.turns if turn.startswith("user: ")]
    return language_of_turns([*said, message.content[:CHARACTERS_READ]]) or "pt"


async def _acted_on(
    knowledge: KnowledgeBase,
    scope: Scope,
    message: Message,
    parsed: ParsedMessage,
    actor: Actor,
    surroundings: Surroundings,
    language: str,
) -> list[MemoryAction]:
    """Do what a message asks short of erasing: answer a question, undo, save, forget, correct, suppress."""
    waiting = _just_asked(surroundings, message)
    if waiting is not None and _answers(knowledge, waiting, parsed):
        try:
            outcome = await answer(knowledge, scope, waiting.id, message.content, actor=actor)
        # Answered meanwhile, on another device: this message is then read for itself.
        except Conflict:
            outcome = Outcome(proposals=(waiting,))
        if waiting not in outcome.proposals:
            return list(_settled(outcome, waiting, language))
    if taken_back := await _take_back(knowledge, scope, message, parsed, actor):
        return [_deed(taken_back[0], taken_back[1], language)]
    if undoes(parsed):
        return [MemoryAction(kind="nothing_to_undo", text=_words("nothing_to_undo", language))]
    wish = bare_wish(parsed)
    if wish is not None:
        shares = actor.rights.write_shared
        pointed = await knowledge.store.read(
            scope, lambda work: resolve_reference(work, scope, message, wish, shares=shares)
        )
        # The company's memory is not this person's to change; saving a copy of their own is.
        if pointed.shared and wish != "save":
            return [MemoryAction(kind="shared", text=_words("shared", language))]
        done = await _do(knowledge, scope, pointed, message=message, parsed=parsed, actor=actor)
        if done is not None:
            return list(_noted(done, language, wish))
    named = await _named(knowledge, scope, parsed, actor=actor, language=language)
    if named is None:
        named = await _judged(knowledge, scope, message, parsed, actor=actor, language=language)
    return named


async def _other(
    knowledge: KnowledgeBase,
    scope: Scope,
    actor: Actor,
    surroundings: Surroundings,
    waiting: Proposal | None,
    *,
    language: str,
) -> list[MemoryAction]:
    """ "Não, a outra": take the other one of several; nothing is done if there is none to refer to."""
    if waiting is not None:
        # Which of those that were offered is "the other" is not said: the question stands.
        return list(_questions(Outcome(proposals=(waiting,)), language))
    said = [turn.content for turn in surroundings.before if turn.role == "user"]
    changed = changed_by(surroundings.before[-1]) if surroundings.before else ()
    if not said or not changed:
        return []
    taken = await knowledge.write(scope, actor, lambda writer: take_other(writer, knowledge, changed, said[-1]))
    if taken is None:
        return []
    done = _deed(_DONE[taken.act], taken.outcome.memories, language) if taken.outcome.memories else None
    return [
        _deed("undone", taken.undone, language),
        *filter(None, [done]),
        *_questions(taken.outcome, language),
    ]


async def _named(
    knowledge: KnowledgeBase, scope: Scope, parsed: ParsedMessage, *, actor: Actor, language: str
) -> list[MemoryAction] | None:
    """Do what is asked about mentioning something by name; None if it names nothing known."""
    topic, again = silenced_topic(parsed), spoken_again(parsed)
    if topic is not None and (quiet := await _silence(knowledge, scope, topic, actor)) is not None:
        return list(_noted(quiet, language, "suppress"))
    if again is not None and (heard := await let_mention(knowledge, scope, again, actor=actor)).memories:
        return [_deed("restored", heard.memories, language)]
    return None


async def _judged(
    knowledge: KnowledgeBase,
    scope: Scope,
    message: Message,
    parsed: ParsedMessage,
    *,
    actor: Actor,
    language: str,
) -> list[MemoryAction]:
    """Carry out the gate's verdict on a message; a request to suppress something unknown is answered as such."""
    right = righted(parsed)
    # "No, Recife": a bare name or figure corrects what was said last. Longer ones go to the gate first, which
    # may know better what they are about.
    if right is not None and _is_name_or_figure(right):
        done = await _correct_last(knowledge, scope, right, message=message, actor=actor)
        if done is not None:
            return list(_noted(done, language))
    outcome = await note(knowledge, scope, parsed.raw, actor=actor, ref=message.id, before=parsed.before)
    value = _corrected_value(outcome, right)
    if outcome.nothing_done and value is not None:
        outcome = await _correct_last(knowledge, scope, value, message=message, actor=actor) or outcome
    unknown = outcome.nothing_done and silenced_topic(parsed) is not None
    return list(_noted(outcome, language, "suppress" if unknown else None))


async def _silence(knowledge: KnowledgeBase, scope: Scope, named: str, actor: Actor) -> Outcome | None:
    """Suppress what is named, or ask which; None if nothing has that name."""
    with suppress(NotFound):
        outcome = await silence_named(knowledge, scope, named, actor=actor)
        return None if outcome.nothing_done else outcome
    return None


def _is_name_or_figure(value: str) -> bool:
    """Return whether a value is clearly a name or a figure, so that it can belong to something unnamed."""
    return value[:1].isupper() or any(map(str.isdigit, value))


def _corrected_value(outcome: Outcome, right: str | None) -> str | None:
    """Return the value of a correction that was not applied yet."""
    verdict = outcome.verdict
    if not isinstance(verdict, Correct):
        return None
    told_right = None if is_statement(verdict.key or "") else verdict.value
    return right or (told_right if isinstance(told_right, str) else None)


async def _correct_last(
    knowledge: KnowledgeBase, scope: Scope, value: str, *, message: Message, actor: Actor
) -> Outcome | None:
    """ "Na verdade é Olinda": a right value that names nothing is of what the last answer was about."""
    shares = actor.rights.write_shared
    pointed = await knowledge.store.read(
        scope, lambda work: resolve_reference(work, scope, message, "correct", shares=shares)
    )
    meant = [memory for memory in pointed.memories if fits(memory, value, knowledge.policy)]
    if len(meant) != 1:
        return None
    return await knowledge.write(
        scope, actor, lambda writer: correct_these(writer, knowledge, meant, value, why=_WRONG, said=value)
    )


async def _take_back(
    knowledge: KnowledgeBase, scope: Scope, message: Message, parsed: ParsedMessage, actor: Actor
) -> tuple[str, tuple[Memory, ...]] | None:
    """Undo what a message revokes: the previous turn, or something forgotten; return the memories."""
    revokes = undoes(parsed) or declined(parsed)
    if revokes and (undone := await _undo(knowledge, scope, message, parsed, actor)).memories:
        return "undone", undone.memories
    back = await _known_again(knowledge, scope, parsed, actor)
    return None if back is None else ("restored", (back,))


async def _undo(
    knowledge: KnowledgeBase, scope: Scope, message: Message, parsed: ParsedMessage, actor: Actor
) -> Outcome:
    """Take back what the turn before did to memory; a plain "undo" means the last turn that did anything."""
    turns = UNDO_TURNS if undoes(parsed) else 1

    def work(writer: KnowledgeWriter) -> Outcome:
        before = writer.work.messages.newest(scope, limit=2 * turns, before=message.seq)
        answers = before[-1:] if turns == 1 else [said for said in before if said.role == "assistant"]
        changed = next(filter(None, map(changed_by, reversed(answers))), ())
        return undo_these(writer, changed, kept=declined(parsed))

    return await knowledge.write(scope, actor, work)


async def _known_again(
    knowledge: KnowledgeBase, scope: Scope, parsed: ParsedMessage, actor: Actor
) -> Memory | None:
    """Return the memory to restore, if the message names one that was forgotten or suppressed."""
    what = known_again(parsed)
    key = what and attribute(what, knowledge.policy)
    if not key:
        return None
    with suppress(NotFound):
        return await restore(knowledge, scope, key, actor=actor, why="asked")
    return None


async def _do(
    knowledge: KnowledgeBase,
    scope: Scope,
    pointed: Referents,
    *,
    message: Message,
    parsed: ParsedMessage,
    actor: Actor,
) -> Outcome | None:
    """Carry out a request that only points; None if it points at nothing."""
    if pointed.wish == "save":
        if pointed.said is None:
            return None
        insists, said = insisted(parsed), pointed.said[:CHARACTERS_READ]
        wish = replies_of(detect(said)).told.save_this if insists else message.content
        return await note(
            knowledge,
            scope,
            f"{wish}: {said}",
            actor=actor,
            ref=message.id,
            insists=insists,
        )
    if not pointed.memories:
        return None
    # What one request made together is undone together, without asking which.
    if pointed.wish == "suppress" or (pointed.wish == "forget" and pointed.together):
        act = silence if pointed.wish == "suppress" else forget_one
        return await knowledge.write(
            scope,
            actor,
            lambda writer: Outcome(
                memories=tuple(act(writer, memory, why="asked") for memory in pointed.memories)
            ),
        )
    if pointed.wish == "forget":
        return await knowledge.write(
            scope, actor, lambda writer: forget_these(writer, pointed.memories, "", why="asked")
        )
    return await knowledge.write(
        scope, actor, lambda writer: correct_these(writer, knowledge, pointed.memories, None, why=_WRONG)
    )


def _just_asked(surroundings: Surroundings, message: Message) -> Proposal | None:
    """Return the newest open question that the person may be answering: asked since they spoke, or just shown."""
    waiting = [
        proposal
        for proposal in surroundings.questions
        if proposal.expires_at > message.created_at and proposal.kind != "erase"
    ]
    if not waiting:
        return None
    last = surroundings.before[-2:]
    heard = "\n".join(said.content for said in last)
    # A question of some turns ago is over once the person has gone on to something else.
    since = max((said.created_at for said in last if said.role == "user"), default=message.created_at - JUST_ASKED)
    live = [
        proposal
        for proposal in waiting
        if (since <= proposal.created_at and message.created_at - proposal.created_at <= JUST_ASKED)
        or any(question in heard for question in proposal.questions.values())
    ]
    return max(live, key=lambda proposal: (proposal.created_at, proposal.id), default=None)


def _answers(knowledge: KnowledgeBase, waiting: Proposal, parsed: ParsedMessage) -> bool:
    """Return whether a message answers the question; a new request or a long story does not."""
    text = parsed.raw
    if len(text) > CHARACTERS_READ:
        return False
    heard = read_answer(parsed)
    if isinstance(heard, Value) and waiting.kind == "save" and _AND.match(text):
        # Without its accent "é …" reads like "e …", which goes on to something else where it states a fact.
        return not isinstance(judge(knowledge, text), Save)
    # Numbers are an answer whatever else they could mean.
    if not isinstance(heard, Unrelated) or (waiting.kind in _PICKED and counts_only(parsed)):
        return True
    if waiting.kind == "save" or len(text.split()) > ANSWER_WORDS:
        return False
    # A short message may have nothing to do with the question: to be a choice it must name what was offered.
    if waiting.kind in _PICKED and not may_choose(" ".join(waiting.questions.values()), parsed):
        return False
    verdict = judge(knowledge, text)
    wish = isinstance(verdict, Forget | Correct | Quarantine) or (isinstance(verdict, Save) and verdict.explicit)
    return not wish


def _settled(outcome: Outcome, waiting: Proposal, language: str) -> Iterable[MemoryAction]:
    """Return the actions of an answer to a question."""
    kinds = {**_DONE, "save": "saved", "confirm": "corrected" if outcome.replaced else "confirmed"}
    if waiting.kind == "confirm" and outcome.replaced and not outcome.memories:
        yield _deed("ended", outcome.replaced, language)
    elif waiting.kind == "forget" and outcome.replaced:
        yield _taken_off(outcome, language)
    elif outcome.memories:
        yield _deed(kinds[waiting.kind], outcome.memories, language)
    elif isinstance(outcome.verdict, Refuse):
        yield _refused(outcome.verdict, language)
    elif not outcome.proposals:
        yield MemoryAction(kind="refused_by_person", text=_words("refused_by_person", language))
    yield from _questions(outcome, language)


def _noted(outcome: Outcome, language: str, wish: Wish | None = None) -> Iterable[MemoryAction]:
    """Return the actions of a message by itself."""
    verdict = outcome.verdict
    forgets = isinstance(verdict, Forget) or wish in ("forget", "suppress")
    if isinstance(verdict, Quarantine):
        yield MemoryAction(kind="held", text=_words("held", language))
    elif isinstance(verdict, Refuse) and (verdict.sensitive or verdict.reason in NOT_WANTED):
        yield from _kept_beside(outcome, language)
        yield _refused(verdict, language)
    elif isinstance(verdict, Refuse) and verdict.reason == _UNWANTED:
        yield MemoryAction(kind="refused_by_person", text=_words("refused_by_person", language))
    elif forgets and not outcome.memories and not outcome.proposals:
        yield MemoryAction(kind="nothing_to_forget", text=_words("nothing_to_forget", language))
    elif isinstance(verdict, Correct) and outcome.nothing_done:
        yield MemoryAction(kind="nothing_to_correct", text=_words("nothing_to_correct", language))
    elif outcome.memories:
        done = "silenced" if wish == "suppress" else "forgotten"
        kind = done if forgets else "corrected" if outcome.replaced else "saved"
        if forgets and outcome.replaced:
            # One thing of a list is gone: the person sees the list as it stands now.
            yield _taken_off(outcome, language)
            return
        everything = isinstance(verdict, Forget) and verdict.target == EVERYTHING
        yield _deed(kind, outcome.memories, language, words="forgotten_all" if everything else kind)
        yield from () if forgets else _ended_beside(outcome, language)
    elif outcome.replaced:
        yield _deed("ended", outcome.replaced, language)
    elif isinstance(verdict, Ask) and not outcome.proposals:
        yield MemoryAction(kind="asked", text=_words("save_what", language))
    yield from _questions(outcome, language)


def _kept_beside(outcome: Outcome, language: str) -> Iterable[MemoryAction]:
    """Tell of memories that a message left beside what was refused."""
    if outcome.memories:
        yield _deed("corrected" if outcome.replaced else "saved", outcome.memories, language)


def _ended_beside(outcome: Outcome, language: str) -> Iterable[MemoryAction]:
    """Tell of memories that a statement ended without taking their place, so that nothing goes unseen."""
    ended = [memory for memory in outcome.replaced if memory.status == "deleted"]
    if ended:
        yield _deed("ended", ended, language)


def _questions(outcome: Outcome, language: str) -> Iterable[MemoryAction]:
    for proposal in outcome.proposals[:1]:
        text = proposal.question(language)
        # Named, so that the question is hidden with what it suppresses, and undone with it.
        yield MemoryAction(kind="asked", text=text, question=proposal.id, memories=suppressed_by(proposal))


def _deed(kind: str, memories: Sequence[Memory], language: str, *, words: str = "") -> MemoryAction:
    replies = replies_of(language).told
    changes = bool(replies.amended and replies.change) and kind == "corrected" and all(map(_is_amended, memories))
    shown = list(
        dict.fromkeys(
            _change(memory, replies.change) if changes else _shown(memory, kind, language) for memory in memories
        )
    )
    what = "; ".join(shown[:SHOWN_MEMORIES])
    more = len(shown) - SHOWN_MEMORIES
    what += f" (+{more})" if more > 0 else ""
    ids = tuple(memory.id for memory in memories)
    said = replies.amended if changes else _words(words or kind, language)
    return MemoryAction(kind=kind, text=said.format(what=what), memories=ids)


def _is_amended(memory: Memory) -> bool:
    return isinstance(memory.value, str) and bool(parts_of(memory.value)[1])


def _change(memory: Memory, form: str) -> str:
    """Describe the newest change of a statement beside what it changes."""
    first, changes = parts_of(str(memory.value))
    return form.format(new=changes[-1].text, old=first)


def _taken_off(outcome: Outcome, language: str) -> MemoryAction:
    """Tell what is left; an undo removes it and brings back what it was, in this order."""
    deed = _deed("taken_off", outcome.replaced, language)
    return msgspec.structs.replace(deed, memories=(*deed.memories, *(memory.id for memory in outcome.memories)))


def _shown(memory: Memory, kind: str, language: str) -> str:
    """Describe a memory in a reply; of a forgotten one only the name is given, of a sentence not even that."""
    if kind in ("forgotten", "silenced") or memory.status == "deleted":
        # The attribute that a sentence was filed under ("regra") says little, and misread something wrong.
        is_sentence = is_statement(memory.key) and not memory.key.startswith("people.")
        return _words("told_before", language) if is_sentence else label_of(memory.key, language)
    return fact_sentence(memory.key, memory.value, spoken(memory.value), language)


def _refused(verdict: Refuse, language: str) -> MemoryAction:
    return MemoryAction(kind="refused", text=_words("refused", language).format(what=said_why(verdict, language)))


def _words(kind: str, language: str) -> str:
    said: str = getattr(replies_of(language).told, kind)
    return said
