"""What a text mentions, by rules alone: people, organisations, products, places, campaigns, figures, dates."""

from __future__ import annotations

from rememora.knowledge.mentions.mention import Mention
from rememora.knowledge.mentions.reading import mentions

__all__ = ["Mention", "mentions"]
