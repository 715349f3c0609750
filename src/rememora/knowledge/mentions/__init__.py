"""Mentions in a text: names by the network of names, figures and dates by rules."""

from __future__ import annotations

from rememora.knowledge.mentions.mention import TextMention
from rememora.knowledge.mentions.reading import mentions

__all__ = ["TextMention", "mentions"]
