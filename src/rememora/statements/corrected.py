"""Puts a right value into a statement, in the place of the wrong one.

Only what a person calls wrong is rewritten, and only where no guess is needed: a value that is denied by name
("it's Tad, not Todd"), or the only one of its kind on both sides. What has changed is amended instead
(`amendments.py`): it was true.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import msgspec

from rememora.language import fold
from rememora.language.amended import parts_of, with_parts
from rememora.language.phrases import phrase
from rememora.statements.values import TypedValue, is_same_value, values_of

_NAME: Final = r"[A-ZÀ-Ý][\w'’-]*(?: (?:{name_joint} )?[A-ZÀ-Ý][\w'’-]*){0,3}"
_INSIDE: Final = phrase(rf"(?<=[\w,:] )(?:{{name_article}} )?({_NAME})")
_FIRST: Final = phrase(rf"^(?:(?i:{{name_article}}) )?({_NAME})(?=:| {{is_said}}\b)")
_FIGURE: Final = re.compile(r"\d[\w.,:/%-]*")
_TAIL: Final = phrase(r"\b{be} (?:{article} )?([^,;.]{1,120})[.!]?$")
_NOT: Final = phrase(r"\b{in_place_of}$")
"""Words before a value that does not hold, or never did."""
_DIGITS: Final = re.compile(r"\d+")
_NUMBER: Final = re.compile(r"\d[\d.,]*")


class PutRight(msgspec.Struct, frozen=True):
    """A corrected statement, and whether it says all that the correction does."""

    text: str
    whole: bool


def put_right(statement: str, correction: str) -> PutRight | None:
    """Return a statement with the values that a correction puts in the place of wrong ones; None without any.

    Of an amended statement the newest change that has such a value is corrected, else what was said first.
    """
    first, changes = parts_of(statement)
    for at in range(len(changes) - 1, -1, -1):
        right = _put_right(changes[at].text, correction)
        if right is not None:
            changes[at] = msgspec.structs.replace(changes[at], text=right.text)
            return PutRight(with_parts(first, changes), right.whole)
    right = _put_right(first, correction)
    return None if right is None else PutRight(with_parts(right.text, changes), right.whole)


def _put_right(statement: str, correction: str) -> PutRight | None:
    before, said = values_of(statement), values_of(correction)
    fresh = [value for value in said if not any(is_same_value(value, other) for other in before)]
    pairs = [(old, new) for old in before if (new := _in_place_of(old, fresh, before, correction)) is not None]
    if not pairs:
        return None
    text = statement
    # From the end to the beginning, so that places before stay right.
    for old, new in reversed(pairs):
        text = _put(text, (old.start, old.end), _written(old, new))
    return PutRight(text, len({new.start for _, new in pairs}) == len(fresh))


def _in_place_of(
    old: TypedValue, fresh: Sequence[TypedValue], before: Sequence[TypedValue], correction: str
) -> TypedValue | None:
    """Return the value that is right where the old one is wrong: the nearest to a denial, or the only one."""
    rivals = [value for value in fresh if value.kind == old.kind]
    denied = _denied_at(old, fold(correction))
    if denied is not None:
        return min(rivals, key=lambda value: abs(value.start - denied), default=None)
    sole = len(rivals) == 1 and sum(value.kind == old.kind for value in before) == 1
    return rivals[0] if sole and old.kind != "name" else None


def _denied_at(old: TypedValue, correction: str) -> int | None:
    """Return where a folded correction says that a value is wrong."""
    places = (place.start() for place in re.finditer(rf"\b{re.escape(fold(old.text))}\b", correction))
    return next((at for at in places if _NOT.search(correction, 0, at)), None)


def _written(old: TypedValue, new: TypedValue) -> str:
    """A new value as the old one was written: a day with its month, a number with its currency."""
    if new.day_only and not old.day_only and (day := _DIGITS.search(new.text)):
        return _DIGITS.sub(day[0], old.text, count=1)
    number = _NUMBER.search(old.text)
    if old.kind == "figure" and number is not None and _NUMBER.fullmatch(new.text):
        return f"{old.text[: number.start()]}{new.text}{old.text[number.end() :]}"
    return new.text


def with_value(statement: str, value: str) -> str:
    """A statement with a name for its name, a figure for its figure, or other words for what it ends in.

    Empty where nothing in it is of that kind.
    """
    first, changes = parts_of(statement)
    for at in range(len(changes) - 1, -1, -1):
        if text := _with_value(changes[at].text, value):
            changes[at] = msgspec.structs.replace(changes[at], text=text)
            return with_parts(first, changes)
    text = _with_value(first, value)
    return text and with_parts(text, changes)


def _with_value(statement: str, value: str) -> str:
    tail = _TAIL.search(statement)
    if _has_figure(value):
        figures = list(_FIGURE.finditer(statement))
        if tail and _has_figure(tail[1]):
            return _put(statement, tail.span(1), value)
        return _put(statement, figures[0].span(), value) if len(figures) == 1 and " " not in value else ""
    # A capital inside the sentence is a name for sure; the first word has one anyway and is only taken without
    # any other.
    if value[:1].isupper():
        inside = list(_INSIDE.finditer(statement))
        match = inside[-1] if inside else _FIRST.search(statement)
        return _put(statement, match.span(), value) if match else ""
    plain = tail is not None and not _has_figure(tail[1]) and _INSIDE.search(f": {tail[1]}") is None
    return _put(statement, tail.span(1), value) if tail is not None and plain else ""


def about_whom(statement: str, value: str) -> str:
    """Attach a value that has no place in a statement to the person the statement names."""
    named = _INSIDE.findall(statement) or _FIRST.findall(statement)
    return f"{named[-1]}: {value}" if named and not value[:1].isupper() else value


def _put(statement: str, place: tuple[int, int], value: str) -> str:
    start, end = place
    return f"{statement[:start]}{value}{statement[end:]}"


def _has_figure(text: str) -> bool:
    return any(map(str.isdigit, text))
