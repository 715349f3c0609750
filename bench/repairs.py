"""Measure what is taken back of what people take back in the same breath, on files of labelled messages.

    python bench/repairs.py [PATH …] [--errors]

Each line of a file has `text`, `gone` (the words taken back, or null where nothing is) and `kept` (the words
that hold). A repair is right where the words taken back are gone and those that hold are left; a message without
one is right where nothing changes.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from bench._frame import Run

from rememora.language import fold
from rememora.reading.repairs import repaired

EVALUATION = Path(__file__).parent.parent / "data" / "evaluation"


def has(text: str, words: str) -> bool:
    """Whether words stand in a text, whole and folded."""
    return re.search(rf"(?<!\w){re.escape(fold(words))}(?!\w)", fold(text)) is not None


def is_right(row: dict[str, Any]) -> bool:
    """Whether a message comes out as its label says."""
    result = repaired(row["text"])
    if row["gone"] is None:
        return bool(result == row["text"])
    return has(result, row["kept"]) and not has(result, row["gone"])


def measured(rows: list[dict[str, Any]]) -> dict[str, float]:
    """The figures of one file."""
    repairs = [row for row in rows if row["gone"] is not None]
    others = [row for row in rows if row["gone"] is None]
    return {
        "repairs": len(repairs),
        "taken back, %": round(100 * sum(map(is_right, repairs)) / len(repairs), 1),
        "changed into something else": sum(
            not is_right(row) and repaired(row["text"]) != row["text"] for row in repairs
        ),
        "messages without one": len(others),
        "changed although nothing was taken back": sum(not is_right(row) for row in others),
    }


def main() -> None:
    """Measure each file."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("paths", type=Path, nargs="*", default=sorted(EVALUATION.glob("repairs_*.jsonl")))
    options.add_argument("--errors", action="store_true", help="print each message that comes out wrong")
    chosen = options.parse_args()
    run, figures = Run(), {}
    for path in chosen.paths:
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
        figures[path.stem] = measured(rows)
        for row in rows:
            if chosen.errors and not is_right(row):
                print(f"{row['gone']!r} -> {row['kept']!r}: {row['text']}\n    {repaired(row['text'])}")
    run.write("repairs", {"rows": {"taken back in the same breath": figures}})


if __name__ == "__main__":
    main()
