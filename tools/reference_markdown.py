"""Markdown for the reference pages: a table, a page, and a docstring as one line."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any

NOTE = "<!-- Written by `make docs` from the code. -->\n"


def doc_of(kind: Any) -> str:
    """Return a docstring as one line."""
    return " ".join(inspect.cleandoc(kind.__doc__ or "").split())


def as_table(heads: list[str], rows: Iterable[list[str]]) -> str:
    """Return a table of cells."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def as_page(parts: list[str]) -> str:
    """Return a whole page of parts."""
    return "\n".join(parts).rstrip() + "\n"
