"""The gate holds its figures on messages written to be judged, before and after the rules."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rememora.gate import evaluate

HERE = Path(__file__).parent


def accuracy(name: str) -> float:
    rows = [json.loads(line) for line in (HERE / name).read_text("utf-8").splitlines()]
    hits: int = sum(evaluate(row["text"]).label == row["expect"] for row in rows)
    return hits / len(rows)


@pytest.mark.parametrize("name", sorted(path.name for path in HERE.glob("heldout*.jsonl")))
def test_accuracy_does_not_fall(name: str) -> None:
    """On each set of labelled messages at least nine labels of ten are right."""
    actual = accuracy(name)

    assert actual >= 0.9
