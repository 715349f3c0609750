"""Patterns of a word, where a text is cut into words to be compared: one for each meaning.

The tokens of the indexes (`words.py`) and of the network (`reading/tokens.py`) are other things: they keep
figures, addresses and signs whole.
"""

from __future__ import annotations

import re
from typing import Final

WORD: Final = re.compile(r"[^\W_]+")
"""Letters and digits: "o lote 42b" is three words."""
LETTERS: Final = re.compile(r"[^\W\d_]+")
"""Letters alone: a figure is no word."""
NAME_PART: Final = re.compile(r"\w+")
"""Letters, digits and the low line, which belongs to names of people's accounts and of keys: `ana_lima`."""
