"""Puts a right value into a statement, in the place of the wrong one."""

from __future__ import annotations

import re
from typing import Final

from rememora.language.phrases import phrase

_NAME: Final = r"[A-ZÀ-Ý][\w'’-]*(?: (?:{name_joint} )?[A-ZÀ-Ý][\w'’-]*){0,3}"
_INSIDE: Final = phrase(rf"(?<=[\w,:] )(?:{{name_article}} )?({_NAME})")
_FIRST: Final = phrase(rf"^(?:(?i:{{name_article}}) )?({_NAME})(?=:| {{is_said}}\b)")
_FIGURE: Final = re.compile(r"\d[\w.,:/%-]*")
_TAIL: Final = phrase(r"\b{be} (?:{article} )?([^,;.]{1,120})[.!]?$")


def with_value(statement: str, value: str) -> str:
    """A statement with a name for its name, a figure for its figure, or other words for what it ends in.

    Empty where nothing in it is of that kind.
    """
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
