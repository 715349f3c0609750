"""Count near-duplicates: between writers, and between what the reader learned from and what measures it.

    python tools/check_reading_data.py [--show]

Two texts are near-duplicates where they share four of five words or more of the longer one; texts of fewer than
four distinct words are left out. Messages of evaluation sets with `"seen": true` are known to stand in the
training data. Exits with 1 where an unseen set has such a message that is not marked.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from math import ceil
from pathlib import Path
from typing import Any

import msgspec

ROOT = Path(__file__).parents[1]
READING = ROOT / "data" / "reading"
EVALUATION = ROOT / "data" / "evaluation"
UNIT_TESTS = ROOT / "tests" / "unit" / "gate"
SHARED = 0.8
LEAST_WORDS = 4
RETIRED = frozenset(
    {"knowledge_final", "knowledge_fresh", *(f"knowledge_fresh{number}" for number in range(2, 11))}
)
"""Sets that became training data (`k0` to `k10`): they measure nothing any more, and are counted, not refused."""
_WORD = re.compile(r"[^\W_]+")


class Said(msgspec.Struct, frozen=True):
    """One text, with the file that it stands in and whether it is marked as seen."""

    file: str
    text: str
    words: frozenset[str]
    seen: bool = False


def said(file: str, text: str, *, seen: bool = False) -> Said:
    """Make a text comparable."""
    return Said(file, text, frozenset(_WORD.findall(text.casefold())), seen)


def training() -> list[Said]:
    """All messages that the reader may learn from, and those of which only the label is known."""
    written = [
        said(path.stem, "".join(part["text"] for part in row["parts"]))
        for path in sorted(READING.glob("*.jsonl"))
        for row in _rows(path)
    ]
    judged = [
        said(f"judged/{path.stem}", row["text"])
        for path in sorted((READING / "judged").glob("*.jsonl"))
        for row in _rows(path)
    ]
    return written + judged


def evaluation() -> list[Said]:
    """All messages of the evaluation sets."""
    lines = [
        said(path.stem, row["text"], seen=row.get("seen", False))
        for path in sorted(EVALUATION.glob("*.jsonl"))
        for row in _rows(path)
    ]
    dialogues = [
        said(path.stem, message["text"], seen=message.get("seen", False))
        for path in sorted(EVALUATION.glob("*.json"))
        for message in _messages(json.loads(path.read_text("utf-8")))
    ]
    return lines + dialogues


def unit_tests() -> list[Said]:
    """The messages and all strings of the tests of the gate."""
    lines = [said(path.stem, row["text"]) for path in sorted(UNIT_TESTS.glob("*.jsonl")) for row in _rows(path)]
    strings = [
        said(path.stem, node.value)
        for path in sorted(UNIT_TESTS.glob("test_*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    return lines + strings


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    yield from (json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip())


def _messages(document: Any) -> Iterator[dict[str, Any]]:
    """Every message of dialogues or episodes."""
    for talk in document.get("dialogues", document.get("episodes", ())):
        yield from talk["messages"]


def near(left: Sequence[Said], right: Sequence[Said]) -> Iterator[tuple[Said, Said]]:
    """Yield all near-duplicate pairs of two collections."""
    counts = Counter(word for text in (*left, *right) for word in text.words)
    by_word: dict[str, list[Said]] = defaultdict(list)
    for text in right:
        for word in _rarest(text, counts):
            by_word[word].append(text)
    for text in left:
        others = {id(other): other for word in _rarest(text, counts) for other in by_word[word]}
        yield from ((text, other) for other in others.values() if _alike(text, other))


def _rarest(text: Said, counts: Counter[str]) -> list[str]:
    """Return the words of which a near-duplicate has at least one: enough of the rarest, none of a short text."""
    size = len(text.words)
    if size < LEAST_WORDS:
        return []
    return sorted(text.words, key=lambda word: (counts[word], word))[: size - ceil(SHARED * size) + 1]


def _alike(left: Said, right: Said) -> bool:
    return len(left.words & right.words) >= SHARED * max(len(left.words), len(right.words))


def between_writers(texts: Sequence[Said]) -> list[tuple[Said, Said]]:
    """Return the pairs of different files, each once."""
    return [pair for pair in near(texts, texts) if pair[0].file < pair[1].file]


def unmarked(pairs: Sequence[tuple[Said, Said]]) -> list[tuple[Said, Said]]:
    """Return the pairs whose first text is scored although the reader may have learned it."""
    return [pair for pair in pairs if not pair[0].seen and pair[0].file not in RETIRED]


def main() -> int:
    """Print the counts, and with `--show` the pairs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true", help="print the pairs that are not marked")
    options = parser.parse_args()
    learned = training()
    measured = list(near(evaluation(), learned))
    tested = list(near(unit_tests(), learned))
    print(f"between writers: {len(between_writers(learned))} pairs")
    for name, count in sorted(Counter(text.file for text in {pair[0] for pair in measured}).items()):
        print(f"evaluation {name}: {count} messages stand in the training data" + " (retired)" * (name in RETIRED))
    print(f"tests of the gate: {len({pair[0] for pair in tested})} texts stand in the training data")
    wrong = unmarked(measured)
    print(f"not marked: {len({pair[0] for pair in wrong})}")
    for text, other in wrong if options.show else ():
        print(f"  {text.file}: {text.text!r}\n    {other.file}: {other.text!r}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
