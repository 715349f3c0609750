"""Where sentences end: titles, initials and numbers do not break a statement in two."""

from __future__ import annotations

import pytest

from rememora.language.sentences import ends_sentence


def ends(text: str) -> list[str]:
    """The last word before each mark that ends a sentence."""
    return [
        text[:at].rsplit(maxsplit=1)[-1]
        for at, sign in enumerate(text)
        if sign in ".!?" and ends_sentence(text, at)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Our counsel is Mr. Van Houten. Call him.", ["Houten", "him"]),
        ("signed 'Hon. Sec., M. Okafor'. Thanks!", ["Okafor'", "Thanks"]),
        ("Nosso contato é a Sra. Noeli Bastos. Liga lá?", ["Bastos", "lá"]),
        ("El Dr. Ruiz atiende en la Av. Colón. Gracias.", ["Colón", "Gracias"]),
        ("custa 3.50 e acabou. Depois vejo.", ["acabou", "vejo"]),
        ("pães, bolos etc. A gente fecha às 6.", ["etc", "6"]),
        ("levo ex. na terça e pronto.", ["pronto"]),
        ("estudo na turma B. Depois vem a C.", ["B", "C"]),
        ("Ana S. Costa veio. J. R. Prado não.", ["veio", "não"]),
        ("write to ana.lima@lobo.example. Bye.", ["ana.lima@lobo.example", "Bye"]),
    ],
)
def test_where_sentences_end(text: str, expected: list[str]) -> None:
    """A dot behind a title, an abbreviation or an initial, or inside a number, ends none."""
    assert expected == ends(text)
