"""Measure the gate on a file of labelled messages: aims, confusion matrix, cost of a decision.

    python bench/gate.py PATH [--errors] [--name NAME] [--local]

Each line of the file is an object with `text`, `expect` and, for facts, `facts` (`key`, `value`).
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from bench._frame import Run

from rememora.adapters.offline import OfflineEmbedder
from rememora.domain.verdict import AnyVerdict, Fact
from rememora.gate import evaluate, load_policy
from rememora.language import fold
from rememora.reading.encoders import lend_encoder

LABELS = ("save", "ask", "reject", "sensitive", "quarantine", "forget", "correct")
REPEATS = 9
OVERLAP = 0.5

Row = dict[str, Any]


def load(path: Path) -> list[Row]:
    """The labelled messages of a file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def tokens(value: object) -> Counter[str]:
    """Folded words of a value."""
    return Counter(re.findall(r"\w+", fold(str(value))))


def overlap(expected: object, actual: object) -> float:
    """F1 of the words that two values share."""
    left, right = tokens(expected), tokens(actual)
    shared = sum((left & right).values())
    return 2 * shared / (sum(left.values()) + sum(right.values())) if shared else 0.0


def about(key: str) -> str:
    """Namespace of a key, and the person in a key about people."""
    parts = key.split(".")
    return ".".join(parts[:2]) if parts[0] == "people" else parts[0]


def matches(expected: Row, actual: Fact) -> bool:
    """Whether a fact found is the one expected."""
    if about(expected["key"]) != about(actual.key):
        return False
    if expected["value"] is None or actual.value is None:
        return expected["value"] is None and actual.value is None
    return overlap(expected["value"], actual.value) >= OVERLAP


def found(row: Row, verdict: AnyVerdict) -> list[bool]:
    """For each fact expected, whether it was found."""
    return [any(matches(fact, actual) for actual in verdict.facts) for fact in row.get("facts", [])]


def ratio(part: int, whole: int) -> float:
    """A share, 1 when there is nothing to share."""
    return part / whole if whole else 1.0


def measure(rows: list[Row], verdicts: list[AnyVerdict]) -> dict[str, float]:
    """The figures that the aims are set on."""
    pairs = Counter((row["expect"], verdict.label) for row, verdict in zip(rows, verdicts, strict=True))
    total = sum(pairs.values())

    def expected(label: str) -> int:
        return sum(count for (want, _), count in pairs.items() if want == label)

    def said(label: str) -> int:
        return sum(count for (_, got), count in pairs.items() if got == label)

    facts = [hit for row, verdict in zip(rows, verdicts, strict=True) for hit in found(row, verdict)]
    false_quarantine = said("quarantine") - pairs["quarantine", "quarantine"]
    figures = {
        "messages": float(total),
        "accuracy": ratio(sum(pairs[label, label] for label in LABELS), total),
        "save_precision": ratio(pairs["save", "save"], said("save")),
        "quarantine_recall": ratio(pairs["quarantine", "quarantine"], expected("quarantine")),
        "sensitive_recall": ratio(pairs["sensitive", "sensitive"], expected("sensitive")),
        "false_quarantine": ratio(false_quarantine, total - expected("quarantine")),
        "facts_found": ratio(sum(facts), len(facts)),
    }
    return figures | {f"recall_{label}": ratio(pairs[label, label], expected(label)) for label in LABELS}


def cost(rows: list[Row]) -> float:
    """Mean CPU milliseconds of a decision; each message counts with its best of a few runs."""
    return sum(min(timed(row["text"]) for _ in range(REPEATS)) for row in rows) * 1000 / len(rows)


def timed(text: str) -> float:
    """CPU seconds of one decision."""
    start = time.process_time()
    evaluate(text)
    return time.process_time() - start


def yardstick() -> float:
    """Microseconds that `sum(range(1000))` takes here now: some 10 on an idle machine, more on a busy one."""
    rounds = []
    for _ in range(200):
        start = time.process_time()
        sum(range(1000))
        rounds.append(time.process_time() - start)
    return statistics.median(rounds) * 1e6


AIMS = {
    "accuracy": (">=", 0.90),
    "save_precision": (">=", 0.95),
    "quarantine_recall": (">=", 0.97),
    "sensitive_recall": (">=", 0.97),
    "false_quarantine": ("<=", 0.01),
    "facts_found": (">=", 0.80),
    "cpu_ms": ("<=", 0.5),
}


def aims(figures: dict[str, float]) -> dict[str, bool]:
    """Which aims are met."""
    return {
        f"{name} {sign} {aim}": figures[name] >= aim if sign == ">=" else figures[name] <= aim
        for name, (sign, aim) in AIMS.items()
    }


def confusion(rows: list[Row], verdicts: list[AnyVerdict]) -> dict[str, dict[str, int]]:
    """Rows are what was expected, columns what the gate said."""
    pairs = Counter((row["expect"], verdict.label) for row, verdict in zip(rows, verdicts, strict=True))
    return {expected: {label: pairs[expected, label] for label in LABELS} for expected in LABELS}


def errors(rows: list[Row], verdicts: list[AnyVerdict]) -> str:
    """Messages judged otherwise than expected, and facts missed."""
    lines = []
    for row, verdict in zip(rows, verdicts, strict=True):
        if row["expect"] != verdict.label:
            lines.append(f"{row['expect']:>10} -> {verdict.label:<10} {verdict.reason:<24} {row['text']}")
        elif not all(found(row, verdict)):
            got = [(fact.key, fact.value) for fact in verdict.facts]
            lines.append(f"     facts: {row['text']}\n       want {row['facts']}\n       got  {got}")
    return "\n".join(lines)


def main() -> None:
    """Measure, print, and write the results beside this file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("path", type=Path)
    parser.add_argument("--errors", action="store_true", help="print what was judged otherwise than expected")
    parser.add_argument("--local", action="store_true", help="let the reader use the encoder of the extra `local`")
    parser.add_argument("--name", default="gate", help="name of the result files")
    chosen = parser.parse_args()
    if chosen.local:
        lend_encoder(OfflineEmbedder().encode_words)
    run = Run()
    rows = load(chosen.path)
    load_policy()
    verdicts = [evaluate(row["text"]) for row in rows]
    figures = measure(rows, verdicts) | {"yardstick_us": yardstick(), "cpu_ms": cost(rows)}
    judged = {"aims": aims(figures), "confusion": confusion(rows, verdicts)}
    run.write(chosen.name, {"policy": load_policy().version, "figures": figures, **judged})
    if chosen.errors:
        sys.stdout.write(errors(rows, verdicts) + "\n")


if __name__ == "__main__":
    main()
