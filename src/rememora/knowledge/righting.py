"""Reads what a person gives as right: a value, never the sentence around it, and of people whose role it is."""

from __future__ import annotations

import re

from rememora.domain.memory import Memory
from rememora.gate import Policy, Unrelated, Value, Yes
from rememora.gate.answers import No
from rememora.gate.corrections import right_value
from rememora.gate.found import slug
from rememora.gate.intents import attribute
from rememora.gate.normalise import read
from rememora.gate.pointing import VALUE_WORDS, righted, without_article
from rememora.language import fold

_ROLE = re.compile(r"people\.[^.]+\.role")
_NAME = re.compile(r"[A-ZÀ-Ý][\w'’-]*(?: (?:d[aeo]s? )?[A-ZÀ-Ý][\w'’-]*){0,3}")


def value_in(text: str, heard: Yes | No | Value | Unrelated, policy: Policy) -> str | None:
    """Return the value that a reply to "what is right?" gives; None where it gives none that is sure."""
    if isinstance(heard, Value):
        return without_article(heard.text)
    if isinstance(heard, Yes) or not text.strip() or text.rstrip().endswith("?"):
        return None
    value = righted(text) or right_value(read(text), policy)
    plain = text.strip(" .!")
    if value is None and len(plain.split()) <= VALUE_WORDS:
        value = plain
    return None if value is None else without_article(value)


def moved(memory: Memory, value: object, policy: Policy) -> tuple[str, object]:
    """Return the key and value that stand after a correction: another name for a role is another person's."""
    if not isinstance(value, str) or not _ROLE.fullmatch(memory.key):
        return memory.key, value
    if not _NAME.fullmatch(value) or attribute(f"sou {fold(value)}", policy) == "user.role_title":
        return memory.key, value
    return f"people.{slug(value.split()[0])}.role", memory.value
