"""Time expressions of a question, read in Portuguese and English relative to the time and place of asking."""

from __future__ import annotations

from rememora.ranking.when.meaning import QuestionTime, resolve
from rememora.ranking.when.spans import EVER, TimeSpan

__all__ = ["EVER", "QuestionTime", "TimeSpan", "resolve"]
