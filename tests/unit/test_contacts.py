"""A number or an address goes, and the rest of what was said stays."""

from __future__ import annotations

import pytest

from rememora.statements.contacts import without_contact

TWO = "na Corvale quem me atende é o Humberto, cel 98811-3040, e na Rolomax a Soraia, 98822-7716"
BOTH = "O contato é a Sra. Madalena, telefone (47) 3355-0182, e-mail madalena@insetazero.example"
INSIDE = "Our caterer is Salt & Sorrel (contact: Imogen Baird, imogen@sorrel.example, 0161 555 0147)"


@pytest.mark.parametrize(
    ("text", "wish", "left"),
    [
        (TWO, "esquece o celular do cara da Corvale", TWO.replace(", cel 98811-3040", "")),
        (TWO, "apaga o número da Soraia", TWO.replace(", 98822-7716", "")),
        (BOTH, "apague o e-mail dela", BOTH.replace(", e-mail madalena@insetazero.example", "")),
        (BOTH, "apague o telefone dela", BOTH.replace(", telefone (47) 3355-0182", "")),
        (INSIDE, "delete her phone number, she wants e-mails only", INSIDE.replace(", 0161 555 0147", "")),
        ("reach Todd at 555-0193 or todd@x.example", "forget his number", "reach Todd or todd@x.example"),
        ("a Lúcia atende no (11) 98888-7777 até as 18h", "esquece o fone da Lúcia", "a Lúcia atende até as 18h"),
        (
            "el taller de Pepe, tel. 600 123 456, abre a las 9",
            "borra el número",
            "el taller de Pepe, abre a las 9",
        ),
    ],
)
def test_only_the_contact_goes(text: str, wish: str, left: str) -> None:
    """With the words that lead to it."""
    assert left == without_contact(text, wish)


@pytest.mark.parametrize(
    ("text", "wish"),
    [
        # Two numbers, and no word says which.
        (TWO, "apaga o número"),
        # Nothing would be left.
        ("o zap da Lúcia é 11 98888-7777", "esquece o zap da Lúcia"),
        # No number is meant, or there is none.
        (TWO, "esquece a Corvale"),
        ("a Lúcia faz o frete", "esquece o telefone da Lúcia"),
    ],
)
def test_nothing_goes_where_it_is_not_certain(text: str, wish: str) -> None:
    """The whole statement is another question."""
    assert without_contact(text, wish) is None
