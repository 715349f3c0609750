"""Figures and dates that a careful person would note of everyday sentences, and nothing besides."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rememora.knowledge.mentions import mentions

FIGURES = ("metric.", "threshold.", "date.")
ROWS: list[dict[str, Any]] = [
    json.loads(line)
    for line in Path(__file__).with_name("sentences.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.mark.parametrize("row", ROWS, ids=[row["text"][:40] for row in ROWS])
def test_a_sentence_is_read_as_a_person_would(row: dict[str, Any]) -> None:
    """The same figures and dates under the same keys with the same values; names are measured in `test_names`."""
    assert row["notes"] == {item.key: item.value for item in mentions(row["text"]) if item.key.startswith(FIGURES)}


def test_an_address_mentions_nothing() -> None:
    """Neither a link nor an e-mail address is read for names, and spans hold behind them."""
    text = "veja https://cdn.shopify.com/India e ana@notion.so, diz a Marta"
    (mention,) = mentions(text)

    assert ("person.marta", "Marta") == (mention.key, text[mention.span[0] : mention.span[1]])
