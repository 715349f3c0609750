"""The tables of `bench/peers.py` in one file: a run replaces the rows it measures, each with its own frame."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench._frame import Run

TURNS = " turns"
"""How the name of a table ends that tells of one person."""
SESSION = "by session, "
"""Beginning of the columns that count sessions, in a table of questions."""
Row = Mapping[str, float]


class PeerTables:
    """Every table with its rows, the reasons for those that are missing, and the runs that rows come from."""

    def __init__(self, run: Run, file: Path | None, order: Sequence[str]) -> None:
        self._run, self._file, self._order = run, file, order
        there = file is not None and file.exists()
        self.figures: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file and there else {}

    def add(self, name: str, rows: Mapping[str, Row], missing: Mapping[str, str]) -> dict[str, Any]:
        """Put rows and reasons into a table, and write all that is there: a run may be broken off."""
        table = merged(self.figures.get(name, {}), rows, missing, self._run.about(), self._order)
        self.figures[name] = table
        self.write()
        return table

    def add_versions(self, versions: Mapping[str, Mapping[str, str]]) -> None:
        """Note the packages of the environments that this run uses."""
        self.figures["versions"] = self.figures.get("versions", {}) | dict(versions)

    def write(self) -> None:
        """Write the file, if there is one."""
        if self._file is not None:
            self._run.write(self._file.stem, self.figures, self._file.parent)

    def rates(self, below: int) -> dict[str, Row]:
        """The rows of smaller sizes of one person; a larger one overrides a smaller one."""
        sizes = {
            int(name.removesuffix(TURNS).replace(",", "")): table["rows"]
            for name, table in self.figures.items()
            if name.endswith(TURNS)
        }
        return {name: row for size in sorted(sizes) if size < below for name, row in sizes[size].items()}


def merged(
    before: Mapping[str, Any],
    rows: Mapping[str, Row],
    missing: Mapping[str, str],
    frame: Mapping[str, Any],
    order: Sequence[str],
) -> dict[str, Any]:
    """A table with these rows and reasons in place of earlier ones, and the frame of each row's run."""
    fresh = rows.keys() | missing.keys()
    kept = {name: row for name, row in before.get("rows", {}).items() if name not in fresh}
    reasons = {name: why for name, why in before.get("missing", {}).items() if name not in fresh}
    runs = [
        {**run, "rows": left}
        for run in before.get("runs", ())
        if (left := [name for name in run["rows"] if name not in fresh])
    ]
    if rows:
        runs.append({"rows": sorted(rows, key=order.index), **frame})
    return {
        "runs": runs,
        "rows": dict(sorted({**kept, **rows}.items(), key=lambda item: order.index(item[0]))),
        "missing": dict(sorted({**reasons, **missing}.items(), key=lambda item: order.index(item[0]))),
    }
