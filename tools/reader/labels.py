"""The labels that the reader learns, in the order of the network's outputs."""

from __future__ import annotations

from rememora.reading.labels import ACTS, ATTRIBUTES

FACT_ACTS = frozenset({"tell", "change", "correct", "doubt"})
# The act that decides what the gate says of a whole message, the gravest first.
VERDICTS = {
    "order": "quarantine", "secret": "sensitive", "forget": "forget", "erase": "forget", "hush": "forget",
    "correct": "correct", "tell": "save", "change": "save", "doubt": "ask",
}  # fmt: skip
UNJUDGED = frozenset({"undo", "answer", "dont_keep"})

__all__ = ["ACTS", "ATTRIBUTES", "FACT_ACTS", "UNJUDGED", "VERDICTS"]
