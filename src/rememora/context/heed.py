"""Does what a message asks of memory itself, before it is answered: save, forget, correct, yes, no.

The gate reads every message, whoever phrases it and by whatever modality; the verbs of knowledge do the rest, and
what they did is told to the model, so that an answer never claims what did not happen.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import timedelta

from rememora.context.deixis import Pointed, point
from rememora.context.erasing import Erasing
from rememora.context.known import spoken
from rememora.domain.context import CANCELLED, Deed
from rememora.domain.memory import Memory, Outcome, Proposal
from rememora.domain.message import Message
from rememora.domain.rights import Actor
from rememora.domain.scope import Scope
from rememora.domain.verdict import Ask, Correct, Forget, Quarantine, Refuse, Save
from rememora.errors import Conflict, NotFound
from rememora.gate import Unrelated, load_policy, read_answer
from rememora.gate.intents import attribute
from rememora.gate.pointing import (
    Wish,
    bare_wish,
    declined,
    hushed,
    insisted,
    known_again,
    replaces,
    righted,
    spoken_again,
    undoes,
)
from rememora.knowledge.control import (
    EVERYTHING,
    correct_these,
    delete,
    forget_these,
    let_mention,
    restore,
    silence,
)
from rememora.knowledge.control import suppress as silence_named
from rememora.knowledge.desk import Desk, Hand
from rememora.knowledge.eraser import Eraser
from rememora.knowledge.lately import changed_by
from rememora.knowledge.note import judge, note
from rememora.knowledge.propose import answer
from rememora.knowledge.righting import moved
from rememora.knowledge.undo import undo_these
from rememora.knowledge.wanted import NOT_WANTED
from rememora.language import detect
from rememora.language.labels import label_of, told
from rememora.ports.store import UnitOfWork

JUST_ASKED = timedelta(minutes=10)
ANSWER_WORDS = 12
CHARACTERS_READ = 2_000
SHOWN_MEMORIES = 5
_WRONG = "said to be wrong"
_UNWANTED = "refuse.unwanted"
_SAVE_THIS = "Save this"

_TOLD = {
    "saved": ("Guardei: {what}.", "I have noted: {what}."),
    "corrected": ("Corrigi: {what}.", "I have corrected: {what}."),
    "forgotten": ("Esqueci: {what}.", "I have forgotten: {what}."),
    "forgotten_all": (
        "Esqueci: {what}. Ainda pode ser restaurado; para apagar sem volta, diga “apague tudo definitivamente”.",
        "I have forgotten: {what}. It can still be restored; to erase it, say “delete everything permanently”.",
    ),
    "undone": ("Desfiz: {what}.", "I have undone it: {what}."),
    "ended": ("Isso não vale mais: {what}.", "That no longer holds: {what}."),
    "restored": ("Voltei a lembrar: {what}.", "I remember it again: {what}."),
    "silenced": ("Não falo mais disso: {what}.", "I will not mention it again: {what}."),
    "nothing_to_forget": ("Não encontrei isso entre o que sei.", "I did not find that in what I know."),
    "nothing_to_correct": (
        "Não encontrei o que corrigir: diga o que está errado e o que é certo.",
        "I did not find what to correct: say what is wrong and what is right.",
    ),
    "refused_by_person": ("Certo, não vou guardar.", "All right, I will not keep it."),
    "shared": (
        "Isso vale para toda a empresa: só quem administra pode mudar.",
        "That holds for the whole company: only an administrator can change it.",
    ),
    "save_what": ("O que devo guardar?", "What should I keep?"),
    "held": ("Não guardei isso como memória.", "I have not kept that as a memory."),
    "refused": ("Não guardei: {what}", "I have not kept it: {what}"),
}


async def heed(desk: Desk, eraser: Eraser, scope: Scope, message: Message, actor: Actor) -> list[Deed]:
    """What was done because of one message, in the language it was said in."""
    await asyncio.to_thread(load_policy)
    desk = desk.heard_in(message.id)
    language = detect(message.content[:CHARACTERS_READ])
    erasing = Erasing(desk=desk, eraser=eraser, scope=scope, message=message, actor=actor, language=language)
    answered = await erasing.answered()
    if answered and answered[0].kind != CANCELLED:
        return list(answered)
    asked = await erasing.asked()
    rest = await _heeded(desk, scope, message, actor, language=language) if asked is None else asked
    return [*answered, *rest]


async def _heeded(desk: Desk, scope: Scope, message: Message, actor: Actor, *, language: str) -> list[Deed]:
    """Do what a message asks short of erasing: answer a question, take back, save, forget, correct, silence."""
    text = message.content
    waiting = await desk.store.read(scope, lambda work: _just_asked(work, scope, message))
    if waiting is not None and _answers(desk, waiting, text):
        try:
            outcome = await answer(desk, scope, waiting.id, text, actor=actor)
        except Conflict:
            outcome = Outcome(proposals=(waiting,))
        if waiting not in outcome.proposals:
            return list(_settled(outcome, waiting, language))
    if taken_back := await _take_back(desk, scope, message, actor):
        return [_deed(taken_back[0], taken_back[1], language)]
    wish = bare_wish(text)
    if wish is not None:
        shares = actor.rights.write_shared
        pointed = await desk.store.read(scope, lambda work: point(work, scope, message, wish, shares=shares))
        if pointed.shared and wish != "save":
            return [Deed(kind="shared", text=_words("shared", language))]
        done = await _do(desk, scope, pointed, message=message, actor=actor)
        if done is not None:
            return list(_noted(done, language, wish))
    named = await _named(desk, scope, text, actor=actor, language=language)
    return await _judged(desk, scope, message, actor=actor, language=language) if named is None else named


async def _named(desk: Desk, scope: Scope, text: str, *, actor: Actor, language: str) -> list[Deed] | None:
    """Do what is asked about mentioning something by name; None where it names nothing that is known."""
    hush, again = hushed(text), spoken_again(text)
    if hush is not None and (quiet := await _silence(desk, scope, hush, actor)) is not None:
        return list(_noted(quiet, language, "suppress"))
    if again is not None and (heard := await let_mention(desk, scope, again, actor=actor)).memories:
        return [_deed("restored", heard.memories, language)]
    return None


async def _judged(desk: Desk, scope: Scope, message: Message, *, actor: Actor, language: str) -> list[Deed]:
    """Do what the gate makes of a message; what is to be silenced and is not known is said not to be."""
    text = message.content
    right = righted(text)
    if right is not None and (
        held := await _correct_last(desk, scope, right, message=message, actor=actor, roles=True)
    ):
        return list(_noted(held, language))
    outcome = await note(desk, scope, text, actor=actor, ref=message.id)
    told_right = outcome.verdict.value if isinstance(outcome.verdict, Correct) else None
    value = right or told_right
    if outcome.nothing_done and isinstance(value, str):
        outcome = await _correct_last(desk, scope, value, message=message, actor=actor) or outcome
    unknown = outcome.nothing_done and hushed(text) is not None
    return list(_noted(outcome, language, "suppress" if unknown else None))


async def _silence(desk: Desk, scope: Scope, named: str, actor: Actor) -> Outcome | None:
    """Silence what is named, or ask which; None where nothing is known by that name."""
    with suppress(NotFound):
        outcome = await silence_named(desk, scope, named, actor=actor)
        return None if outcome.nothing_done else outcome
    return None


async def _correct_last(
    desk: Desk, scope: Scope, value: str, *, message: Message, actor: Actor, roles: bool = False
) -> Outcome | None:
    """ "Na verdade é Olinda": a right value that names nothing is of what the last answer was about.

    With `roles` only where it names who has a role: "na verdade é o Pedro", of the accountant.
    """

    def fits(memory: Memory) -> bool:
        moves = moved(memory, value, desk.policy)[0] != memory.key
        return moves if roles or memory.category == "people" else replaces(value, memory.value)

    shares = actor.rights.write_shared
    pointed = await desk.store.read(scope, lambda work: point(work, scope, message, "correct", shares=shares))
    meant = [each for each in pointed.memories if fits(each)]
    if len(meant) != 1:
        return None
    return await desk.write(
        scope, actor, lambda hand: correct_these(hand, desk, meant, value, why=_WRONG, spoken=True)
    )


async def _take_back(
    desk: Desk, scope: Scope, message: Message, actor: Actor
) -> tuple[str, tuple[Memory, ...]] | None:
    """What a message took back, and how: the turn before it undone, or something known again."""
    text = message.content
    if (undoes(text) or declined(text)) and (undone := await _undo(desk, scope, message, actor)).memories:
        return "undone", undone.memories
    back = await _known_again(desk, scope, text, actor)
    return None if back is None else ("restored", (back,))


async def _undo(desk: Desk, scope: Scope, message: Message, actor: Actor) -> Outcome:
    """Take back what the turn before this message did to memory, where it did anything."""

    def work(hand: Hand) -> Outcome:
        before = hand.work.messages.newest(scope, limit=2, before=message.seq)
        ids = [id for said in before[-1:] for id in changed_by(said)]
        return undo_these(hand, ids, kept=declined(message.content))

    return await desk.write(scope, actor, work)


async def _known_again(desk: Desk, scope: Scope, text: str, actor: Actor) -> Memory | None:
    """The memory that may be known and mentioned again, where the message names one that was let go."""
    what = known_again(text)
    key = what and attribute(what, desk.policy)
    if not key:
        return None
    with suppress(NotFound):
        return await restore(desk, scope, key, actor=actor, why="asked")
    return None


async def _do(desk: Desk, scope: Scope, pointed: Pointed, *, message: Message, actor: Actor) -> Outcome | None:
    """Carry out a wish that only points; None where it points at nothing."""
    if pointed.wish == "save":
        if pointed.said is None:
            return None
        insists = insisted(message.content)
        return await note(
            desk,
            scope,
            f"{_SAVE_THIS if insists else message.content}: {pointed.said[:CHARACTERS_READ]}",
            actor=actor,
            ref=message.id,
            insists=insists,
        )
    if not pointed.memories:
        return None
    if pointed.wish == "suppress" or (pointed.wish == "forget" and pointed.together):
        act = silence if pointed.wish == "suppress" else delete
        return await desk.write(
            scope,
            actor,
            lambda hand: Outcome(memories=tuple(act(hand, each, why="asked") for each in pointed.memories)),
        )
    if pointed.wish == "forget":
        return await desk.write(scope, actor, lambda hand: forget_these(hand, pointed.memories, "", why="asked"))
    return await desk.write(
        scope, actor, lambda hand: correct_these(hand, desk, pointed.memories, None, why=_WRONG)
    )


def _just_asked(work: UnitOfWork, scope: Scope, message: Message) -> Proposal | None:
    """The newest open question that the person can be answering: asked since they last spoke, or told just now."""
    waiting = [
        each
        for each in work.proposals.all(scope, status="open")
        if each.expires_at > message.created_at and each.kind != "erase"
    ]
    if not waiting:
        return None
    last = work.messages.newest(scope, limit=2, before=message.seq)
    heard = "\n".join(said.content for said in last)
    # A question of some turns ago is over once the person has gone on to something else.
    since = max((said.created_at for said in last if said.role == "user"), default=message.created_at - JUST_ASKED)
    live = [
        each
        for each in waiting
        if (since <= each.created_at and message.created_at - each.created_at <= JUST_ASKED)
        or each.question_pt in heard
        or each.question_en in heard
    ]
    return max(live, key=lambda each: (each.created_at, each.id), default=None)


def _answers(desk: Desk, waiting: Proposal, text: str) -> bool:
    """Whether a message answers the question; a new wish or a long story does not."""
    if len(text) > CHARACTERS_READ:
        return False
    if not isinstance(read_answer(text), Unrelated):
        return True
    if waiting.kind == "save" or len(text.split()) > ANSWER_WORDS:
        return False
    verdict = judge(desk, text)
    wish = isinstance(verdict, Forget | Correct | Quarantine) or (isinstance(verdict, Save) and verdict.explicit)
    return not wish


def _settled(outcome: Outcome, waiting: Proposal, language: str) -> Iterable[Deed]:
    """What an answer to a question did."""
    kinds = {"save": "saved", "correct": "corrected", "forget": "forgotten", "suppress": "silenced"}
    if outcome.memories:
        yield _deed(kinds[waiting.kind], outcome.memories, language)
    elif isinstance(outcome.verdict, Refuse):
        yield _refused(outcome.verdict, language)
    elif not outcome.proposals:
        yield Deed(kind="refused_by_person", text=_words("refused_by_person", language))
    yield from _questions(outcome, language)


def _noted(outcome: Outcome, language: str, wish: Wish | None = None) -> Iterable[Deed]:
    """What a message did by itself."""
    verdict = outcome.verdict
    forgets = isinstance(verdict, Forget) or wish in ("forget", "suppress")
    if isinstance(verdict, Quarantine):
        yield Deed(kind="held", text=_words("held", language))
    elif isinstance(verdict, Refuse) and (verdict.sensitive or verdict.reason in NOT_WANTED):
        yield _refused(verdict, language)
    elif isinstance(verdict, Refuse) and verdict.reason == _UNWANTED:
        yield Deed(kind="refused_by_person", text=_words("refused_by_person", language))
    elif forgets and not outcome.memories and not outcome.proposals:
        yield Deed(kind="nothing_to_forget", text=_words("nothing_to_forget", language))
    elif isinstance(verdict, Correct) and outcome.nothing_done:
        yield Deed(kind="nothing_to_correct", text=_words("nothing_to_correct", language))
    elif outcome.memories:
        done = "silenced" if wish == "suppress" else "forgotten"
        kind = done if forgets else "corrected" if outcome.replaced else "saved"
        everything = isinstance(verdict, Forget) and verdict.target == EVERYTHING
        yield _deed(kind, outcome.memories, language, words="forgotten_all" if everything else kind)
    elif outcome.replaced:
        yield _deed("ended", outcome.replaced, language)
    elif isinstance(verdict, Ask) and not outcome.proposals:
        yield Deed(kind="asked", text=_words("save_what", language))
    yield from _questions(outcome, language)


def _questions(outcome: Outcome, language: str) -> Iterable[Deed]:
    for proposal in outcome.proposals[:1]:
        text = proposal.question_pt if language == "pt" else proposal.question_en
        yield Deed(kind="asked", text=text, question=proposal.id)


def _deed(kind: str, memories: Sequence[Memory], language: str, *, words: str = "") -> Deed:
    what = "; ".join(_shown(memory, kind, language) for memory in memories[:SHOWN_MEMORIES])
    more = len(memories) - SHOWN_MEMORIES
    what += f" (+{more})" if more > 0 else ""
    ids = tuple(memory.id for memory in memories)
    return Deed(kind=kind, text=_words(words or kind, language).format(what=what), memories=ids)


def _shown(memory: Memory, kind: str, language: str) -> str:
    """A memory as it is told of; of what was forgotten only the name is said."""
    if kind in ("forgotten", "silenced") or memory.status == "deleted":
        return label_of(memory.key, language)
    return told(memory.key, memory.value, spoken(memory.value), language)


def _refused(verdict: Refuse, language: str) -> Deed:
    why = verdict.why.pt if language == "pt" else verdict.why.en
    return Deed(kind="refused", text=_words("refused", language).format(what=why))


def _words(kind: str, language: str) -> str:
    return _TOLD[kind][0 if language == "pt" else 1]
