"""How many tokens a model will count in a text, estimated without loading a tokenizer.

Fitted on one half of chats, notes and prose in both languages against o200k, checked on the other half:
a long text comes out within 5 %, a single short message within 10 % on average.
"""

from __future__ import annotations

import re
from typing import Final

from rememora.language.tongue import detect

_PIECE: Final = re.compile(r"(?P<word>[^\W\d_]+)|(?P<figures>\d+)|(?P<signs>[^\w\s]+|_+)|(?P<lines>\n+)")
_FIRST_LETTER_WITHOUT_SPACES: Final = "ぁ"
_LONG_WORD = 6
# Per language: what a word costs, and each of its letters beyond the sixth.
_WORD: Final = {"en": (0.97, 0.06), "pt": (1.2, 0.18)}
_THREE_FIGURES, _SIGN_RUN, _SIGN_MORE, _LINES, _EMOJI = 1.6, 0.75, 0.45, 1.0, 2.0


def _word_cost(word: str, language: str) -> float:
    if word[0] >= _FIRST_LETTER_WITHOUT_SPACES:
        return 0.65 * len(word)
    each, letter = _WORD[language]
    return each + letter * max(0, len(word) - _LONG_WORD)


def _sign_cost(signs: str) -> float:
    emoji = sum(1 for sign in signs if ord(sign) > 0x2600)
    plain = len(signs) - emoji
    return _EMOJI * emoji + (_SIGN_RUN + _SIGN_MORE * (plain - 1) if plain else 0.0)


def count_tokens(text: str, language: str | None = None) -> int:
    """About how many tokens `text` takes; 0 only for text without signs.

    An estimate by rule, no tokenizer: good for prose in English and Portuguese, only rough for Chinese, Japanese
    and Korean, code and rare scripts. Leave a margin, or hand in the model's own counter.
    """
    tongue = language or detect(text)
    cost = 0.0
    for piece in _PIECE.finditer(text):
        match piece.lastgroup:
            case "word":
                cost += _word_cost(piece.group(), tongue)
            case "figures":
                cost += _THREE_FIGURES * -(-len(piece.group()) // 3)
            case "signs":
                cost += _sign_cost(piece.group())
            case _:
                cost += _LINES
    return max(1, round(cost)) if cost else 0
