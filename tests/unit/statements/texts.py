"""Texts that the properties of statements hold for: anything at all, and sentences of three languages."""

from __future__ import annotations

import re

from hypothesis import strategies as st

from rememora.language import fold

WORD = re.compile(r"[^\W_]+")
PEOPLE = ("Bia", "Otávio", "Marta", "Fenna", "Caíque", "Pepe", "Rosângela", "Bram")
THINGS = (
    "leite", "pão integral", "queijo coalho", "sabão", "café da serra", "smoker fuel", "queen excluder",
    "oat milk", "harina", "aceite de oliva", "jabón", "two wrenches",
)  # fmt: skip
HEADINGS = ("compras", "lista da feira", "to buy", "la compra")
DOINGS = (
    "cuida do caixa", "abre a loja cedo", "keeps the books", "lives in Boston", "abre el taller",
    "faz o frete na serra",
)  # fmt: skip
"""Things told of somebody beside a number, without a figure or a name of a kind of contact."""

anything = st.text(st.characters(codec="utf-8") | st.sampled_from(" \n,;.:()0123456789@"), max_size=80)
people, doings = st.sampled_from(PEOPLE), st.sampled_from(DOINGS)
things = st.lists(st.sampled_from(THINGS), min_size=2, max_size=7, unique=True)
phones = st.builds(
    lambda area, first, last, form: form.format(area=area, first=first, last=last),
    st.integers(11, 99),
    st.integers(90_000, 99_999),
    st.integers(1_000, 9_999),
    st.sampled_from(
        ("{area} {first}-{last}", "({area}) {first}-{last}", "{first}-{last}", "+55 {area} {first}-{last}")
    ),
)


def words(text: str) -> list[str]:
    """The folded words of a text in order."""
    return WORD.findall(fold(text))


def digits(text: str) -> str:
    """All figures of a text, run together."""
    return "".join(char for char in text if char.isdigit())
