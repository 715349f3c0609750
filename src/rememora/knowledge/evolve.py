"""Propagates a change to dependents: a rule that comes true takes effect, and what depended on it is put in doubt.

Only first-hand statements of the person do this. Nothing is deleted on a guess: a consequence names its rule and
can be undone, and a memory in doubt keeps its value, marked with the change that caused the doubt.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import msgspec

from rememora import statements
from rememora.domain.check import check_name
from rememora.domain.memory import Memory, MemoryDraft, Outcome, Proposal
from rememora.domain.rights import Actor
from rememora.domain.scope import Scope
from rememora.domain.verdict import Fact, Origin, TextSpan, Utterance
from rememora.errors import NotFound
from rememora.gate import load_policy
from rememora.gate.stated import key_of_rest, statement_key
from rememora.knowledge import keep
from rememora.knowledge.affected import compared, give_way, is_verbatim, known_of, touched
from rememora.knowledge.base import KnowledgeBase, KnowledgeWriter, state_of
from rememora.knowledge.control import bring_back, delete
from rememora.knowledge.opt_outs import unwanted
from rememora.knowledge.pending import ask_whether_it_holds
from rememora.language import fold
from rememora.language.amended import parts_of
from rememora.language.subjects import COMPANY, ME, SubjectKind, kind_of_key, subject_key
from rememora.reading.labels import CONSEQUENCE
from rememora.reading.parsed import ParsedMessage, parse_message
from rememora.reading.results import MessageReading
from rememora.reading.rules import Rule, rule_of, sentence_spans

if TYPE_CHECKING:
    from rememora.statements.links import ComparedStatement

RULE: Final = "a rule came true"
RULE_ENDED: Final = "a rule no longer holds"
DOUBT: Final = "what it rests on changed"
SETTLED: Final = "it was said again"
_HAPPENED: Final = 0.5
_SEVERAL: Final = 2
_SAID_AGAIN: Final = 0.75
"""Share of an earlier message's words above which another message repeats it."""
_SPOKEN_OF: Final = 2
"""Words of a memory that a message must repeat to be about it; a name counts twice."""


def carry_on(writer: KnowledgeWriter, message: ParsedMessage, done: Outcome) -> Outcome:
    """Apply a message to rules and to dependents of what it changed, after its own facts were saved."""
    memories = compared(writer)
    if not memories:
        return Outcome()
    spoken, text = message.reading, message.raw
    new = {memory.id for memory in done.memories}
    known = [memory for memory in memories if memory.id not in new]
    followed = _follow_rules(writer, spoken, text, known)
    happened = done.replaced or (
        spoken.chance("change", "correct", "passing", "tell") >= _HAPPENED and not _only_asks(text)
    )
    if not happened or done.verdict is None:
        return followed
    gone = {memory.id for memory in (*done.replaced, *followed.replaced)}
    left = [memory for memory in known if memory.id not in gone and memory.status == "active"]
    # Of several facts the longest tells best what changed: "AGORA É MEU!!" says little.
    change = max(done.memories, key=lambda memory: len(str(memory.value)), default=None)
    event = _doubt(writer, spoken, text, left, change, done.replaced)
    return followed if event is None else _with_event(followed, event)


def _only_asks(text: str) -> bool:
    """Return whether every sentence of a message is a question: nothing has happened by it."""
    spans = [text[start:end].rstrip() for start, end in sentence_spans(text[: keep.EVIDENCE_CHARACTERS])]
    return bool(spans) and all(sentence.endswith("?") for sentence in spans if sentence)


def _with_event(outcome: Outcome, event: Memory) -> Outcome:
    return msgspec.structs.replace(outcome, memories=(*outcome.memories, event))


def ask_about_doubt(writer: KnowledgeWriter, text: str, done: Outcome) -> Proposal | None:
    """Ask whether something in doubt still holds, the next time the person mentions it."""
    changed = {memory.id for memory in (*done.memories, *done.replaced)}
    said = statements.links.known(text)
    for memory in reversed(compared(writer)):
        if memory.doubted_at in (None, writer.now) or memory.id in changed or not writer.may_change(memory):
            continue
        known = known_of(memory)
        # A name says more than a word: two points for each, and enough of both means that it is spoken of.
        shared = len(said.stems & known.stems) + 2 * len(said.names & (known.names | known.stems))
        if shared >= _SPOKEN_OF:
            return ask_whether_it_holds(writer, memory)
    return None


def _follow_rules(
    writer: KnowledgeWriter, spoken: MessageReading, text: str, memories: Sequence[Memory]
) -> Outcome:
    rules = [(memory, rule) for memory in memories if (rule := _rule(memory)) is not None]
    if not rules:
        return Outcome()
    said = statements.links.known(text)
    conditions = [statements.links.known(rule.condition) for _, rule in rules]
    made = {at: stands for at, (memory, _) in enumerate(rules) if (stands := _made_by(writer, memory))}
    sentences = _sentences_near(text, conditions)
    # Both from one look at the message: rules that come true now, and rules whose condition no longer holds.
    true, ended = statements.planner.fired(spoken, said, conditions, made, writer.meaning, sentences)
    outcomes = [_apply(writer, *rules[at], text) for at in true]
    outcomes += [_end(writer, made[at]) for at in ended if not _said_again(said, made[at])]
    return Outcome(
        memories=tuple(memory for outcome in outcomes for memory in outcome.memories),
        replaced=tuple(old for outcome in outcomes for old in outcome.replaced),
    )


def _sentences_near(
    text: str, conditions: Sequence[ComparedStatement]
) -> list[tuple[MessageReading, ComparedStatement]]:
    """Return the sentences of a message that contain a word of some condition, if there are several."""
    spans = list(sentence_spans(text[: keep.EVIDENCE_CHARACTERS]))
    words = frozenset[str]().union(*(condition.stems for condition in conditions))
    if len(spans) < _SEVERAL:
        return []
    said = [(text[start:end], statements.links.known(text[start:end])) for start, end in spans]
    return [(parse_message(sentence).reading, known) for sentence, known in said if known.stems & words]


def _rule(memory: Memory) -> Rule | None:
    """Return the rule that a memory states, if the person stated it; not those of tools or documents."""
    stated = memory.because is None and memory.origin is Origin.USER_SAID and isinstance(memory.value, str)
    return rule_of(memory.value) if stated and not parts_of(str(memory.value))[1] else None


def _made_by(writer: KnowledgeWriter, rule: Memory) -> list[Memory]:
    """Return the active consequences of a rule."""
    return [memory for memory in writer.work.memories.resting_on(writer.scope, rule) if memory.because == rule.id]


def _apply(writer: KnowledgeWriter, memory: Memory, rule: Rule, text: str) -> Outcome:
    """Save the consequence of a rule, replacing what it changes."""
    attribute = memory.attribute or "rule"
    subject, kind = _about(memory, rule)
    draft = MemoryDraft(
        key=_consequence_key(memory, rule, kind),
        value=rule.consequence,
        category=memory.category,
        scope=memory.scope,
        confidence=memory.confidence,
        source="inferred",
        conversation=memory.conversation,
        origin=memory.origin,
        evidence=text[: keep.EVIDENCE_CHARACTERS],
        subject=subject or None,
        attribute=attribute,
        because=memory.id,
    )
    fact = Fact(
        key=draft.key,
        value=draft.value,
        category=memory.category,
        confidence=memory.confidence,
        origin=memory.origin,
        evidence=TextSpan(start=0, end=len(rule.consequence), text=rule.consequence),
        said=Utterance(act=CONSEQUENCE, attribute=attribute, subject=subject),
    )
    # A rule is never ended by a consequence, not even by its own.
    effects = [pair for pair in touched(writer, fact, (), {memory.id}) if _rule(pair[0]) is None]
    draft, place, gone = give_way(writer, draft, effects)
    # A consequence replaces what it changes; without such a memory, an earlier one under its own key.
    current = place or writer.work.memories.active(writer.scope, draft.key, shared=draft.scope == "tenant_shared")
    kept, replaced = keep.put(writer, draft, current, why=RULE)
    return Outcome(memories=(kept,), replaced=(*((replaced,) if replaced else ()), *gone))


def _consequence_key(memory: Memory, rule: Rule, kind: SubjectKind) -> str:
    """Return the key of a rule's consequence: beside the rule, unless that is under a name it does not bear."""
    if kind == "unknown" and kind_of_key(memory.key) != "unknown":
        return statement_key(rule.consequence, "", memory.attribute or "rule", kind)
    return key_of_rest(memory.key, rule.consequence)


def _about(memory: Memory, rule: Rule) -> tuple[str, SubjectKind]:
    """Return the subject of a rule's consequence with its kind: the rule's own where the consequence names it.

    "Se o Davi assumir a cozinha, o turno começa às 7h15" is about Davi, and its consequence is not.
    """
    subject = memory.subject or ""
    owners: Mapping[str, SubjectKind] = {ME: "me", COMPANY: "company"}
    if subject in owners:
        return subject, owners[subject]
    named = subject and subject_key(subject) in fold(rule.consequence)
    return (subject, kind_of_key(memory.key)) if named else ("", "unknown")


def _said_again(statement: ComparedStatement, made: Sequence[Memory]) -> bool:
    """Return whether a message repeats what made a rule true: most of those words."""
    for memory in made:
        words = statements.links.known(memory.evidence or "").stems
        if words and len(statement.stems & words) >= _SAID_AGAIN * len(words):
            return True
    return False


def _end(writer: KnowledgeWriter, made: Sequence[Memory]) -> Outcome:
    """Undo what a rule had set, and restore what it had replaced."""
    back: list[Memory] = []
    for memory in made:
        delete(writer, memory, why=RULE_ENDED)
        earlier = writer.work.memories.get(writer.scope, memory.supersedes) if memory.supersedes else None
        if earlier is not None and earlier.status == "deprecated":
            back.append(bring_back(writer, earlier.id, RULE_ENDED))
    return Outcome(memories=tuple(back), replaced=tuple(made))


def _doubt(
    writer: KnowledgeWriter,
    spoken: MessageReading,
    text: str,
    memories: Sequence[Memory],
    change: Memory | None,
    replaced: Sequence[Memory],
) -> Memory | None:
    """Put dependents of what a message states in doubt; also for an event that was not worth saving."""
    said = statements.links.known(text)
    known, gone = ([known_of(memory) for memory in some] for some in (memories, replaced))
    places = statements.planner.doubted(spoken, said, known, gone, writer.meaning)
    doubted = [
        memory
        for memory in (memories[at] for at in places)
        if writer.may_change(memory)
        and (change is None or memory.doubted_by != change.id)
        and _rule(memory) is None
        and not is_verbatim(memory.value)
    ]
    if not doubted:
        return None
    # The reason of a doubt must be there to be shown, even if the event itself was not worth a memory.
    event = _keep_event(writer, text) if change is None else None
    reason = change or event
    if reason is not None:
        for memory in doubted:
            mark(writer, memory, reason.id, why=DOUBT)
    return event


def _keep_event(writer: KnowledgeWriter, text: str) -> Memory | None:
    """Keep what happened as the reason of a doubt: what passes is remembered where something rested on it."""
    value = text[: keep.EVIDENCE_CHARACTERS]
    draft = MemoryDraft(
        key=statement_key(value, ME, "event", ME),
        value=value,
        category="identity",
        scope="personal",
        source="inferred",
        source_ref=writer.hearing,
        origin=Origin.USER_SAID,
        evidence=value,
        subject=ME,
        attribute="event",
    )
    if unwanted(writer.work, writer.scope, draft, load_policy()) is not None:
        return None
    current = writer.work.memories.active(writer.scope, draft.key, shared=False)
    return keep.put(writer, draft, current, why=DOUBT)[0]


async def confirm(knowledge: KnowledgeBase, scope: Scope, name: str, *, actor: Actor) -> Memory:
    """Take the doubt from a memory, by its id or its key, on the person's word that it still holds."""
    check_name("memory", name)

    def work(writer: KnowledgeWriter) -> Memory:
        memory = keep.named(writer.work, writer.scope, name)
        if memory is None:
            raise NotFound("memory", name)
        if memory.scope == "tenant_shared":
            writer.actor.need("write_shared")
        return settle(writer, memory)

    return await knowledge.write(scope, actor, work)


def settle(writer: KnowledgeWriter, memory: Memory) -> Memory:
    """Take the doubt from a memory that was said again or confirmed."""
    return memory if memory.doubted_at is None else mark(writer, memory, None, why=SETTLED)


def mark(writer: KnowledgeWriter, memory: Memory, by: str | None, *, why: str) -> Memory:
    """Put a memory in doubt, or out of it, on record."""
    marked = writer.work.memories.doubt(writer.scope, memory, by, at=writer.now)
    before = {**state_of(memory), "doubted_by": memory.doubted_by}
    writer.record("doubt", memory, why=why, before=before, after={**state_of(marked), "doubted_by": by})
    writer.tell(keep.updated(marked, "doubt" if by else "settle"))
    return marked
