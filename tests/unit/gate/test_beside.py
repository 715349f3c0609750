"""Facts beside something sensitive are kept; nothing of the sensitive part is."""

from __future__ import annotations

import pytest

from rememora.domain.verdict import Origin, Refuse
from rememora.gate import evaluate

BESIDE = {
    "Moro em Olinda e minha filha tem asma": ("Olinda", "asma"),
    "Minha filha tem asma e eu moro em Olinda.": ("Olinda", "asma"),
    "I live in Leeds and my wife has breast cancer": ("Leeds", "cancer"),
    "Trabalho na Padaria Sol. Meu CPF é 529.982.247-25.": ("Padaria Sol", "529"),
    "My name is Paula. The password of the panel is Lua@2024.": ("Paula", "Lua@2024"),
    "Meu pai está fazendo hemodiálise e o Pedro é o contador da loja": ("contador", "hemodiálise"),
}
ALL_OF_IT = (
    "a senha dele é o nome da cachorra, Mel2019",
    "a senha do painel é Lua@2024 e o login é joana",
    "minha mãe está com câncer e ela não pode viajar",
    "minha filha tem asma",
    "não guarde isto: moro em Olinda e minha filha tem asma",
)


def kept(text: str, *, origin: Origin = Origin.USER_SAID) -> list[str]:
    """The values that a refused message leaves."""
    verdict = evaluate(text, origin=origin)
    assert isinstance(verdict, Refuse), verdict
    return [str(fact.value) for fact in verdict.facts]


@pytest.mark.parametrize(("text", "words"), BESIDE.items())
def test_what_stands_beside_it_is_kept(text: str, words: tuple[str, str]) -> None:
    """Each clause is judged by itself: one that is refused takes no other with it."""
    harmless, sensitive = words
    values = kept(text)

    assert any(harmless in value for value in values)
    assert not any(sensitive in value for value in values)


@pytest.mark.parametrize("text", ALL_OF_IT)
def test_what_belongs_to_it_goes_with_it(text: str) -> None:
    """A secret's own words, what is said of whom it is about, and what was not to be kept at all."""
    assert [] == kept(text)


@pytest.mark.parametrize("origin", [Origin.TOOL, Origin.DOCUMENT, Origin.ASSISTANT])
def test_a_third_party_leaves_nothing(origin: Origin) -> None:
    """Only the person's own words are read for what stands beside."""
    assert [] == kept("Moro em Olinda e minha filha tem asma", origin=origin)
