"""Turns what was read in a message into facts: a slot where it is surely one, and the sentence itself otherwise.

A slot (`user.name`) holds one value, and a new value replaces the old one. A rule of the policy proposes it and
the reader must agree. Everything else that is stated is kept as it was said, under a key that names whom and
what it is about and ends in a digest of its words (`tools.tool_s1a2b3c4`), so that one statement never
overwrites another.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from rememora.domain.value_span import MarkedSpan, places
from rememora.domain.verdict import Fact, Origin, Utterance
from rememora.gate.corrections import is_denied
from rememora.gate.facts import as_fact, find_facts
from rememora.gate.found import FoundFact, slug
from rememora.gate.policy import Policy
from rememora.gate.subject_kind import kind_of_subject
from rememora.language import fold, language_of_text
from rememora.language.keys import STATEMENT_MARK, without_digest
from rememora.language.packs import BUILTIN
from rememora.language.parsed import compared, in_place
from rememora.language.phrases import phrase, plain_words
from rememora.language.subjects import ME, NO_NAME, SubjectKind, canonical_subject, subject_key
from rememora.language.word_patterns import WORD
from rememora.language.wordlists import is_idle
from rememora.reading import read_message, read_names
from rememora.reading.normalised import NormalisedText
from rememora.reading.parsed import parse_message
from rememora.reading.repairs import repaired
from rememora.reading.results import FACTS, STATED, SURE_NAME, AttributeValue, MessageReading, NameSpan, Statement
from rememora.reading.rules import rule_of, sentence_spans

SLOTS: Final[dict[str, tuple[tuple[str, str], ...]]] = {
    "user.name": (("name", "me"), ("nickname", "me")),
    "user.role_title": (("role", "me"),),
    "user.location": (("place", "me"), ("address", "me")),
    "user.phone": (("phone", "me"),),
    "user.work_phone": (("phone", "me"), ("phone", "company")),
    "user.email": (("email", "me"),),
    "user.work_email": (("email", "me"), ("email", "company")),
    "user.address": (("address", "me"), ("place", "me")),
    "user.birthday": (("birthday", "me"), ("event", "me")),
    "user.age": (("age", "me"),),
    "user.marital_status": (("relation", "me"), ("other", "me")),
    "user.diet": (("diet", "me"), ("likes", "me"), ("rule", "me")),
    "user.timezone": (("place", "me"), ("other", "me")),
    "user.preferred_language": (("language", "me"), ("style", "me")),
    "user.pronouns": (("style", "me"), ("other", "me")),
    "tenant.name": (("name", "company"), ("employer", "me"), ("employer", "company")),
    "operating.cnpj": (("other", "company"),),
    "prefs.short_answers": (),
    "prefs.no_emojis": (),
    "prefs.no_tech_terms": (),
    "user.communication_style": (),
}
"""The canonical attributes of one value, with what the reader must see there; none for flags."""
_NEVER: Final = {
    "tenant.name": ("address", "phone", "relation", "event"),
    "user.location": ("employer", "tool", "relation"),
    "user.role_title": ("relation", "likes", "tool"),
}
"""Attributes that veto a slot: the reader must not be sure to see one of them where a rule reads the slot."""
_EVERYBODYS: Final = frozenset({"user.birthday", "user.age", "user.role_title", "user.location"})
"""Slots that are told of others as often as of oneself."""
_FIRST_PERSON: Final = phrase(r"\b(?:{of_oneself}|(?P<mine>{my} {own_attribute}))\b")
"""Words by which people speak of themselves: the reader must be sure that somebody unnamed is meant there."""
_WRITTEN_ANEW: Final = frozenset({"user.birthday", "user.preferred_language", "user.timezone"})
"""Slots whose value is not in the words that were said: `03-12`."""
_ONLY_AS_READ: Final = frozenset({"user.role_title"})
"""Slots that rules find too often: the reader must see them too."""
_AS_READ: Final = _ONLY_AS_READ | {"user.name"}
"""Slots that a value which the reader sees there must be a value of."""
_NAMED_OTHERWISE: Final = {
    "tenant.name": frozenset({"place"}),
    "user.location": frozenset({"person"}),
    "user.name": frozenset({"organization", "place"}),
}
"""What a name must not be the name of to be the value of a slot."""
_NAMES: Final = frozenset({"name", "nickname"})
_BELONGS: Final = phrase(r"\b{of} $")
"""Words between a firm and whose it is: in "a escola da Heloísa" she is not the school, "a Emma Sleep" may be."""
_SURE: Final = 0.8
_LIKELY: Final = 0.4
_OWN_NAME: Final = 0.9
"""Certainty of a name from which no rule need say that it is the person's own: 54 of 54 were, in nine sets."""
_NEVER_SURE: Final = 2.0

_PERSONAL: Final = frozenset({"likes", "dislikes", "style", "language", "diet", "rule", "channel"})
_OF_PEOPLE: Final = frozenset(
    {"relation", "role", "birthday", "age", "phone", "email", "nickname", "employer", "study", "place", "owner"}
)
_OF_FIRMS: Final = {"tool": "tools", "goal": "goals"}
# Connectors that open a clause carry nothing; left in, they would become part of the stored sentence.
_LEAD: Final = phrase(
    r"^(?:[\s,;:.!?…–—-]|(?:{and}|{but}|{opens_statement})\b[ ,]"
    r"|(?:{salutation})(?: (?:{addressee}))?(?: ?[,!.]|$))++",
    re.IGNORECASE,
)
_SLOT_WORDS: Final = plain_words("slot_words")
"""Words that only introduce the value of a slot."""
_ONCE: Final = phrase(r"\b{once}\b")
"""A wish for one text, which is no preference."""
_TAIL: Final = " \n\t,;:.–—-"
_CLAUSE: Final = phrase(r"(?<!\s)(?:\s*+[,;]|\s++(?:{and}|{but}))\s+")
# Gender narrows the antecedent where the language has it; plural forms match and narrow nothing.
_PRONOUN: Final = phrase(r"\b(?:(?P<male>{male})|(?P<female>{female})|{several_people})\b")
_ONLY_TODAY: Final = phrase(r"\b(?:{only_today})")
"""Words of what is over tomorrow."""
_UNCHANGED: Final = phrase(r"(?P<no>\b(?:{negation}) )?\b(?:{unchanged})\W*$", re.IGNORECASE)
_MOST_UNCHANGED: Final = 4
"""Most words with a topic of a clause that only says that something stays as it is."""
_CAPITAL_INSIDE: Final = re.compile(r"(?<=[\w,] )[A-ZÀ-Ý]\w+")
_WORD_BEFORE = 6
_LEAST_WORDS = 2
_DIGEST = 7
_PERSON_WORDS = 4


def stated_facts(
    reading: NormalisedText,
    statements: Sequence[Statement],
    policy: Policy,
    *,
    origin: Origin,
    confidence: float,
    before: Sequence[str] = (),
    within: slice = slice(0, None),
) -> Iterator[Fact]:
    """Facts of all that a message states for sure, or a slice of it."""
    least = policy.threshold("reader_states")
    for part in with_rules(reading.text, statements):
        statement = _cut(part, reading.text, within)
        if (
            statement is None
            or statement.act not in FACTS
            or statement.sure < least
            or _only_denies(statement, policy)
            or _is_wish_for_once(statement)
            or is_for_today(statement.text)
        ):
            continue
        facts = find_facts(reading, policy, lasting=True)
        near = [fact for fact in facts if fact.key in SLOTS and _within(fact, statement, reading.text)]
        if statement.attribute == "rule" and rule_of(statement.text) is not None:
            # What a rule says would be so fills no slot yet.
            near = []
        near = [fact for fact in near if not _is_taken_back(fact, statement.text)]
        if language_of_text(reading.text) in BUILTIN:
            # "Abito a Torino" may be in a language of an installed pack: the network has learnt no names there.
            near = [named for fact in near if (named := as_name(fact, statement)) is not None]
        if statement.act == "correct":
            near = [fact for fact in near if not is_denied(fact, reading, policy)]
        slots = [seen for fact in near if (seen := agreed(fact, statement)) is not None]
        if (name := own_name(statement)) is not None and all(fact.key != name.key for fact in slots):
            slots.append(name)
        for slot in slots:
            yield _with(as_fact(slot, reading, policy, confidence=confidence, origin=origin), statement)
        fact = sentence_fact(
            reading,
            _of_oneself(statement, slots),
            policy,
            origin=origin,
            confidence=confidence,
            before=before,
            others=slots,
        )
        if fact is not None:
            yield fact


def with_rules(text: str, statements: Sequence[Statement]) -> list[Statement]:
    """Return the statements with each sentence that states a rule as one: neither half of it is a fact.

    Only where the reader sees a certain or likely statement in the sentence: a hypothesis is not a rule.
    """
    parts = list(statements)
    for start, end in sentence_spans(text):
        inside = [part for part in parts if part.start < end and start < part.end and part.act in STATED]
        if not inside or rule_of(text[start:end]) is None:
            continue
        surest = max(inside, key=lambda part: part.sure)
        whole = msgspec.structs.replace(
            surest,
            start=start,
            end=end,
            text=text[start:end],
            act="tell",
            attribute="rule",
            values=tuple(value for part in inside for value in part.values),
        )
        parts = [part for part in parts if part not in inside]
        parts.append(whole)
    return sorted(parts, key=lambda part: part.start)


def doubted_facts(
    reading: NormalisedText, spoken: MessageReading, policy: Policy, *, origin: Origin, before: Sequence[str] = ()
) -> Iterator[Fact]:
    """Yield facts that are not sure: said with doubt, heard from others, or true for some days."""
    for statement in with_rules(reading.text, spoken.statements):
        if statement.act == "doubt" and (
            fact := sentence_fact(
                reading, statement, policy, origin=origin, confidence=policy.threshold("doubtful"), before=before
            )
        ):
            yield fact


def is_once(text: str) -> bool:
    """Return whether words refer to one text: "nesse post"."""
    return _ONCE.search(compared(text)) is not None


def is_for_today(text: str) -> bool:
    """Return whether words say that something holds today alone: "só por hoje"."""
    return _ONLY_TODAY.search(compared(text)) is not None


def _only_denies(statement: Statement, policy: Policy) -> bool:
    """Return whether a correction says that something is wrong and not what is right."""
    denies = statement.act == "correct" and not statement.values
    return denies and policy.one("intents", "correct", "denial").search(compared(statement.text)) is not None


def _is_wish_for_once(statement: Statement) -> bool:
    """Return whether a statement is a style request for one text."""
    return statement.attribute in ("style", "language", "rule") and is_once(statement.text)


def _of_oneself(statement: Statement, slots: Sequence[FoundFact]) -> Statement:
    """Return a statement about the name that the person gives as their own as one about themselves."""
    names = {fold(str(slot.value)) for slot in slots if slot.key == "user.name"}
    if fold(statement.subject) not in names:
        return statement
    return msgspec.structs.replace(statement, subject="me", of_person=False)


def _with(fact: Fact, statement: Statement) -> Fact:
    subject = canonical_subject(statement.subject)
    said = Utterance(act=statement.act, attribute=statement.attribute, subject=subject)
    return Fact(
        key=fact.key,
        value=fact.value,
        category=fact.category,
        confidence=fact.confidence,
        origin=fact.origin,
        evidence=fact.evidence,
        said=said,
    )


def _cut(statement: Statement, text: str, within: slice) -> Statement | None:
    """Cut a statement to a slice of the message; None where nothing is left."""
    first, last, _ = within.indices(len(text))
    start, end = max(statement.start, first), min(statement.end, last)
    if start >= end:
        return None
    values = tuple(value for value in statement.values if start <= value.start < end)
    return msgspec.structs.replace(statement, start=start, end=end, text=text[start:end], values=values)


def _within(fact: FoundFact, statement: Statement, text: str) -> bool:
    """Return whether a fact lies in a statement; its pattern may reach further than its value."""
    value = str(fact.value)
    elsewhere = value in text and value not in statement.text
    return fact.start < statement.end and statement.start < fact.end and not elsewhere


def _is_taken_back(fact: FoundFact, said: str) -> bool:
    """Return whether the speaker takes a value back in the same breath: "sou a Ana, não, minto, a Joana"."""
    return str(fact.value) in said and str(fact.value) not in repaired(said)


def _meets(fact: FoundFact, value: AttributeValue) -> bool:
    return value.start < fact.end and fact.start < value.end


def as_name(fact: FoundFact, statement: Statement) -> FoundFact | None:
    """Return a slot that holds a name as the network of names sees it; None where that is surely no such name.

    What a rule takes for a name may be the end of a longer one: "trio Pé de Umbu" is not called Umbu.
    """
    kinds = _NAMED_OTHERWISE.get(fact.key)
    if kinds is None or fact.value is None:
        return fact
    text, value = statement.text, fold(str(fact.value)).split()
    start, end = fact.start - statement.start, fact.end - statement.start
    near = [name for name in read_names(text) if name.start < end and start < name.end]
    if fact.key == "user.name" and not near and not _is_read_as_name(fact, statement):
        return None
    for name in near:
        words = fold(text[name.start : name.end]).split()
        if name.sure < SURE_NAME:
            continue
        if words[:1] == value[:1] and (name.kind in kinds or _is_owner(fact, name, text)):
            return None
        if fact.key == "tenant.name" and len(words) > len(value) and words[-len(value) :] == value:
            whole = text[name.start : name.end]
            return msgspec.structs.replace(fact, value=whole) if name.kind == "organization" else None
    return fact


def own_name(statement: Statement) -> FoundFact | None:
    """Return the person's own name where both networks see it, whatever words it comes with.

    The reader says whose it is, and the network of names where it begins and ends: "aqui é a Marisa, tenho …".
    """
    values = [
        value
        for value in statement.values
        if (value.attribute, value.subject) == ("name", "me")
        and value.sure >= _OWN_NAME
        and value.subject_sure >= _SURE
    ]
    for name in read_names(statement.text) if values else ():
        start, end = statement.start + name.start, statement.start + name.end
        named = any(start < value.end and value.start < end for value in values)
        if named and name.kind == "person" and name.sure >= SURE_NAME:
            whole = statement.text[name.start : name.end]
            return FoundFact(key="user.name", value=whole, start=start, end=end)
    return None


def _is_owner(fact: FoundFact, name: NameSpan, text: str) -> bool:
    """Return whether the name of a firm is that of somebody to whom it belongs."""
    owns = fact.key == "tenant.name" and name.kind == "person"
    return owns and _BELONGS.search(fold(text[: name.start])) is not None


def _is_read_as_name(fact: FoundFact, statement: Statement) -> bool:
    return any(_meets(fact, value) and value.attribute in _NAMES for value in statement.values)


def agreed(fact: FoundFact, statement: Statement) -> FoundFact | None:
    """The fact of a rule as the reader sees it there; None where the reader is sure that it is something else."""
    if not SLOTS[fact.key] or fact.value is None:
        return fact
    near = [
        value
        for value in statement.values
        if _meets(fact, value) and (fact.key in _WRITTEN_ANEW or _shares_word(value.text, str(fact.value)))
    ]
    if not near:
        return None if fact.key in _ONLY_AS_READ and statement.values else fact
    return None if _objects(fact, statement, near) else _as_named(fact, near)


def _as_named(fact: FoundFact, near: Sequence[AttributeValue]) -> FoundFact | None:
    """A name as far as the reader sees one; no company is the end of a longer name of the person's own."""
    names = [value for value in near if value.attribute in _NAMES and value.subject == "me"]
    if not names:
        return fact
    named, value = " ".join(part.text for part in names), fold(str(fact.value))
    if fact.key == "tenant.name" and named[:1].isupper() and fold(named.split()[0]) not in value:
        # "sou o Zeca do Forró"
        return None
    shorter = fact.key == "user.name" and value.startswith(fold(named))
    return msgspec.structs.replace(fact, value=named) if shorter else fact


def _objects(fact: FoundFact, statement: Statement, near: Sequence[AttributeValue]) -> bool:
    """Return whether the reader's values there belong to somebody else, or to no value of this slot."""
    key, start = fact.key, statement.start
    if key in _AS_READ and not any(_is_read_as(key, value) for value in near):
        return True
    # With the word before it: a pattern begins at "aniversário", and "meu" says whose it is.
    words = fold(statement.text[max(fact.start - start - _WORD_BEFORE, 0) : fact.end - start])
    named = _LIKELY if key in _EVERYBODYS else _SURE
    # One's own verb ("moro em …") outweighs a reader who thinks of whoever was named before.
    person = _FIRST_PERSON.search(words)
    if person is not None:
        named = _NEVER_SURE if person["mine"] else _SURE
    least = {"named": named, "meant": named}
    if all(value.subject in least and value.subject_sure >= least[value.subject] for value in near):
        return True
    return any(value.sure >= _SURE and value.attribute in _NEVER.get(key, ()) for value in near)


def _is_read_as(key: str, value: AttributeValue) -> bool:
    """Return whether the reader sees a value of a slot there; of a role, whosever it is."""
    owners = {"me", value.subject} if value.attribute == "role" else {value.subject}
    return any((value.attribute, owner) in SLOTS[key] for owner in owners)


def _shares_word(one: str, other: str) -> bool:
    return bool(set(fold(one).split()) & set(fold(other).split()))


def sentence_fact(
    reading: NormalisedText,
    statement: Statement,
    policy: Policy,
    *,
    origin: Origin,
    confidence: float,
    before: Sequence[str] = (),
    others: Sequence[FoundFact] = (),
) -> Fact | None:
    """The sentence, or the clauses of it that no slot says; None where nothing is left to say."""
    text = _tidy(repaired(_left_over(reading, statement, policy, others)))
    if len(text.split()) < _LEAST_WORDS and not (statement.values and not others):
        return None
    content = _content(text)
    if not any(word.isalpha() for word in content) or (not statement.values and len(content) < _LEAST_WORDS):
        # "é 42" and "fui efetivada!!" say nothing to whoever reads them alone.
        return None
    if is_for_today(text):
        return None
    unchanged = (
        _UNCHANGED.search(compared(text)) if len(content) <= _MOST_UNCHANGED and not statement.values else None
    )
    if unchanged is not None and unchanged["no"] is None:
        # "O resto continua igual": nothing is new.
        return None
    subject, of_person = statement.subject, statement.of_person
    pronoun = _PRONOUN.search(in_place(text))
    if pronoun is not None and not _named_before(text, pronoun.start()):
        meant = meant_by(before, female=pronoun["female"] is not None, male=pronoun["male"] is not None)
        if meant is not None:
            subject, of_person = meant
        if subject not in NO_NAME and compared(subject) not in compared(text):
            text = f"{subject}: {text}"
    kind = kind_of_subject(subject, text, before, of_person=of_person)
    subject = canonical_subject(subject)
    key = statement_key(text, subject, statement.attribute, kind)
    return Fact(
        key=key,
        value=text,
        category=policy.category_of(key) or "operating",
        confidence=confidence,
        origin=origin,
        evidence=reading.span(statement.start, statement.end),
        said=Utterance(
            act=statement.act,
            attribute=statement.attribute,
            subject=subject,
            marked=_marked(text, statement),
        ),
    )


def _marked(text: str, statement: Statement) -> tuple[MarkedSpan, ...]:
    """Return where the values of a statement's attribute stand in the text that is kept of it.

    None of them where one stands there more than once: which one is meant is not sure then. What a slot says, or
    the speaker took back, stands there no more.
    """
    values = [value for value in statement.values if value.attribute == statement.attribute]
    if statement.act not in FACTS or any(len(places(text, value.text)) > 1 for value in values):
        return ()
    return tuple(
        MarkedSpan(start, start + len(value.text), value.sure)
        for value in values
        for start in places(text, value.text)
    )


def _named_before(text: str, pronoun: int) -> bool:
    """Return whether a name stands before a pronoun: in "ele se mudou pra Itajaí" the name is not who is meant."""
    capital = _CAPITAL_INSIDE.search(text)
    if capital is not None:
        return capital.start() < pronoun
    # A voice transcript has no capitals: the reader knows names without.
    return any(name in text[:pronoun] for name in read_message(text).names)


def meant_by(before: Sequence[str], *, female: bool, male: bool) -> tuple[str, bool] | None:
    """Find the name said last that a pronoun fits, and whether it is a person's.

    Most names in -a are women's, most in -o men's.
    """
    said = [turn.partition(": ")[2] for turn in before if turn.startswith("user: ")]
    for text in reversed(said[-3:]):
        spoken = parse_message(text).reading
        named = [statement.subject for statement in spoken.statements if statement.subject not in NO_NAME]
        for name in reversed([*spoken.names, *named]):
            last = fold(name)[-1:]
            if not (female and last == "o") and not (male and last == "a"):
                return name, name in spoken.people
    return None


def _left_over(reading: NormalisedText, statement: Statement, policy: Policy, others: Sequence[FoundFact]) -> str:
    """The words of a statement that slots do not say: clauses with another value or with more words."""
    if not others:
        return statement.text
    text, kept = reading.text, []
    for a, b in _clauses(text, statement.start, statement.end):
        near = [fact for fact in others if fact.start < b and a < fact.end]
        # A value may reach over several clauses: "keep replies short and don't use emojis".
        values = [
            text[max(a, value.start) : min(b, value.end)]
            for value in statement.values
            if value.start < b and a < value.end
        ]
        wrong = statement.act == "correct" and policy.one("intents", "correct", "denial").search(
            reading.folded, a, b
        )
        if not wrong and (_says_more(text[a:b], near) or any(_unsaid(value, near) for value in values)):
            kept.append(text[a:b].strip())
    return ", ".join(kept)


def _unsaid(value: str, slots: Sequence[FoundFact]) -> bool:
    """Return whether a value says something that no slot says."""
    said = {word for fact in slots for word in WORD.findall(fold(str(fact.value)))}
    said |= {word for fact in slots if fact.key in _WRITTEN_ANEW for word in WORD.findall(compared(value))}
    flagged = any(not isinstance(fact.value, str) for fact in slots)
    # Where no slot is said, the words that introduce one say something themselves: "don't use emojis".
    idle = _SLOT_WORDS if slots else frozenset[str]()
    words = [word for word in WORD.findall(compared(value)) if not is_idle(word) and word not in idle]
    return not flagged and any(word not in said for word in words)


def _content(text: str) -> list[str]:
    """The words of a text that carry a topic."""
    return [word for word in WORD.findall(compared(text)) if not is_idle(word)]


def _says_more(clause: str, slots: Sequence[FoundFact]) -> bool:
    """Return whether a clause says more than the values of slots and the words that go with them."""
    said = {word for fact in slots for word in WORD.findall(fold(str(fact.value)))}
    said |= {word for fact in slots if fact.key in _WRITTEN_ANEW for word in WORD.findall(compared(clause))}
    words = [word for word in WORD.findall(compared(clause)) if word not in said and not is_idle(word)]
    return len([word for word in words if word not in _SLOT_WORDS]) >= _LEAST_WORDS


def _clauses(text: str, start: int, end: int) -> list[tuple[int, int]]:
    clauses, at = [], start
    for match in _CLAUSE.finditer(text, start, end):
        clauses.append((at, match.start()))
        at = match.end()
    return [*clauses, (at, end)]


def _tidy(text: str) -> str:
    """A statement without the words that only joined it to others."""
    return _LEAD.sub("", text).strip(_TAIL)


def statement_key(text: str, subject: str, attribute: str, kind: SubjectKind) -> str:
    """The key of a sentence: whom and what it is about, and a digest of its words.

    A person by name stands under `people`, a project under `projects`: a boat and a client's firm have names too.
    """
    name = f"{attribute if attribute != 'other' else 'note'}{STATEMENT_MARK}{_digest(text)}"
    return f"{_space(subject, attribute, kind)}.{name}"


def key_of_rest(key: str, text: str) -> str:
    """The key of what is left of a statement: the same but for the digest."""
    return f"{without_digest(key)}{STATEMENT_MARK}{_digest(text)}"


def _digest(text: str) -> str:
    return hashlib.sha256(fold(text).encode()).hexdigest()[:_DIGEST]


def _space(subject: str, attribute: str, kind: SubjectKind) -> str:
    """The namespace of a statement by its subject: the person, the firm, somebody or a project by name."""
    if kind == "company" or (kind == "unknown" and subject == "" and attribute in _OF_FIRMS):
        return _OF_FIRMS.get(attribute, "operating")
    if subject in ("", ME):
        return "prefs" if attribute in _PERSONAL else "user"
    # A name in letters that no key has leaves nothing to name a namespace with.
    name = slug(subject_key(subject))
    if name and kind == "project":
        return f"projects.{name}"
    if name and kind == "person" and attribute in _OF_PEOPLE and _is_full_name(subject):
        return f"people.{name}"
    return "user"


def _is_full_name(subject: str) -> bool:
    """Return whether a subject is written as a person's name."""
    return subject[:1].isupper() and len(subject.split()) <= _PERSON_WORDS
