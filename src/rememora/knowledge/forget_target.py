"""Decides which memories a request to forget means, and whether that is certain enough to act without asking."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from rememora import statements
from rememora.domain.memory import Memory
from rememora.domain.message import Message
from rememora.domain.verdict import Forget
from rememora.gate import Policy
from rememora.gate.intents import forgets_as_a_whole, points
from rememora.knowledge.affected import compared, forgotten, known_of
from rememora.knowledge.base import KnowledgeBase, KnowledgeWriter
from rememora.knowledge.control import OFFERED, meant
from rememora.knowledge.find import by_words, reachable, says_all, words_of
from rememora.language import fold
from rememora.language.keys import attribute_of, is_statement, subject_of
from rememora.language.phrases import phrase
from rememora.reading.parsed import ParsedMessage, parse_message
from rememora.statements.values import values_of

WHOLE_CHARACTERS = 300
_SEVERAL = 2
Finds = Callable[[KnowledgeWriter], Sequence[Memory]]

_OWN = phrase(r"(?:{all_the} )*(?:{my}|{our})\b")
_MEMORY = phrase(r"\b{memory_verb}")
# Somebody else's words that the person repeats: "dizia minha avó".
_REPORTED = phrase(r"\b{reported}\b")
# A capital inside a sentence, the word after a possessive chain ("da minha sócia"), or an English genitive.
_NAMED = phrase(
    r"(?<=[\w,] )[A-Z][\w-]{1,60}|\b{of} (?:(?:{my}|{our}|{article}) )?([\w-]{1,60})$|\b([\w-]{1,60})['’]s\b"
)
_LIST = phrase(r"\b{list}\b")
# The words right beside what is named, which say whose it is: "the studio address", "o endereço do estúdio".
_WORD_BEFORE = phrase(r"\b(?P<word>\w++) $")
_WORD_OF = phrase(r" {of} (?:{article} )?(?P<word>\w++)")


class ForgetTarget(msgspec.Struct, frozen=True, kw_only=True):
    """The memories that are meant, and whether the words leave no doubt about it."""

    memories: tuple[Memory, ...] = ()
    sure: bool = True
    in_part: frozenset[str] = frozenset()
    """Ids of lists of which one item is meant."""
    surely_in_part: frozenset[str] = frozenset()
    turn: Message | None = None
    """The turn that is meant: what it said was never saved."""
    turn_in_part: bool = False
    together: bool = False
    """Everything about somebody is meant: the memories go together, without asking which."""
    addressed: bool = True
    """Whether the words address memory at all, so that finding nothing deserves an answer."""
    wished: bool = False
    """Whether the words likely ask to forget: what they mean is not told while the person is asked."""


def find_target(
    writer: KnowledgeWriter,
    knowledge: KnowledgeBase,
    message: ParsedMessage,
    verdict: Forget,
    *,
    among_turns: bool = True,
) -> ForgetTarget:
    """Find what a request to forget means; in doubt the person is asked, with the choices.

    With `among_turns` it may be a turn from which no memory was made; an erasure takes memories alone.
    """
    last = points(verdict.target, knowledge.policy)
    elsewhere = _named_elsewhere(writer, verdict, knowledge.policy)
    if elsewhere or not _known_by_key(writer, verdict):
        # In a long text the wish alone; else the words around it too, which may name whom it means.
        alone = verdict.evidence is not None and len(message.raw) > WHOLE_CHARACTERS
        wish = message
        if verdict.evidence is not None and alone:
            wish = parse_message(message.raw[verdict.evidence.start :], message.before)
        slot = None if elsewhere else verdict.key
        found_by_meaning = forgotten(writer, wish, slot=slot, among_turns=among_turns)
        sure, possible = found_by_meaning.sure, found_by_meaning.possible
        if found_by_meaning.turn is not None and _surely_forgets(message, knowledge.policy):
            return ForgetTarget(turn=found_by_meaning.turn, turn_in_part=found_by_meaning.turn_in_part)
        if sure:
            about = _all_about(writer, wish, sure, knowledge.policy)
            meant_by_name = about or _described(writer, wish, _all_named(writer, verdict.target, sure))
            return ForgetTarget(
                memories=meant_by_name,
                sure=_is_certain(message, verdict, knowledge.policy),
                wished=_likely_forgets(message, knowledge.policy),
                together=bool(about),
                in_part=found_by_meaning.in_part,
                surely_in_part=found_by_meaning.surely_in_part,
            )
        if possible and not last and not by_words(possible, verdict.target):
            return ForgetTarget(
                memories=possible[:OFFERED],
                sure=False,
                wished=_likely_forgets(message, knowledge.policy),
                in_part=found_by_meaning.in_part,
            )
    matching = meant(writer, knowledge, None if elsewhere else verdict.key, verdict.target, last=last)
    addressed = is_addressed(message, verdict, knowledge.policy)
    names = frozenset[str]() if last else names_in(verdict.target)
    if not names or not matching or all(says_all(candidate, names) for candidate in matching):
        return ForgetTarget(memories=tuple(matching), sure=addressed, wished=addressed, addressed=addressed)
    known = reachable(writer.work, writer.scope, shared=writer.actor.rights.write_shared)
    named = [memory for memory in known if says_all(memory, names)]
    if named:
        return ForgetTarget(
            memories=tuple(by_words(named, verdict.target)), sure=addressed, wished=addressed, addressed=addressed
        )
    return ForgetTarget(memories=tuple(matching[:OFFERED]), sure=False, addressed=addressed)


def _is_certain(message: ParsedMessage, verdict: Forget, policy: Policy) -> bool:
    """Return whether words certainly ask to forget: they address memory or a list, or leave little doubt."""
    if _REPORTED.search(message.compared):
        return False
    sure = message.chance("forget", "erase", "hush") >= policy.threshold("reader_forgets")
    return sure or _LIST.search(message.compared) is not None or is_addressed(message, verdict, policy)


def _likely_forgets(message: ParsedMessage, policy: Policy) -> bool:
    """Return whether words likely ask to forget, and repeat nobody's: enough to be silent, not to forget."""
    likely = message.chance("forget", "erase", "hush") >= policy.threshold("reader_suppresses")
    likely = likely or forgets_as_a_whole(message.reading, policy)
    return likely and _REPORTED.search(message.compared) is None


def _surely_forgets(message: ParsedMessage, policy: Policy) -> bool:
    """Return whether words ask to forget beyond doubt, and not merely to leave something unmentioned."""
    return message.chance("forget", "erase") >= policy.threshold("reader_forgets")


def _all_named(writer: KnowledgeWriter, target: str, sure: tuple[Memory, ...]) -> tuple[Memory, ...]:
    """Return the memories that are meant: all with a name, if the request consists of that name."""
    # A capital at the head of a sentence names nothing; here the wish stood before it.
    names = names_in(f"o {target}")
    if not names or words_of(target) - names:
        return sure
    known = reachable(writer.work, writer.scope, shared=writer.actor.rights.write_shared)
    named = tuple(memory for memory in known if says_all(memory, names))
    return named if len(named) > len(sure) else sure


def _all_about(
    writer: KnowledgeWriter, wish: ParsedMessage, sure: tuple[Memory, ...], policy: Policy
) -> tuple[Memory, ...]:
    """Return all memories about the people meant, if the request asks for everything; empty if it does not.

    "Apaga tudo sobre a minha filha" finds her by her relation; other memories have only her name.
    """
    people = {_whom(memory) for memory in sure} - {frozenset[str]()}
    if not people or policy.one("intents", "forget", "all").search(wish.compared) is None:
        return ()
    known = reachable(writer.work, writer.scope, shared=writer.actor.rights.write_shared)
    ids = {memory.id for memory in sure}
    return tuple(memory for memory in known if memory.id in ids or any(says_all(memory, name) for name in people))


def _whom(memory: Memory) -> frozenset[str]:
    """Return the name of the person a memory is about, in words: by its key, or the first name of a relation."""
    if memory.key.startswith("people."):
        return words_of(subject_of(memory.key))
    if attribute_of(memory.key) != "relation":
        return frozenset()
    names = (value.text for value in values_of(str(memory.value)) if value.kind == "name" and not value.opens)
    return words_of(next(names, ""))


def _described(writer: KnowledgeWriter, wish: ParsedMessage, memories: tuple[Memory, ...]) -> tuple[Memory, ...]:
    """Return the memory among several about one matter that the request describes; all if none stands out."""
    # The value of a slot ("30 de março") describes nothing by itself.
    texts = [str(memory.value) for memory in memories if is_statement(memory.key)]
    if writer.meaning is None or len(memories) < _SEVERAL or len(texts) < len(memories):
        return memories
    place = statements.items.meant_text(wish.raw, texts, writer.meaning)
    return memories if place is None else memories[place : place + 1]


def _known_by_key(writer: KnowledgeWriter, verdict: Forget) -> bool:
    """Return whether the request names an attribute that has a key of its own."""
    return (
        verdict.key is not None
        and writer.work.memories.active(writer.scope, verdict.key, shared=False) is not None
    )


def _named_elsewhere(writer: KnowledgeWriter, verdict: Forget, policy: Policy) -> bool:
    """Return whether another memory has the word that says whose the named attribute is.

    "The studio address" is not where the person lives, if a memory tells of a studio.
    """
    if verdict.key is None:
        return False
    target = fold(verdict.target)
    named = policy.one("topics", "attributes", verdict.key).search(target)
    if named is None:
        return False
    near = (_WORD_BEFORE.search(target[: named.start()]), _WORD_OF.match(target[named.end() :]))
    whose = statements.links.known(" ".join(match["word"] for match in near if match is not None)).stems
    memories = compared(writer)
    of_slot = frozenset[str]().union(*(known_of(memory).stems for memory in memories if memory.key == verdict.key))
    return any((whose - of_slot) & known_of(memory).stems for memory in memories if memory.key != verdict.key)


def is_addressed(message: ParsedMessage, verdict: Forget, policy: Policy) -> bool:
    """Return whether words surely address memory: they mention it, say forget, or name the person's own data."""
    if _REPORTED.search(message.compared):
        return False
    about_memory = policy.one("intents", "forget", "about_memory").search(message.compared) is not None
    return (
        about_memory
        or _MEMORY.search(message.compared) is not None
        or _OWN.match(fold(verdict.target)) is not None
        or verdict.key is not None
    )


def names_in(target: str) -> frozenset[str]:
    """Return the words of a target that name somebody or something: "o aniversário do Rafa" names Rafa."""
    names = ("".join(match.groups(default="")) or match.group() for match in _NAMED.finditer(target))
    return words_of(" ".join(names))
