"""Memories as sentences: plain words for keys, values, sources and reasons."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from rememora.dashboard.words import Language, text, texts
from rememora.domain.hit import Hit
from rememora.domain.memory import Memory
from rememora.knowledge.erase import SELF
from rememora.language import fold
from rememora.language.amended import Amendment, extends, newest, parts_of
from rememora.language.keys import is_statement, subject_of
from rememora.language.labels import attribute_label, day_text, fact_sentence, label_of
from rememora.language.subjects import OWNERS

OWN_SUBJECTS = ("people", "projects", "pets")
LANGUAGE_KEY = "user.preferred_language"
ZONE_KEY = "user.timezone"
LONGEST_LABEL = 60
OTHERS = "others"
NEAREST_FIRST = ("identity", "preferences", "people", "projects", OTHERS, "goals", "tools", "operating", "tenant")
"""Categories in the order a person looks for them: what is nearest to them comes first."""


class Group(msgspec.Struct, frozen=True):
    """Memories of one category and subject under one heading."""

    category: str
    subject: str
    memories: tuple[Memory, ...]


def value_text(value: Any, language: Language) -> str:
    """A value as it is read."""
    # Before numbers: a bool is an int.
    if isinstance(value, bool):
        return text(language, "yes" if value else "no")
    if isinstance(value, str | int | float):
        return str(value)
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {value_text(inner, language)}" for name, inner in value.items())
    if isinstance(value, Iterable):
        return ", ".join(value_text(item, language) for item in value)
    return ""


def sentence(memory: Memory, language: Language) -> str:
    """A memory as one sentence: its own statement where it has one, else its label and value."""
    said = getattr(getattr(memory, "statement", None), "text", None)
    if isinstance(said, str) and said:
        return said
    return fact_text(memory.key, memory.value, language)


class ToldStatement(msgspec.Struct, frozen=True):
    """A memory as a page tells it: what was said first, and each change of it with its day."""

    first: str
    changes: tuple[Amendment, ...] = ()


def told(memory: Memory, language: Language) -> ToldStatement:
    """Tell a memory as a sentence and the changes behind it; most have none."""
    first, changes = parts_of(memory.value) if isinstance(memory.value, str) else ("", [])
    if not changes or not is_statement(memory.key):
        return ToldStatement(sentence(memory, language))
    days = [day_text(int(change.day[5:7]), int(change.day[8:]), language) for change in changes]
    told_changes = (Amendment(day, change.text) for day, change in zip(days, changes, strict=True))
    return ToldStatement(fact_text(memory.key, first, language), tuple(told_changes))


def added(before: Any, after: Any) -> str:
    """Return what a changed value says beyond the one before it; empty where it says something else instead."""
    amended = isinstance(before, str) and isinstance(after, str) and extends(after, before)
    return newest(after) if amended else ""


def fact_text(key: str, value: Any, language: Language) -> str:
    """A key and its value as one sentence."""
    phrase = fact_sentence(key, value, _spoken_value(key, value, language), language)
    whole = phrase[:1].upper() + phrase[1:]
    return whole if whole[-1:] in ".!?…" else f"{whole}."


def _spoken_value(key: str, value: Any, language: Language) -> str:
    """The value of a fact as it is read: a language by its name and a time zone by its city, not by their tags."""
    name = f"tongue.{value}"
    if key == LANGUAGE_KEY and name in texts(language):
        return text(language, name)
    if key == ZONE_KEY and isinstance(value, str) and "/" in value:
        return value.rpartition("/")[2].replace("_", " ")
    return value_text(value, language)


def label(key: str, language: Language) -> str:
    """Return the label of a key, with a capital."""
    words = label_of(key, language)
    return words[:1].upper() + words[1:]


def attribute_name(memory: Memory, language: Language) -> str:
    """Return the name of a memory's attribute, with a capital."""
    words = attribute_label(memory.attribute or "", language)
    return words[:1].upper() + words[1:]


def subject(memory: Memory, language: Language) -> str:
    """Return the subject of a memory: the person, the company, or the one that it names."""
    if not memory.subject and not subject_of(memory.key) and is_statement(memory.key):
        return text(language, "subject.unknown")
    if memory.subject and memory.subject not in OWNERS:
        return memory.subject[:1].upper() + memory.subject[1:LONGEST_LABEL]
    if memory.subject == "company":
        return text(language, "subject.company")
    # Without a stated subject the key tells it: `people.tainá.phone` is about Tainá, `user.name` about the person.
    space, _, rest = memory.key.removeprefix("user.").partition(".")
    if space in OWN_SUBJECTS and rest:
        named = rest.partition(".")[0] if space == "people" else rest
        return label_of(f"{space}.{named}", language)[:LONGEST_LABEL]
    owner = "company" if memory.scope == "tenant_shared" else "you"
    return text(language, f"subject.{owner}")


def subject_name(named: str, language: Language) -> str:
    """Name a subject as the reader found it: the person, the company, or somebody by name."""
    names = {"me": "subject.person", "company": "subject.the_company"}
    return text(language, names[named]) if named in names else named


def grouped(memories: Iterable[Memory], language: Language) -> list[Group]:
    """Memories by category and subject, the person's own first."""
    places: dict[tuple[str, str], list[Memory]] = {}
    for memory in memories:
        places.setdefault((_heading(memory), subject(memory, language)), []).append(memory)
    rank = {name: place for place, name in enumerate(NEAREST_FIRST)}
    you = text(language, "subject.you")
    ordered = sorted(
        places.items(), key=lambda item: (rank.get(item[0][0], len(rank)), item[0][0], item[0][1] != you)
    )
    return [Group(*place, tuple(members)) for place, members in ordered]


def _heading(memory: Memory) -> str:
    """The category that a memory is shown under.

    The profile has the person's own fields: a sentence, or something about somebody else, is another matter.
    """
    others = memory.category == "identity" and (memory.subject not in (None, "", "me") or is_statement(memory.key))
    return OTHERS if others else memory.category


def source_text(memory: Memory, language: Language) -> str:
    """Return the origin of a memory in words."""
    if memory.source == "inferred" and memory.origin.value != "user_said":
        return text(language, f"origin.{memory.origin.value}")
    return text(language, f"source.{memory.source}")


def reason_text(policy: Mapping[str, Any], reason: str, language: Language) -> str:
    """The gate's reason in the policy's own words."""
    texts_of = policy["reasons"].get(reason)
    return str(texts_of[language]) if texts_of else text(language, "reason.other")


def category_text(policy: Mapping[str, Any], category: str, language: Language) -> str:
    """A category's name in the policy's own words."""
    if category == OTHERS:
        return text(language, "subject.others")
    texts_of = policy["policy"]["categories"].get(category)
    return str(texts_of[language]) if texts_of else category.replace("_", " ").capitalize()


def confidence_text(confidence: float, language: Language) -> str:
    """Express the confidence in words and percent."""
    level = "sure" if confidence >= 0.95 else "likely" if confidence >= 0.7 else "unsure"
    return text(language, f"confidence.{level}", percent=round(confidence * 100))


def action_text(action: str, language: Language) -> str:
    """Word an act as the person reads it in the timeline."""
    name = f"act.{action}"
    return text(language, name if name in texts(language) else "act.other")


def audited_text(action: str, language: Language) -> str:
    """Word an act as the operator reads it in the audit."""
    name = f"audited.{action}"
    return text(language, name if name in texts(language) else "act.other")


def event_text(kind: str, language: Language) -> str:
    """Word the type of an event."""
    name = f"happened.{kind.replace('.', '_')}"
    return text(language, name if name in texts(language) else "happened.other")


def actor_text(actor: str, language: Language) -> str:
    """Name who did something: an account or a key by its name and its role, anybody else as they are called.

    A person whose name was erased with the rest is only known to have done it themselves.
    """
    if actor == SELF:
        return text(language, "subject.self")
    role, _, name = actor.partition(":")
    known = f"role.{role}"
    return f"{name} ({text(language, known)})" if name and known in texts(language) else actor


def hit_text(hit: Hit, language: Language) -> str:
    """Word a hit of a search: a mention by its value and its type, anything else as it was said."""
    if hit.kind != "entity" or not hit.metadata.get("value"):
        return hit.content
    kind, named = str(hit.metadata.get("type", "")), value_text(hit.metadata["value"], language)
    known = f"entity.{kind}"
    return f"{named} ({text(language, known) if known in texts(language) else kind})"


def plan_text(plan: str, language: Language) -> str:
    """Return the name of a plan; one that a company made itself keeps its own."""
    name = f"plan.{plan}"
    return text(language, name) if name in texts(language) else plan


def score_text(score: float, language: Language) -> str:
    """A score with three decimals, as it is written in a language."""
    return number_text(float(f"{score:.3f}"), language)


def number_text(number: float, language: Language) -> str:
    """A number as it is written in a language: 1.813 in Portuguese, 1,813 in English."""
    written = f"{number:,}"
    return written if language == "en" else written.translate(str.maketrans(",.", ".,"))


def matches(memory: Memory, language: Language, query: str) -> bool:
    """Return whether a memory contains every word of a search; accents and capitals do not matter."""
    where = fold(" ".join((sentence(memory, language), memory.evidence or "", subject(memory, language))))
    return all(word in where for word in fold(query).split())
