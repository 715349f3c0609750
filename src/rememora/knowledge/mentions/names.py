"""Names of people, organizations, products, places and campaigns, as the reader sees them."""

from __future__ import annotations

from collections.abc import Iterator

from rememora.knowledge.mentions.mention import MAX_NAME, TextMention, mention
from rememora.reading import read_names
from rememora.reading.results import SURE_NAME


def names(text: str) -> Iterator[TextMention]:
    """Every name whose kind is sure and one that counts."""
    for name in read_names(text):
        said = " ".join(text[name.start : name.end].split())
        if name.sure >= SURE_NAME and name.kind != "other" and len(said) <= MAX_NAME:
            yield mention(name.kind, said, said, confidence=round(name.sure, 2), span=(name.start, name.end))
