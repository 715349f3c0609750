"""Memories as sentences: plain words for keys, values, sources and reasons."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from rememora.dashboard.words import Language, text, texts
from rememora.domain.memory import Memory
from rememora.language import fold
from rememora.language.labels import label_of, told

OWN_SUBJECTS = ("people", "projects", "pets")
LONGEST_LABEL = 60
NEAREST_FIRST = ("identity", "preferences", "people", "projects", "goals", "tools", "operating", "tenant")
"""Categories in the order a person looks for them: what is nearest to them comes first."""


class Group(msgspec.Struct, frozen=True):
    """Memories of one category and subject under one heading."""

    category: str
    subject: str
    memories: tuple[Memory, ...]


def value_text(value: Any, language: Language) -> str:
    """A value as it is read."""
    if isinstance(value, bool):
        return text(language, "yes" if value else "no")
    if isinstance(value, str | int | float):
        return str(value)
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {value_text(each, language)}" for name, each in value.items())
    if isinstance(value, Iterable):
        return ", ".join(value_text(each, language) for each in value)
    return ""


def sentence(memory: Memory, language: Language) -> str:
    """A memory as one sentence: its own statement where it has one, else its label and value."""
    said = getattr(getattr(memory, "statement", None), "text", None)
    if isinstance(said, str) and said:
        return said
    return fact_text(memory.key, memory.value, language)


def fact_text(key: str, value: Any, language: Language) -> str:
    """A key and its value as one sentence."""
    phrase = told(key, value, value_text(value, language), language)
    whole = phrase[:1].upper() + phrase[1:]
    return whole if whole[-1:] in ".!?…" else f"{whole}."


def label(key: str, language: Language) -> str:
    """Return the label of a key, with a capital."""
    found = label_of(key, language)
    return found[:1].upper() + found[1:]


def subject(memory: Memory, language: Language) -> str:
    """Return the subject of a memory: the person, the company, or the one that its key names."""
    space, _, rest = memory.key.removeprefix("user.").partition(".")
    if space in OWN_SUBJECTS and rest:
        named = rest.partition(".")[0] if space == "people" else rest
        return label_of(f"{space}.{named}", language)[:LONGEST_LABEL]
    owner = "company" if memory.scope == "tenant_shared" else "you"
    return text(language, f"subject.{owner}")


def grouped(memories: Iterable[Memory], language: Language) -> list[Group]:
    """Memories by category and subject, the person's own first."""
    places: dict[tuple[str, str], list[Memory]] = {}
    for memory in memories:
        places.setdefault((memory.category, subject(memory, language)), []).append(memory)
    rank = {name: place for place, name in enumerate(NEAREST_FIRST)}
    ordered = sorted(places.items(), key=lambda each: (rank.get(each[0][0], len(rank)), each[0][0]))
    return [Group(*place, tuple(found)) for place, found in ordered]


def source_text(memory: Memory, language: Language) -> str:
    """Return the origin of a memory in words."""
    if memory.source == "inferred" and memory.origin.value != "user_said":
        return text(language, f"origin.{memory.origin.value}")
    return text(language, f"source.{memory.source}")


def reason_text(policy: Mapping[str, Any], reason: str, language: Language) -> str:
    """The gate's reason in the policy's own words."""
    found = policy["reasons"].get(reason)
    return str(found[language]) if found else text(language, "reason.other")


def category_text(policy: Mapping[str, Any], category: str, language: Language) -> str:
    """A category's name in the policy's own words."""
    found = policy["policy"]["categories"].get(category)
    return str(found[language]) if found else category.replace("_", " ").capitalize()


def confidence_text(confidence: float, language: Language) -> str:
    """Tell the confidence in words and percent."""
    level = "sure" if confidence >= 0.95 else "likely" if confidence >= 0.7 else "unsure"
    return text(language, f"confidence.{level}", percent=round(confidence * 100))


def action_text(action: str, language: Language) -> str:
    """Word an act as the person reads it in the timeline."""
    name = f"act.{action}"
    return text(language, name if name in texts(language) else "act.other")


def matches(memory: Memory, language: Language, query: str) -> bool:
    """Return whether every word of a search stands in a memory; accents and capitals do not matter."""
    where = fold(" ".join((sentence(memory, language), memory.evidence or "", subject(memory, language))))
    return all(word in where for word in fold(query).split())
