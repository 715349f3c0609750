"""What "this" means in a bare wish, and which messages are none."""

from __future__ import annotations

from tests.looped import looped

from rememora.gate.pointing import bare_wish
from rememora.reading.parsed import parse_message


@looped(
    ("text", "wish"),
    [
        ("Isso está errado", "correct"),
        ("isso tá errado!", "correct"),
        ("Não, isso está errado.", "correct"),
        ("isso não está certo", "correct"),
        ("That's wrong", "correct"),
        ("that is not true", "correct"),
        ("Esquece isso", "forget"),
        ("apaga isso, por favor", "forget"),
        ("please forget that", "forget"),
        ("Salva isso", "save"),
        ("anota isso aí", "save"),
        ("Remember this", "save"),
        ("save that", "save"),
    ],
)
def test_a_bare_wish_is_understood(text: str, wish: str) -> None:
    """With or without accents, politeness and punctuation, in both languages."""
    assert wish == bare_wish(parse_message(text))


@looped(
    "text",
    [
        "Esquece meu nome",
        "Está errado, eu moro em Olinda",
        "Salva que prefiro PDF",
        "Remember that my name is Ana",
        "isso é ótimo",
        "o que há de errado com isso?",
        "forget about it, let's order this pizza",
        "",
    ],
)
def test_a_wish_that_names_its_object_is_left_to_the_gate(text: str) -> None:
    """Only what points and names nothing is read here."""
    assert bare_wish(parse_message(text)) is None
