"""Texts that are to come back word for word are kept whole, with every sign."""

from __future__ import annotations

import pytest

from rememora.domain.verdict import Save
from rememora.gate import evaluate
from rememora.gate.verbatim import LEAST_CHARACTERS, MOST_CHARACTERS, verbatim_start
from rememora.language.parsed import parse_text

WHOLE = [
    'Grava a frase da placa palavra por palavra: "Ateliê da Nena — conserto & barra. Toque a campainha 2x."',
    "guarda essa linha pra eu mandar pro suporte:\n07:41:09 WARN [fila-3] pedido=5521 etapa=frete tentativa=2",
    "Save the door sequence exactly as written: hold 3º button, wait 2 beeps, enter #, then ½ turn left.",
]
ORDINARY = [
    "Anota: meu chefe é o Otávio e a reunião é às terças",
    "minha lista de compras: leite, pão, café e um quilo de farinha",
    "is this exactly right? my text: it was a dark night and the wind blew hard on the hill",
]


@pytest.mark.parametrize("message", WHOLE)
def test_a_text_to_be_kept_word_for_word_is_one_statement(message: str) -> None:
    """The ordinal, the dash, the line break and the heading stand as they were written."""
    verdict = evaluate(message)

    assert isinstance(verdict, Save)
    assert [fact.value for fact in verdict.facts] == [message]


@pytest.mark.parametrize("message", ORDINARY)
def test_an_ordinary_message_is_read(message: str) -> None:
    """A colon alone asks for nothing word for word."""
    assert verbatim_start(parse_text(message), asked_to_keep=False) is None


def test_what_is_too_short_or_too_long_is_no_such_text() -> None:
    """A value stands under its own name, and a pasted document is history."""
    head = "guarda exatamente assim: "

    assert verbatim_start(parse_text(head + "x" * (LEAST_CHARACTERS - 1)), asked_to_keep=True) is None
    assert verbatim_start(parse_text(head + "x" * LEAST_CHARACTERS), asked_to_keep=True) == len(head)
    assert verbatim_start(parse_text(head + "x" * (MOST_CHARACTERS + 1)), asked_to_keep=True) is None
