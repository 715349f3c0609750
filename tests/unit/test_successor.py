"""An end and what took its place are one statement; an end alone, or before something else, stands by itself."""

from __future__ import annotations

import pytest

from rememora.reading import read_message

JOINED = (
    "Saí do banco! comecei na Gerdau segunda",
    "a Gertrudes fechou o entreposto, se aposentou. agora quem compra é a cooperativa Melcampo",
    "A Ottilia aposentou-se das teclas; quem nos acompanha agora é o Thales Weymar.",
)
APART = {
    "minha mãe não mora mais comigo. obrigada pela ajuda. ela tá em Ilhéus": 2,
    "The lease ended. How do I get the deposit back? We rent in Fulton now.": 2,
    "We stopped using Trello. I moved to Lisbon last month.": 2,
    "a Gertrudes fechou o entreposto, se aposentou.": 1,
}
"""Messages in which another sentence stands between, or in which the first half gives a value; with the number of
statements."""


@pytest.mark.parametrize("text", JOINED)
def test_an_end_is_told_with_what_took_its_place(text: str) -> None:
    """The whole message is one change."""
    assert [("change", text)] == [(said.act, said.text) for said in read_message(text).statements]


@pytest.mark.parametrize(("text", "statements"), APART.items())
def test_other_sentences_stay_apart(text: str, statements: int) -> None:
    """Each statement stands by itself."""
    assert statements == len(read_message(text).statements)
