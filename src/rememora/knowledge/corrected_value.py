"""Reads a correct value from a reply: the value without its sentence, and for people the key of their role."""

from __future__ import annotations

import re

from rememora.domain.memory import Memory
from rememora.gate import Policy, Unrelated, Value, Yes
from rememora.gate.answers import No
from rememora.gate.corrections import right_value
from rememora.gate.found import slug
from rememora.gate.pointing import VALUE_WORDS, replaces, righted, without_article
from rememora.gate.stated import key_of_rest
from rememora.language import fold
from rememora.language.keys import is_statement, without_digest
from rememora.reading.parsed import ParsedMessage
from rememora.statements.corrected import about_whom, put_right, with_value

_ROLE = re.compile(r"people\.[^.]+\.role")
_NAME = re.compile(r"[A-ZÀ-Ý][\w'’-]*(?: (?:d[aeo]s? )?[A-ZÀ-Ý][\w'’-]*){0,3}")


def value_in(reply: ParsedMessage, heard: Yes | No | Value | Unrelated, policy: Policy) -> str | None:
    """Return the value in a reply to "what is right?"; None if there is none that is certain."""
    if isinstance(heard, Value):
        return without_article(heard.text)
    if isinstance(heard, Yes) or not reply.raw.strip() or reply.asks:
        return None
    # "Não, é Olinda" names its value; only a short reply is a value as a whole.
    value = righted(reply) or right_value(reply.normal, policy)
    plain = reply.raw.strip(" .!")
    if value is None and len(plain.split()) <= VALUE_WORDS:
        value = plain
    return None if value is None else without_article(value)


def corrected_text(memory: Memory, value: object, said: str) -> str | None:
    """Return a statement with the value that a message corrects; None where none of its values is meant.

    The message tells better than the value alone which one it is: "o telefone da Madalena é …" leaves the e-mail.
    """
    if not isinstance(value, str) or not isinstance(memory.value, str):
        return None
    right = put_right(memory.value, said) if said != value else None
    return right.text if right is not None else with_value(memory.value, value) or None


def moved(memory: Memory, value: object, policy: Policy, said: str) -> tuple[str, object]:
    """Return the key and value after a correction: another name for a role is another person's key.

    A statement stays a statement, with the wrong value replaced by the correct one.
    """
    if isinstance(value, str) and isinstance(memory.value, str) and is_statement(memory.key):
        text = corrected_text(memory, value, said) or about_whom(memory.value, value)
        return _key_like(memory.key, text, value), text
    if not isinstance(value, str) or not _ROLE.fullmatch(memory.key):
        return memory.key, value
    if not _NAME.fullmatch(value) or policy.one("topics", "trim", "role").search(fold(value)):
        return memory.key, value
    return f"people.{slug(value.split()[0])}.role", memory.value


def _key_like(key: str, text: str, value: str) -> str:
    """Return the key of a statement that replaces another: about its new subject, with its own digest."""
    segments = without_digest(key).split(".")
    if segments[0] == "people" and segments[1] not in slug(text) and _NAME.fullmatch(value):
        segments[1] = slug(value.split(maxsplit=1)[0])
    return key_of_rest(".".join(segments), text)


def fits(memory: Memory, value: str, policy: Policy) -> bool:
    """Return whether a correct value without a name can belong to a memory, by its kind."""
    if len(value.split()) > VALUE_WORDS or not isinstance(memory.value, str):
        return False
    if is_statement(memory.key):
        return bool(with_value(memory.value, value))
    return moved(memory, value, policy, value)[0] != memory.key or (
        memory.category != "people" and replaces(value, memory.value)
    )
