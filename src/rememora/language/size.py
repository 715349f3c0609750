"""How many model tokens a text takes, estimated without a tokenizer."""

from __future__ import annotations

import re
from typing import Final

_PIECE: Final = re.compile(r"[^\W\d_]+|\d+|[^\w\s]|_+|\n+")


def count_tokens(text: str, language: str | None = None) -> int:
    """Estimated count."""
    return len(_PIECE.findall(text))
