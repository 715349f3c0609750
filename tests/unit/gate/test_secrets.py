"""Tells secrets, sensitive facts and ordinary sentences that look like them apart, in three languages.

The first half was written before the rules were looked at, the second after they had been mended by the first, and
measured before anything was changed for it: 48 of 60 secrets, 31 of 40 sensitive facts and 48 of 50 ordinary
sentences were judged rightly by words alone (40, 25 and 47 by the rules before). Both have been in view since.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from rememora.gate import evaluate

ROWS = [json.loads(line) for line in Path(__file__).with_name("secrets.jsonl").read_text("utf-8").splitlines()]
LEAST = {"secret": 110, "sensitive": 72, "ordinary": 98}
"""Least number of right verdicts of 122, 80 and 101, with or without the bundled encoder."""


def test_secrets_are_told_from_what_looks_like_them() -> None:
    """As many as were told apart when this was written: a rule that changes must not lose others."""
    right: Counter[str] = Counter()
    for row in ROWS:
        refused = evaluate(row["text"]).label in ("sensitive", "quarantine")
        right[row["kind"]] += refused is (row["kind"] != "ordinary")

    assert {kind: min(right[kind], least) for kind, least in LEAST.items()} == LEAST, right
