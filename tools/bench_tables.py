"""Markdown of the report: tables of figures, and the frame of the run that they came from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bench._frame import overloaded
from tools import run_bench
from tools.bench_words import word

Figures = Mapping[str, Any]
Lines = Iterator[str]


def cell(value: object) -> str:
    """A figure as the table shows it."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> Lines:
    """A Markdown table, figures to the right."""
    yield f"| {' | '.join(head)} |"
    yield f"|---|{'--:|' * (len(head) - 1)}"
    for row in rows:
        yield f"| {' | '.join(map(cell, row))} |"
    yield ""


def grid(rows: Mapping[str, Mapping[str, object]]) -> Lines:
    """A table of named rows, whose columns are those that any of them has."""
    columns = list(dict.fromkeys(name for row in rows.values() for name in row))
    yield from table(
        ["", *columns], [[name, *(row.get(column, "") for column in columns)] for name, row in rows.items()]
    )


def about(figures: Figures, tongue: int) -> Lines:
    """The frame of a run, or that there is none."""
    if "run" in figures:
        yield from said_run(figures["run"], tongue)
        return
    known = [str(figures[name]) for name in ("command", "machine", "date", "hardware") if name in figures]
    said = "; ".join(f"`{item}`" for item in known) or word("nothing", tongue)
    yield word("unframed", tongue, known=said)
    yield ""


def said_run(run: Figures, tongue: int, rows: str = "") -> Lines:
    """Command, date, commit, hardware, versions and load of a run; which rows it made, if not all."""
    load = {"cores": run["hardware"]["cores"], **run["load"]}
    versions = ", ".join(f"{name} {number}" for name, number in run["versions"].items())
    code = f" `{run['commit']}`," if "commit" in run else ""
    head = f"{rows}: " if rows else ""
    note = f" {run['note'].capitalize()}." if "note" in run else ""
    yield f"{head}`{run['command']}`, {run['date']},{code} {run['hardware']['processor']}, {versions}; " + (
        f"{word('calm', tongue, **load)}.{note}"
    )
    if run["loaded"]:
        yield ""
        began = overloaded({"start": run["load"]["start"]}, run["hardware"]["cores"])
        yield word("loaded" if began else "loaded late", tongue, **load)
    if not run_bench.runs(run["command"]):
        yield ""
        yield word("older", tongue)
    yield ""
