"""Text that Anthropic's memory tool shows and edits, worded as in its reference implementation."""

from __future__ import annotations

import posixpath
import unicodedata
from collections.abc import Iterator, Mapping, Sequence

from rememora.errors import MissingExtra

try:
    from anthropic.lib.tools import ToolError
except ImportError:
    raise MissingExtra("anthropic") from None

ROOT = "/memories"
MAX_LINES = 999_999
WIDTH = len(str(MAX_LINES))
PATH_BYTES, SEGMENTS, DEEP = 1024, 20, 2


def path_of(given: str) -> str:
    """Return a path in its plain form; one that leads out of `/memories`, or is no name, is refused."""
    # Two spellings of an accented letter name one file.
    path = unicodedata.normalize("NFC", given)
    if path != ROOT and not path.startswith(f"{ROOT}/"):
        raise ToolError(f"Path must start with /memories, got: {given}")
    if not path.isprintable() or len(path.encode()) > PATH_BYTES or path.count("/") > SEGMENTS:
        raise ToolError(f"Path {given!r} is too long, too deep, or has control characters")
    # Checked again after `..` is resolved.
    plain = posixpath.normpath(path)
    if plain != ROOT and not plain.startswith(f"{ROOT}/"):
        raise ToolError(f"Path {given} would escape /memories directory")
    return plain


def under(folder: str, sizes: Mapping[str, int]) -> dict[str, int]:
    """Return the files below a folder by their path from there, with their sizes."""
    start = f"{folder}/"
    return {path.removeprefix(start): size for path, size in sizes.items() if path.startswith(start)}


def listing(given: str, sizes: Mapping[str, int]) -> str:
    """Return a folder as the tool shows it: two levels deep, hidden items left out."""
    shown: dict[str, int] = {}
    for path, size in sizes.items():
        parts = path.split("/")
        for depth, name in enumerate(parts[:DEEP], 1):
            # A hidden folder hides everything in it.
            if name.startswith("."):
                break
            entry = "/".join(parts[:depth]) + ("/" if depth < len(parts) else "")
            shown[entry] = shown.get(entry, 0) + size
    head = f"Here're the files and directories up to 2 levels deep in {given}, excluding hidden items:"
    lines = [f"{_size(sum(sizes.values()))}\t{given}"]
    lines += [f"{_size(size)}\t{given}/{entry}" for entry, size in sorted(shown.items())]
    return "\n".join([head, *lines])


def _size(count: int) -> str:
    if count == 0:
        return "0B"
    step = min((count.bit_length() - 1) // 10, 3)
    size = count / 1024**step
    return f"{size:.0f}{'BKMG'[step]}" if size == int(size) else f"{size:.1f}{'BKMG'[step]}"


def numbered(given: str, text: str, view_range: Sequence[int] | None) -> str:
    """Return a file as the tool shows it, each line with its number."""
    lines = text.split("\n")
    if len(lines) > MAX_LINES:
        raise ToolError(f"File {given} exceeds maximum line limit of 999,999 lines.")
    start, end = 0, len(lines)
    if view_range and len(view_range) == 2:
        start = max(1, view_range[0]) - 1
        end = len(lines) if view_range[1] == -1 else view_range[1]
    return "\n".join([f"Here's the content of {given} with line numbers:", *_lines(lines, start, end)])


def _lines(lines: Sequence[str], start: int, end: int) -> Iterator[str]:
    return (f"{number:>{WIDTH}}\t{line}" for number, line in enumerate(lines[start:end], start + 1))


def edited(given: str, text: str, old: str, new: str) -> tuple[str, str]:
    """Return the text with one replacement, and the tool's message; the old text must occur exactly once."""
    # Overlapping occurrences count too, as the tool counts them; its error texts are copied word for word.
    places = [place for place in range(len(text)) if old and text.startswith(old, place)]
    if not places:
        raise ToolError(f"No replacement was performed, old_str `{old}` did not appear verbatim in {given}.")
    if len(places) > 1:
        numbers = ", ".join(str(text[:place].count("\n") + 1) for place in places)
        raise ToolError(
            f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {numbers}. "
            "Please ensure it is unique"
        )
    changed = text.replace(old, new)
    line, lines = text[: places[0]].count("\n"), changed.split("\n")
    snippet = _lines(lines, max(0, line - 2), min(len(lines), line + 3))
    head = "The memory file has been edited. Here is the snippet showing the change (with line numbers):"
    return changed, "\n".join([head, *snippet])


def inserted(text: str, line: int, new: str) -> str:
    """Return the text with a line in between."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    if not 0 <= line <= len(lines):
        raise ToolError(
            f"Invalid `insert_line` parameter: {line}. It should be within the range [0, {len(lines)}]."
        )
    lines.insert(line, new.rstrip("\n"))
    joined = "\n".join(lines)
    return joined if joined.endswith("\n") else f"{joined}\n"
