"""Answers to a pending question."""

from __future__ import annotations

import pytest
from tests.looped import looped

from rememora.gate import No, Unrelated, Value, Yes, read_answer


@looped(
    "text",
    ["sim", "Isso", "isso mesmo!", "pode salvar", "yep", "yes please", "that's right", "uhum", "claro, pode"],
)
def test_yes(text: str) -> None:
    """Assent in either language is a yes."""
    assert Yes() == read_answer(text)


@looped("text", ["não", "nao", "nope", "no thanks", "deixa pra lá", "não precisa", "no, don't", "melhor não"])
def test_no(text: str) -> None:
    """Refusal in either language is a no."""
    assert No() == read_answer(text)


@looped(
    ("text", "expected"),
    [
        ("na verdade é Net 60", "Net 60"),
        ("no, it's Boulder", "Boulder"),
        ("não, é terça", "terça"),
        ("quase, é Tatiana", "Tatiana"),
        ("actually, 15%", "15%"),
        ("não é segunda, é terça", "terça"),
        ("it's Jon without the h", "Jon without the h"),
    ],
)
def test_value(text: str, expected: str) -> None:
    """Another value is read out of the answer."""
    assert Value(expected) == read_answer(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "que horas são?",
        "manda o relatório de hoje",
        "what do you mean?",
        "tô no trânsito, já te respondo",
    ],
)
def test_unrelated(text: str) -> None:
    """Anything else leaves the question open."""
    assert Unrelated() == read_answer(text)
