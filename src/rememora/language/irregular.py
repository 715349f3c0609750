"""Irregular words of the languages, and words that folding would confuse."""

from __future__ import annotations

import re
from typing import Final

from rememora.language.packs import words_of

PORTUGUESE: Final = words_of("pt").irregular
ENGLISH: Final = words_of("en").irregular
WHOLE: Final = words_of("pt").unstemmed
"""Words that must not be stemmed: the stem of `mês` would be that of `mesa`."""
NOUNS_IN_MOS: Final = words_of("pt").nouns_like_verbs
_COUNTRY: Final = re.compile(r"\bpaís\b", re.IGNORECASE)


def apart(text: str) -> str:
    """Return `text` with `país` in the plural: without its accent it would be `pais`, the plural of `pai`."""
    return _COUNTRY.sub("paises", text) if "ís" in text or "ÍS" in text else text
