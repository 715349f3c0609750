"""Estimates how many tokens a model will count in a text, without loading a tokenizer.

Fitted on one half of chats, notes and prose in both languages against o200k, checked on the other half: a long
text is estimated within 5 %, a single short message within 10 % on average.
"""

from __future__ import annotations

import re
from typing import Final

from rememora.language.detection import detect
from rememora.language.packs import words_of
from rememora.language.word_patterns import LETTERS

_FIGURES: Final = re.compile(r"\d+")
_SIGNS: Final = re.compile(r"[^\w\s]+|_+")
_BREAKS: Final = re.compile(r"\n+")
_FIRST_LETTER_WITHOUT_SPACES: Final = "ぁ"
_LONG_WORD = 6
_THREE_FIGURES, _SIGN_RUN, _SIGN_MORE, _LINES, _EMOJI = 1.6, 0.75, 0.45, 1.0, 2.0


def _word_cost(words: list[str], language: str) -> float:
    per_word, letter = words_of(language).token_cost
    without_spaces = [word for word in words if word[0] >= _FIRST_LETTER_WITHOUT_SPACES]
    if without_spaces:
        words = [word for word in words if word[0] < _FIRST_LETTER_WITHOUT_SPACES]
    beyond = sum([len(word) - _LONG_WORD for word in words if len(word) > _LONG_WORD])
    return per_word * len(words) + letter * beyond + 0.65 * sum(map(len, without_spaces))


def _sign_cost(signs: str) -> float:
    if signs.isascii():
        return _SIGN_RUN + _SIGN_MORE * (len(signs) - 1)
    emoji = sum(1 for sign in signs if ord(sign) > 0x2600)
    plain = len(signs) - emoji
    return _EMOJI * emoji + (_SIGN_RUN + _SIGN_MORE * (plain - 1) if plain else 0.0)


def count_tokens(text: str, language: str | None = None) -> int:
    """Estimate the tokens of `text`; 0 only for text without visible characters.

    The estimate is good for prose in English and Portuguese, and rough for Chinese, Japanese and Korean, code and
    rare scripts. Leave a margin, or pass the model's own counter.
    """
    # Each kind of piece in one pass of its own: this is asked for every line of every pack.
    cost = _word_cost(LETTERS.findall(text), language or detect(text))
    cost += _THREE_FIGURES * sum([-(-len(figures) // 3) for figures in _FIGURES.findall(text)])
    cost += sum([_sign_cost(signs) for signs in _SIGNS.findall(text)])
    cost += _LINES * len(_BREAKS.findall(text))
    return max(1, round(cost)) if cost else 0
