"""A pack says a sentence once: as the message that said it, not in the summary as well."""

from __future__ import annotations

import msgspec
import pytest

from rememora.context.compete import Prices
from rememora.context.fit import fit
from rememora.domain.context import Item

SUMMARY = "Topics: Recife, visits\nuser: The visit to Recife is on Monday.\nassistant: I will book the train."


def item_of(section: str, kind: str, text: str) -> Item:
    return msgspec.convert({"section": section, "kind": kind, "id": text[:20], "text": text, "worth": 1.0}, Item)


def words(item: Item) -> int:
    return len(item.text.split())


@pytest.mark.parametrize(
    ("messages", "left"),
    [
        (
            ["We met. The visit to Recife  is on Monday. Bring shoes."],
            "Topics: Recife, visits\nassistant: I will book the train.",
        ),
        (["The visit to Recife is on Monday.", "I will book the train."], None),
        (["The visit to Olinda is on Monday."], SUMMARY),
        ([], SUMMARY),
    ],
    ids=["one line", "every line", "another sentence", "no message"],
)
def test_a_sentence_of_a_passage_is_not_told_by_the_summary_too(messages: list[str], left: str | None) -> None:
    """What is left of the summary is counted anew; with nothing left it goes, and the pack says why."""
    items = [item_of("summary", "summary", SUMMARY), *(item_of("past", "message", text) for text in messages)]
    fitted = fit(items, budget=500, prices=Prices(words), headings={"summary": 5})

    assert ([] if left is None else [left]) == [item.text for item in fitted.items if item.section == "summary"]
    heading = 5 if left else 0
    assert fitted.tokens == sum(map(words, fitted.items)) + heading
    assert ([] if left else ["repeated"]) == [item.why for item in fitted.left_out]
