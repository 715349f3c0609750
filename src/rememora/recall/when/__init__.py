"""Which time a question means, read in Portuguese and English against the moment and the place it is asked."""

from __future__ import annotations

from rememora.recall.when.meaning import Meant, resolve
from rememora.recall.when.spans import EVER, Span

__all__ = ["EVER", "Meant", "Span", "resolve"]
