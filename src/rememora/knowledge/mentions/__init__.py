"""Mentions in a text, by rules alone: people, organisations, products, places, campaigns, figures, dates."""

from __future__ import annotations

from rememora.knowledge.mentions.mention import TextMention
from rememora.knowledge.mentions.reading import mentions

__all__ = ["TextMention", "mentions"]
