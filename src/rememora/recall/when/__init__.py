"""Which time a question means, read in Portuguese and English against the moment and the place it is asked."""

from __future__ import annotations

from rememora.recall.when.meaning import resolve
from rememora.recall.when.spans import EVER, Span

__all__ = ["EVER", "Span", "resolve"]
