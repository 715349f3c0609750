"""Recognises a text that was pasted and not said: it tells of its own subject, not of the person."""

from __future__ import annotations

import re
from typing import Final

from rememora.gate.policy import Policy

_LETTERS_OF_LANGUAGE: Final = 0.6
"""Share of letters below which a text is written by a machine; people write three quarters and more."""
_LEAST_LINES: Final = 3
_LEAST_AMOUNTS: Final = 2
_NUMBERED: Final = re.compile(
    r"\W{0,3}[^\W\d_]{1,20}(?: [^\W\d_]{1,20}){0,3} ?:? ?(?:n[º°o.]{1,2} ?|# ?)?\d{3,20}\b"
)
"""A heading with the number of a document: "Pedido 4471", "Invoice #88213"."""
# An amount of money at the end of a line, as totals and items of an invoice have it; figures inside a sentence
# do not count.
_AMOUNT: Final = re.compile(
    r"(?:[$€£]|\b(?:brl|usd|eur|gbp)) ?\d[\d.,]{0,20}$|(?<![\d.,])\d[\d.,]{0,20} ?(?:€|reais|brl|usd|eur|gbp)$",
    re.IGNORECASE,
)


def is_document(text: str, policy: Policy) -> bool:
    """Return whether a text is a document: a long one, or a numbered one with amounts, such as an order."""
    return len(text) > policy.threshold("document_characters") or _is_account(text)


def _is_account(text: str) -> bool:
    """Return whether a text has a numbered heading and lines that end in amounts of money."""
    lines = [line for raw in text.splitlines() if (line := raw.strip(" \t.;|*"))]
    if len(lines) < _LEAST_LINES or _NUMBERED.match(lines[0]) is None:
        return False
    return sum(_AMOUNT.search(line) is not None for line in lines[1:]) >= _LEAST_AMOUNTS


def is_machine_text(text: str) -> bool:
    """Return whether a line is a log or a code, which the reader has not learned to read."""
    return sum(char.isalpha() for char in text) < _LETTERS_OF_LANGUAGE * len(text)
