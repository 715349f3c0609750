"""Measure the gate on a file of labelled messages: aims, confusion matrix, cost of a decision and of a reading.

    python bench/gate.py [PATH] [--errors] [--name NAME] [--local]

Each line is an object with `text`, `expect` (a label) and, where something is stated, `facts` (each with `value`).
The keys that a file guesses are not compared: what is said is kept in its own words, under a key made of them.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from bench._frame import Run

from rememora.adapters.offline import OfflineEmbedder
from rememora.caches import forget_people
from rememora.domain.verdict import AnyVerdict
from rememora.gate import evaluate, load_policy
from rememora.language import fold
from rememora.language.wordlists import is_idle
from rememora.reading import read_builtin
from rememora.reading.encoders import WordEncoder, lend_encoder
from rememora.reading.tokens import Floats, tokenise

LABELS = ("save", "ask", "reject", "sensitive", "quarantine", "forget", "correct")
REPEATS = 9
FRESH = Path(__file__).parent.parent / "data" / "evaluation" / "gate_fresh18.jsonl"
"""Messages by somebody who had seen neither the code nor its data; nothing is tuned to them."""

Row = dict[str, Any]


def load(path: Path) -> list[Row]:
    """The labelled messages of a file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def words_of(value: object) -> set[str]:
    """Folded words of a value that say something."""
    words = {token.text for token in tokenise(fold(str(value))) if token.text[0].isalnum()}
    return {word for word in words if not is_idle(word)} or words


def found(row: Row, verdict: AnyVerdict) -> list[bool]:
    """For each value that is stated, whether some value that would be kept has all its words."""
    kept = [words_of(fact.value) for fact in verdict.facts]
    expected = [words_of(fact["value"]) for fact in row.get("facts", []) if fact["value"] is not None]
    return [any(words <= value for value in kept) for words in expected]


def ratio(part: int, whole: int) -> float:
    """A share, 1 when there is nothing to share."""
    return part / whole if whole else 1.0


def measure(rows: list[Row], verdicts: list[AnyVerdict]) -> dict[str, float]:
    """The figures that the aims are set on, and how much of what is stated is kept."""
    pairs = Counter((row["expect"], verdict.label) for row, verdict in zip(rows, verdicts, strict=True))
    facts = [hit for row, verdict in zip(rows, verdicts, strict=True) for hit in found(row, verdict)]
    return {
        "messages": float(len(rows)),
        "labels": ratio(sum(pairs[label, label] for label in LABELS), len(rows)),
        "orders_found": recall(pairs, "quarantine"),
        "orders_false_alarms": false_alarms(pairs, "quarantine"),
        "secrets_found": recall(pairs, "sensitive"),
        "secrets_false_alarms": false_alarms(pairs, "sensitive"),
        "correct_found": recall(pairs, "correct"),
        "forget_found": recall(pairs, "forget"),
        "save_found": recall(pairs, "save"),
        "ask_found": recall(pairs, "ask"),
        "reject_found": recall(pairs, "reject"),
        "stated_values_found": ratio(sum(facts), len(facts)),
    }


def recall(pairs: Counter[tuple[str, str]], label: str) -> float:
    """The share of the messages with a label that have it."""
    return ratio(pairs[label, label], counted(pairs, expected={label}))


def false_alarms(pairs: Counter[tuple[str, str]], label: str) -> float:
    """The share of the messages without a label that were given it."""
    others = set(LABELS) - {label}
    wrong = sum(count for (want, got), count in pairs.items() if want in others and got == label)
    return wrong / max(1, counted(pairs, expected=others))


def counted(pairs: Counter[tuple[str, str]], *, expected: Collection[str]) -> int:
    """How many messages should have one of some labels."""
    return sum(count for (want, _), count in pairs.items() if want in expected)


def cost(rows: list[Row]) -> float:
    """Mean CPU milliseconds of a decision; each message counts with its best of a few runs."""
    return sum(min(timed(row["text"]) for _ in range(REPEATS)) for row in rows) * 1000 / len(rows)


def timed(text: str) -> float:
    """CPU seconds of one decision."""
    start = time.process_time()
    evaluate(text)
    return time.process_time() - start


def reading_cost(
    rows: list[Row], encoder: WordEncoder | None, seconds: Callable[[], float] = time.process_time
) -> float:
    """Median CPU milliseconds of reading a message that was not read before, without what the encoder takes."""
    clock = _Clock(encoder, seconds)
    take_back = lend_encoder(clock) if encoder is not None else lambda: None
    spent = []
    for _ in range(REPEATS):
        forget_people()
        for row in rows:
            clock.spent, start = 0.0, seconds()
            read_builtin(row["text"])
            spent.append(seconds() - start - clock.spent)
    take_back()
    return statistics.median(spent) * 1000


class _Clock:
    """An encoder of words that adds up the CPU seconds that it takes."""

    def __init__(self, encoder: WordEncoder | None, seconds: Callable[[], float]) -> None:
        self._encoder, self._seconds = encoder, seconds
        self.spent = 0.0

    def __call__(self, texts: Sequence[Sequence[tuple[str, bool]]], /) -> Floats:
        assert self._encoder is not None
        start = self._seconds()
        rows = self._encoder(texts)
        self.spent += self._seconds() - start
        return rows


def yardstick() -> float:
    """Microseconds that `sum(range(1000))` takes here now: some 10 on an idle machine, more on a busy one."""
    rounds = []
    for _ in range(200):
        start = time.process_time()
        sum(range(1000))
        rounds.append(time.process_time() - start)
    return statistics.median(rounds) * 1e6


AIMS = {
    "labels": (">=", 0.92),
    "orders_found": (">=", 0.95),
    "orders_false_alarms": ("<=", 0.02),
    "secrets_found": (">=", 0.95),
    "secrets_false_alarms": ("<=", 0.02),
    "correct_found": (">=", 0.85),
    "forget_found": (">=", 0.85),
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
    """Messages judged otherwise than expected, and values missed."""
    lines = []
    for row, verdict in zip(rows, verdicts, strict=True):
        if row["expect"] != verdict.label:
            lines.append(f"{row['expect']:>10} -> {verdict.label:<10} {verdict.reason:<24} {row['text']}")
        elif not all(found(row, verdict)):
            got = [fact.value for fact in verdict.facts]
            want = [fact["value"] for fact in row["facts"]]
            lines.append(f"    values: {row['text']}\n       want {want}\n       got  {got}")
    return "\n".join(lines)


def main() -> None:
    """Measure, print, and write the results beside this file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("path", type=Path, nargs="?", default=FRESH, help="file of labelled messages")
    parser.add_argument("--errors", action="store_true", help="print what was judged otherwise than expected")
    parser.add_argument("--local", action="store_true", help="let the reader use the encoder of the extra `local`")
    parser.add_argument("--name", default="gate", help="name of the result files")
    chosen = parser.parse_args()
    run = Run()
    rows = load(chosen.path)
    load_policy()
    # Before an encoder is lent for good: the first one that is lent is used.
    encode = OfflineEmbedder().encode_words
    readings = {"reading_ms": reading_cost(rows, None), "reading_local_ms": reading_cost(rows, encode)}
    if chosen.local:
        lend_encoder(encode)
    verdicts = [evaluate(row["text"]) for row in rows]
    figures = measure(rows, verdicts) | {"yardstick_us": yardstick(), "cpu_ms": cost(rows)} | readings
    judged = {"aims": aims(figures), "confusion": confusion(rows, verdicts)}
    run.write(chosen.name, {"policy": load_policy().version, "figures": figures, **judged})
    if chosen.errors:
        sys.stdout.write(errors(rows, verdicts) + "\n")


if __name__ == "__main__":
    main()
