"""Layout of rows for a terminal: a table where it fits, with wrapped words if needed, else a block per row."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import zip_longest

GAP = "  "
NARROWEST, COMFORTABLE = 14, 24
"""Minimum width of a text column; the second is tried first, while optional columns can still be dropped."""
MOST_LINES = 4
"""Maximum lines of a cell; a longer one ends with an ellipsis."""
RULE = "─"
NOTHING = "There is nothing to list."
_BREAKS = re.compile(r"[^\s._/:,;-]+[._/:,;-]*|[._/:,;-]+")

Cells = Sequence[Sequence[str]]


def laid_out(
    heads: Sequence[str], rows: Iterable[Sequence[object]], *, width: int, spare: Sequence[str] = ()
) -> str:
    """Return rows as text of at most `width` columns; columns named in `spare` are dropped when space is tight."""
    cells = [[plain(value) for value in row] for row in rows]
    if not cells:
        return NOTHING
    # Spare columns go one by one; if even the rest does not fit, each row becomes a list of lines.
    for left_out in range(len(spare) + 1):
        kept = [place for place, head in enumerate(heads) if head not in spare[:left_out]]
        names = [heads[place] for place in kept]
        inside = [[row[place] for place in kept] for row in cells]
        least = NARROWEST if left_out == len(spare) else COMFORTABLE
        widths = _widths(names, inside, width, least=least)
        if widths is not None:
            return _table(names, inside, widths)
    return _records(heads, cells, width)


def plain(value: object) -> str:
    """Return a value on one line, without control characters that a terminal would interpret."""
    text = "" if value is None else str(value)
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def cell_width(text: str) -> int:
    """Return how many columns a text takes."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )


def wrapped(text: str, width: int, *, lines: int = MOST_LINES) -> list[str]:
    """Return a text broken between words, or inside a word after punctuation or, as a last resort, anywhere."""
    wrapped_lines = [""]
    for word in text.split(" "):
        if cell_width(wrapped_lines[-1]) + bool(wrapped_lines[-1]) + cell_width(word) <= width:
            wrapped_lines[-1] += (" " if wrapped_lines[-1] else "") + word
            continue
        # The word does not fit behind the last one: it begins a line, and is broken only if it is longer than
        # that.
        wrapped_lines += [""] if wrapped_lines[-1] else []
        for piece in _pieces(word, width):
            if cell_width(wrapped_lines[-1]) + cell_width(piece) > width:
                wrapped_lines.append("")
            wrapped_lines[-1] += piece
    if len(wrapped_lines) > lines:
        wrapped_lines = wrapped_lines[:lines]
        wrapped_lines[-1] = _cut(wrapped_lines[-1], width - 1) + "…"
    return wrapped_lines


def _pieces(word: str, width: int) -> Iterable[str]:
    for part in _BREAKS.findall(word):
        rest = part
        while cell_width(rest) > width:
            head = _cut(rest, width)
            yield head
            rest = rest[len(head) :]
        yield rest


def _cut(text: str, width: int) -> str:
    while cell_width(text) > width:
        text = text[:-1]
    return text


def _widths(heads: Sequence[str], cells: Cells, width: int, *, least: int) -> list[int] | None:
    """Return the width of each column; None if they cannot fit and stay readable."""
    natural = [max((cell_width(row[place]) for row in cells), default=0) for place in range(len(heads))]
    natural = [max(wide, cell_width(head)) for wide, head in zip(natural, heads, strict=True)]
    room = width - len(GAP) * (len(heads) - 1)
    if sum(natural) <= room:
        return natural
    # Only columns of text shrink; ids and numbers keep their width, so that they can be copied.
    loose = [place for place in range(len(heads)) if _gives_way(cells, place)]
    tight = sum(natural[place] for place in range(len(heads)) if place not in loose)
    needed = tight + sum(min(natural[place], least) for place in loose)
    if not loose or needed > room:
        return None
    return _shared(natural, loose, room - tight)


def _shared(natural: Sequence[int], loose: Sequence[int], room: int) -> list[int]:
    """Return widths that share the remaining space among text columns, none wider than it needs."""
    given = list(natural)
    waiting = list(loose)
    while waiting:
        # Columns that need less than an equal share give the rest to the others, until all that are left are
        # wider.
        share = room // len(waiting)
        small = [place for place in waiting if natural[place] <= share]
        if not small:
            for place in waiting:
                given[place] = share
            given[waiting[-1]] += room - share * len(waiting)
            break
        for place in small:
            room -= natural[place]
            waiting.remove(place)
    return given


def _gives_way(cells: Cells, place: int) -> bool:
    """Return whether a column may be wrapped: text and keys may, but an id cut in two cannot be copied."""
    return any(" " in row[place] or "." in row[place] for row in cells)


def _table(heads: Sequence[str], cells: Cells, widths: Sequence[int]) -> str:
    lines = [_line(heads, widths), GAP.join(RULE * wide for wide in widths)]
    for row in cells:
        columns = [wrapped(cell, wide) for cell, wide in zip(row, widths, strict=True)]
        lines += [_line(cells, widths) for cells in zip_longest(*columns, fillvalue="")]
    return "\n".join(lines)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (cell + " " * (wide - cell_width(cell)) for cell, wide in zip(cells, widths, strict=True))
    return GAP.join(padded).rstrip()


def _records(heads: Sequence[str], cells: Cells, width: int) -> str:
    """Return each row as a block of lines, a name and a value on each."""
    label = max(map(cell_width, heads)) + len(GAP)
    blocks = []
    for row in cells:
        lines: list[str] = []
        for head, cell in zip(heads, row, strict=True):
            first, *rest = wrapped(cell, width - label)
            lines += [f"{head}{' ' * (label - cell_width(head))}{first}".rstrip()]
            lines += [" " * label + line for line in rest]
        blocks.append("\n".join(lines))
    return f"\n{RULE * min(width, 40)}\n".join(blocks)
