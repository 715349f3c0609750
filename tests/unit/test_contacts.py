"""A number or an address goes, and the rest of what was said stays."""

from __future__ import annotations

import pytest

from rememora.language.parsed import parse_text
from rememora.statements.contacts import without_contact

TWO = "na Corvale quem me atende é o Humberto, cel 98811-3040, e na Rolomax a Soraia, 98822-7716"
BOTH = "O contato é a Sra. Madalena, telefone (47) 3355-0182, e-mail madalena@insetazero.example"
TOLD = "o telefone da Bia é 81 99999-1234 e ela cuida do caixa"
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
        # Told as a clause of its own: what follows is told of the owner.
        (TOLD, "esquece o telefone da Bia", "Bia cuida do caixa"),
        (TOLD.replace(" e ela", ". Ela") + ".", "esquece o telefone da Bia", "Bia cuida do caixa."),
        ("Ana's phone is 555-0193 and she lives in Boston", "forget Ana's phone", "Ana lives in Boston"),
        ("a Bia cuida do caixa e o telefone dela é 81 99999-1234", "apaga o número", "a Bia cuida do caixa"),
        (f"O Beto abre a loja, {TOLD}", "apaga o número", "O Beto abre a loja e Bia cuida do caixa"),
        ("meu telefone é 81 99999-1234 e moro em Recife", "apaga meu telefone", "moro em Recife"),
    ],
)
def test_only_the_contact_goes(text: str, wish: str, left: str) -> None:
    """With the words that lead to it."""
    assert left == without_contact(text, parse_text(wish))


@pytest.mark.parametrize(
    ("text", "wish"),
    [
        # Two numbers, and no word says which.
        (TWO, "apaga o número"),
        # Nothing would be left.
        ("o zap da Lúcia é 11 98888-7777", "esquece o zap da Lúcia"),
        ("o telefone da Bia é 81 99999-1234 (só zap)", "esquece o telefone da Bia"),
        # Nobody knows of whom the rest would be told.
        ("o telefone da loja é 3333-4444 e abre às 9", "esquece o telefone"),
        ("o telefone do Beto e da Bia é 81 99999-1234 e eles cuidam do caixa", "esquece o telefone"),
        # No number is meant, or there is none.
        (TWO, "esquece a Corvale"),
        ("a Lúcia faz o frete", "esquece o telefone da Lúcia"),
    ],
)
def test_nothing_goes_where_it_is_not_certain(text: str, wish: str) -> None:
    """The whole statement is another question."""
    assert without_contact(text, parse_text(wish)) is None
