"""Finds and changes the memories that a new statement or a request is about."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

import msgspec

from rememora import statements
from rememora.caches import person_cache
from rememora.domain.memory import Memory, MemoryDraft
from rememora.domain.message import Message
from rememora.domain.question import shown
from rememora.domain.value_span import ValueSpan
from rememora.domain.verdict import Fact
from rememora.gate.intents import names_removal
from rememora.gate.stated import SLOTS, key_of_rest
from rememora.gate.verbatim import verbatim_start
from rememora.knowledge import keep
from rememora.knowledge.base import KnowledgeWriter
from rememora.knowledge.control import delete, forget_one
from rememora.knowledge.forget_turn import became_no_memory, recent_turns, states_something, unsaved_turns
from rememora.language import fold
from rememora.language.amended import newest, parts_of, spoken, unsigned, with_parts
from rememora.language.keys import attribute_of, is_statement, namespace_owner
from rememora.language.labels import labelled_value
from rememora.language.parsed import ParsedText, parse_text
from rememora.language.phrases import phrase
from rememora.language.subjects import OWNERS, same_subject
from rememora.reading.labels import ATTRIBUTES, CONSEQUENCE
from rememora.reading.parsed import ParsedMessage, parse_message
from rememora.reading.rules import rule_of
from rememora.statements.amendments import amended, covers
from rememora.statements.attribute_values import span_behind, span_read_in
from rememora.statements.corrected import put_right
from rememora.statements.values import names_within, words_of

if TYPE_CHECKING:
    from rememora.statements.links import ComparedStatement
    from rememora.statements.planner import Effect

COMPARED: Final = 300
"""Number of newest memories that a statement is compared with."""
COMPARED_CHARACTERS: Final = 600
DESCRIBED_CHARACTERS: Final = 140
"""Length of a memory that a request can mean without a word of it; with longer ones the right one was found in 13
cases of 30, without them in 18."""
WHY: Final = "changed"
_ADDS: Final = phrase(r"\b{adds}\b")
"""Words that add to what is known instead of changing it: "também usamos Teams" does not end Slack."""
_SOUNDS_CHANGED: Final = 0.2
"""Minimum probability at which wording alone counts as a change or a correction."""
_SEED: Final = "admin_system"
_WISH_END: Final = re.compile(r"[,.;:!?]")


def touched(
    writer: KnowledgeWriter, fact: Fact, before: Sequence[str], new: Collection[str] = ()
) -> list[tuple[Memory, Effect]]:
    """Return the memories that a fact of a message replaces, in whole or in part; `new` were just saved."""
    if fact.said is None or fact.evidence is None or _ADDS.search(fold(fact.evidence.text)):
        return []
    text, act = fact.evidence.text, fact.said.act
    may_end = may_replace(writer, fact)
    near = [memory for memory in compared(writer) if memory.id not in new and may_end(memory)]
    if not near:
        return []
    spoken = parse_message(text, before).reading
    if act != CONSEQUENCE and spoken.chance("change", "correct") < _SOUNDS_CHANGED:
        act = "tell"
    elif (
        act != CONSEQUENCE and (alone := parse_message(text).reading).chance("change", "correct") < _SOUNDS_CHANGED
    ):
        # "Uso o Bling" after "uso o Slack" looks like a change only because of what was said before it.
        spoken, act = alone, "tell"
    memories = [memory for memory in near if act != "tell" or is_statement(memory.key)]
    # A consequence is compared as in training, by its words: the rule's subject is not its own.
    about = {} if act == CONSEQUENCE else {"attribute": fact.said.attribute, "subject": fact.said.subject}
    said = statements.links.known(text, **about)
    effects = statements.planner.plan(
        spoken, said, [known_of(memory) for memory in memories], act=act, meaning=writer.meaning
    )
    planned = [(memories[effect.place], effect) for effect in effects]
    return [(memory, _whole(memory, effect)) for memory, effect in planned if _may_end_slot(memory, text)]


def _may_end_slot(memory: Memory, text: str) -> bool:
    """Return whether words may end a memory if it is a slot: naming a firm says nothing of where one lives.

    In a statement a firm may take a person's place ("o contador agora é a Contabilize"); in a slot nothing of
    another kind can.
    """
    if is_statement(memory.key):
        return True
    value = shown(memory.value)
    old, new = (names_within(words) for words in (value, text))
    return not old or not new or bool(old & new)


def _whole(memory: Memory, effect: Effect) -> Effect:
    """A slot has one value, and a rule or a verbatim text is read as a whole: nothing is put behind them."""
    whole = not is_statement(memory.key) or _tells_rule(memory.value) or is_verbatim(memory.value)
    return msgspec.structs.replace(effect, kind="replace") if whole else effect


def may_replace(writer: KnowledgeWriter, fact: Fact) -> Callable[[Memory], bool]:
    """Return the check whether a statement may end a memory at all.

    A less trusted statement never ends a more trusted one. A memory with its own key is not ended by a fact with
    another one, nor by words that repeat its value; a rule is ended only by another rule, and a verbatim text
    only by another verbatim text.
    """
    trust, said = fact.origin.trust, None if fact.evidence is None else fold(fact.evidence.text)
    is_slot = not is_statement(fact.key)
    is_rule, is_text = _tells_rule(fact.value), is_verbatim(fact.value)

    def may_end(memory: Memory) -> bool:
        if not writer.may_change(memory) or memory.source == _SEED or memory.key == fact.key:
            return False
        if memory.origin.trust > trust or (not is_rule and _tells_rule(memory.value)):
            return False
        # Two slots stand for two things: somebody who moves keeps their name.
        if not is_statement(memory.key) and (is_slot or (said is not None and fold(shown(memory.value)) in said)):
            return False
        return is_text or not is_verbatim(memory.value)

    return may_end


def is_verbatim(value: object) -> bool:
    """Check whether a value is a text that was to be kept verbatim."""
    return isinstance(value, str) and verbatim_start(parse_text(value), asked_to_keep=True) is not None


def _tells_rule(value: object) -> bool:
    # What was put behind a statement is no condition of it.
    return isinstance(value, str) and not parts_of(value)[1] and rule_of(value) is not None


class ForgetMatches(msgspec.Struct, frozen=True):
    """The memories that a request to forget surely means, those it may mean, and ids of those meant in part."""

    sure: tuple[Memory, ...] = ()
    possible: tuple[Memory, ...] = ()
    in_part: frozenset[str] = frozenset()
    surely_in_part: frozenset[str] = frozenset()
    turn: Message | None = None
    """The turn that is surely meant rather than a memory: it was said and never saved."""
    turn_in_part: bool = False
    """Only one of the things that the turn lists is meant."""


def forgotten(
    writer: KnowledgeWriter, message: ParsedMessage, *, slot: str | None = None, among_turns: bool = True
) -> ForgetMatches:
    """Find the memories that a request to forget means, or with `among_turns` a turn from which none was made.

    `slot` is the key of the attribute that the request names: it means no slot of another one.
    """
    turns, wish = list(recent_turns(writer)), statements.links.known(message.raw)
    unsaved = unsaved_turns(turns, compared(writer)) if among_turns else []
    memories = [
        memory
        for memory in compared(writer)
        if _may_be_described(memory, wish) and not (slot and _is_other_slot(memory.key, slot))
    ]
    meant = statements.planner.meant(
        message.reading,
        wish,
        [
            *(statements.links.known(turn.content[:COMPARED_CHARACTERS]) for turn in unsaved),
            *_as_told(turns, memories),
        ],
        writer.meaning,
        described=True,
    )
    # Places below the number of unsaved turns are turns, those after them memories: both compete in one ranking.
    said = [at for at in meant.sure if at < len(unsaved)]
    if said and said[0] == meant.sure[0] and became_no_memory(writer, unsaved[said[0]]):
        return ForgetMatches(turn=unsaved[said[0]], turn_in_part=said[0] in meant.surely_in_part)

    def those(places: Iterable[int]) -> list[Memory]:
        return [memories[at - len(unsaved)] for at in places if at >= len(unsaved)]

    return ForgetMatches(
        tuple(those(meant.sure)),
        tuple(those(meant.possible)),
        frozenset(memory.id for memory in those(meant.in_part)),
        frozenset(memory.id for memory in those(meant.surely_in_part)),
    )


def _is_other_slot(key: str, named: str) -> bool:
    """Return whether a key is a slot that shares no attribute with a named one: an address may be a place."""
    attributes = [{attribute for attribute, _ in SLOTS.get(slot, ())} for slot in (key, named)]
    return all(attributes) and attributes[0].isdisjoint(attributes[1])


def _may_be_described(memory: Memory, wish: ComparedStatement) -> bool:
    """Return whether a request can mean a memory: a long one only if it names a word of it.

    The networks find a word for every request in a long text, and hardly anybody describes one.
    """
    long = len(str(memory.value)) > DESCRIBED_CHARACTERS
    return not long or bool(wish.words_said & known_of(memory).words_said)


def _as_told(recent: Sequence[Message], memories: Sequence[Memory]) -> list[ComparedStatement]:
    """Describe each memory in the words of its turn, if it is a list or the only memory of that turn.

    People describe what to forget by how they said it: "aquele desabafo" is in "preciso desabafar: a Tainá
    copiou …", of which only the second part became a memory. A question or a request says nothing of its memory.
    """
    turns = {turn.id: turn.content for turn in recent if states_something(turn)}
    from_turn = Counter(memory.source_ref for memory in memories)
    return [
        statements.links.known(
            turns[str(memory.source_ref)][:COMPARED_CHARACTERS],
            attribute=known_of(memory).attribute,
            subject=known_of(memory).subject,
        )
        if is_statement(memory.key)
        and memory.source_ref in turns
        and (from_turn[memory.source_ref] == 1 or _tells_list(memory))
        else known_of(memory)
        for memory in memories
    ]


def remove_item(
    writer: KnowledgeWriter, memory: Memory, wish: ParsedText, *, why: str, certain: bool = False
) -> tuple[Memory, Memory] | None:
    """Forget a part of a memory, such as one thing of a list: return the forgotten memory, and one with the rest.

    None if the request does not say which part it means.
    """
    listing = memory.value if isinstance(memory.value, str) else ""
    left = _without_part(listing, lambda words: without_meant(writer, words, wish, certain=certain))
    return None if left is None else replace_with_rest(writer, memory, left, why=why)


def remove_contact(
    writer: KnowledgeWriter, memory: Memory, message: ParsedMessage, *, why: str
) -> tuple[Memory, Memory] | None:
    """Forget only the number or address that a request means: return what it was, and a memory of the rest."""
    if not isinstance(memory.value, str) or not is_statement(memory.key):
        return None
    # Only the clause that asks for it says what is to go: "esquece a Marta, perdi o telefone dela".
    clauses = map(parse_text, _WISH_END.split(message.raw))
    wish = next((clause for clause in clauses if names_removal(clause.compared)), parse_text(""))
    left = _without_part(
        memory.value,
        lambda words: statements.contacts.without_contact(words, wish),
        # "Agora é 98888-1111" is nothing but another number of the same person.
        lambda words: statements.contacts.tells_kind(words, wish),
    )
    return None if left is None else replace_with_rest(writer, memory, left, why=why)


def _without_part(
    text: str, without: Callable[[str], str | None], goes: Callable[[str], bool] = lambda _: False
) -> str | None:
    """Return a statement of which one part is gone, from what was said first and from each change of it.

    A change that repeats what goes ("tira a Jéssica, entra a Carol"), or that `goes` too, goes with it; None where
    nothing goes, or where what was said first would still tell it.
    """
    first, changes = parts_of(text)
    lefts = [without(words) for words in (first, *(change.text for change in changes))]
    if not any(left is not None for left in lefts):
        return None
    said = zip((first, *(change.text for change in changes)), lefts, strict=True)
    gone = {word for words, left in said if left is not None for word in words_of(words) - words_of(left)}
    if lefts[0] is None and (goes(first) or gone & words_of(first)):
        return None
    kept = [
        msgspec.structs.replace(change, text=change.text if left is None else left)
        for change, left in zip(changes, lefts[1:], strict=True)
        if left != "" and not (left is None and (goes(change.text) or gone & words_of(change.text)))
    ]
    return with_parts(first if lefts[0] is None else lefts[0], kept)


def replace_with_rest(writer: KnowledgeWriter, memory: Memory, left: str, *, why: str) -> tuple[Memory, Memory]:
    """Forget a memory and save what is left of it under the key that the rest has."""
    gone = forget_one(writer, memory, why=why)
    wish = _like(memory, left, key=key_of_rest(memory.key, left), source_ref=None, evidence=None)
    return gone, keep.put(writer, wish, None, why=why)[0]


def without_meant(writer: KnowledgeWriter, listing: str, wish: ParsedText, *, certain: bool) -> str | None:
    """Return a text without the thing of its list that a request means; None if none of it stands out."""
    listed = statements.items.items_of(listing)
    if not listed:
        return None
    place = statements.items.meant_item(listing, wish, listed, writer.meaning, certain=certain)
    return None if place is None else statements.items.without_item(listing, listed, place)


def listed_item(
    writer: KnowledgeWriter, message: ParsedMessage, *, by_name: bool = False
) -> tuple[Memory, bool] | None:
    """Find the list from which a message removes an item, and whether it surely means only one item.

    The wording need not sound like a request. With `by_name`, the only list that contains an item named by the
    message is enough. A verbatim text loses nothing to a message that only may be a request.
    """
    memories = [memory for memory in compared(writer) if writer.may_change(memory)]
    may_lose = [_tells_list(memory) and (by_name or not is_verbatim(memory.value)) for memory in memories]
    if not any(may_lose):
        return None
    # Lists compete with all other memories, so that none is meant for want of a better one. Compared by the
    # networks first; a named item decides only where they are not sure.
    said = statements.links.known(message.raw)
    meant = statements.planner.meant(
        message.reading, said, [known_of(memory) for memory in memories], writer.meaning, described=True
    )
    if meant.sure and may_lose[meant.sure[0]] and meant.sure[0] in meant.in_part:
        return memories[meant.sure[0]], meant.sure[0] in meant.surely_in_part
    lists = [memory for memory, may in zip(memories, may_lose, strict=True) if may and by_name]
    named = [memory for memory in lists if statements.items.names_item(parts_of(str(memory.value))[0], message)]
    return (named[0], True) if len(named) == 1 else None


def _tells_list(memory: Memory) -> bool:
    return isinstance(memory.value, str) and len(statements.items.items_of(parts_of(memory.value)[0])) > 1


def compared(writer: KnowledgeWriter) -> list[Memory]:
    """The newest memories that the person may change, the newest last; those that changed are read again."""
    shared, held = writer.actor.rights.write_shared, writer.reached
    # Where one of so many goes, an older one takes its place: only the store knows which.
    if not held or (writer.changed and len(held) >= COMPARED):
        held.clear()
        newest = writer.work.memories.newest(writer.scope, shared=shared, limit=COMPARED)
        held.update((memory.id, memory) for memory in newest)
    elif writer.changed:
        again = writer.work.memories.with_ids(writer.scope, list(writer.changed))
        for id in writer.changed:
            held.pop(id, None)
        active = (memory for memory in again.values() if memory.status == "active")
        held.update((memory.id, memory) for memory in active if shared or memory.scope == "personal")
    writer.changed.clear()
    return sorted(held.values(), key=lambda memory: (memory.created_at, memory.id))


def known_of(memory: Memory) -> ComparedStatement:
    """Return a memory in the form in which it is compared."""
    text = memory.value if isinstance(memory.value, str) else shown(memory.value)
    # The comparison was tuned with an unknown subject as its namespace's: as none, other people's news ends it.
    owner = memory.subject or namespace_owner(memory.key)
    return _described(memory.key, spoken(text)[:COMPARED_CHARACTERS], isinstance(memory.value, bool), owner)


@person_cache(maxsize=4096)
def _described(key: str, value: str, flag: bool, subject: str) -> ComparedStatement:
    """Return a memory in the form in which it is compared: a sentence alone, a slot with its name."""
    text = value if is_statement(key) else labelled_value(key, True if flag else value, value, "pt")
    attribute = SLOTS[key][0][0] if SLOTS.get(key) else attribute_of(key)
    attribute = attribute if attribute in ATTRIBUTES else "other"
    return statements.links.known(text, attribute=attribute, subject=subject)


def give_way(
    writer: KnowledgeWriter, draft: MemoryDraft, effects: Sequence[tuple[Memory, Effect]]
) -> tuple[MemoryDraft, Memory | None, list[Memory]]:
    """Prepare a draft: return it with the memory it replaces, and the memories changed or ended with it.

    The draft carries the memory that it changes in part, so that its timeline continues from there.
    """
    place, gone = None, []
    # What fills a slot is put behind nothing: the rest of its sentence may be what was not to be kept.
    behind = is_statement(draft.key) and not _tells_rule(draft.value) and not is_verbatim(draft.value)
    for memory, effect in effects:
        if effect.kind != "replace":
            # Behind one statement only: words that stand in several outlive their forgetting.
            text = _changed(writer, memory, draft.value, wrong=effect.kind == "correct") if behind else None
            if text is not None and place is None and memory.scope == draft.scope:
                draft, place = _behind(memory, draft, text), memory
        # The first memory that ends lends its place to the draft, so that its history goes on; the others just
        # end.
        elif place is None and is_statement(draft.key) and memory.scope == draft.scope:
            draft, place = _in_place(memory, draft), memory
        else:
            gone.append(delete(writer, memory, why=WHY))
    return draft, place, gone


def _changed(writer: KnowledgeWriter, memory: Memory, said: object, *, wrong: bool) -> str | None:
    """Return a memory's statement put right, or with what was said behind it; None where both are to stay."""
    if not isinstance(memory.value, str) or not isinstance(said, str):
        return None
    right = put_right(memory.value, said) if wrong else None
    if right is not None and right.whole:
        return right.text
    text = amended(memory.value if right is None else right.text, said, writer.now.date())
    return right.text if text is None and right is not None else text


def _in_place(memory: Memory, draft: MemoryDraft) -> MemoryDraft:
    """Return the draft of what says a statement anew: it is about the same, whatever the reader makes of it."""
    said = isinstance(draft.value, str) and isinstance(memory.value, str) and is_statement(memory.key)
    return _behind(memory, draft, draft.value) if said and covers(draft.value, spoken(memory.value)) else draft


def _behind(memory: Memory, draft: MemoryDraft, text: str) -> MemoryDraft:
    """Return the draft of an amended statement: what it is about, and when and where it holds, stays as it was."""
    return msgspec.structs.replace(
        draft,
        key=key_of_rest(memory.key, text),
        value=text,
        category=memory.category,
        subject=memory.subject,
        attribute=memory.attribute,
        attribute_span=_span_in(memory, draft, text),
        conversation=memory.conversation,
        valid_from=memory.valid_from,
        valid_to=memory.valid_to,
        source=memory.source if memory.source == "explicit_user" else draft.source,
    )


def _span_in(memory: Memory, draft: MemoryDraft, text: str) -> ValueSpan | None:
    """Return where a statement that was amended or put right says the value of its attribute.

    In a change behind it only where the change was surely read as one of the same attribute, and of nobody else.
    """
    if newest(text) != unsigned(str(draft.value)):
        return span_read_in(text, memory.attribute)
    subjects = {subject for subject in (draft.subject, memory.subject) if subject not in (None, *OWNERS)}
    # "O telefone da Marta mudou" may be read as the person's own: only another name says that another is meant.
    others = len(subjects) > 1 and not same_subject(draft.subject, memory.subject)
    of_it = draft.attribute == memory.attribute and not others
    return span_behind(text, str(draft.value), draft.attribute_span) if of_it else None


def _like(memory: Memory, value: str, **other: Any) -> MemoryDraft:
    """Return a memory's draft with another text."""
    fields = {
        "key": memory.key,
        "category": memory.category,
        "scope": memory.scope,
        "confidence": memory.confidence,
        "source": memory.source,
        "source_ref": memory.source_ref,
        "conversation": memory.conversation,
        "origin": memory.origin,
        "evidence": memory.evidence,
        "subject": memory.subject,
        "attribute": memory.attribute,
        "attribute_span": span_read_in(value, memory.attribute) if is_statement(memory.key) else None,
    }
    return MemoryDraft(value=value, **{**fields, **other})
