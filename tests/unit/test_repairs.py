"""Repairs in one breath: the words taken back go, and look-alikes stay as they are."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.looped import looped

from rememora.reading.repairs import repaired

PIECES = ["não minto", "no wait", "aliás,", "quarta", "na", "12", "Ana", "e", ".", "...", "um", "vinte\n", "cinco"]
WORD = re.compile(r"\w")
REPAIRED = {
    # The speaker starts again from a word said before.
    "o ensaio é na quarta, não, minto, na quinta": "o ensaio é na quinta",
    "gasto quarenta e oito litros não peraí quarenta e dois litros por viagem": (
        "gasto quarenta e dois litros por viagem"
    ),
    "the gate opens at six no sorry half six": "the gate opens at half six",
    "a reforma na Agropalma quer dizer na Agrovale dura seis meses": "a reforma na Agrovale dura seis meses",
    # A value of the same kind stands right before.
    "pagam setenta e cinco não minto oitenta e cinco reais o ponto": "pagam oitenta e cinco reais o ponto",
    "we've got eleven no hang on twelve of them": "we've got twelve of them",
    "a mensalidade é 50 por aluno, aliás, 60": "a mensalidade é 60 por aluno",
    "é dia 12 de julho em Lençóis, quer dizer, 19 de julho": "é dia 19 de julho em Lençóis",
    "it's eighty five an hour no wait ninety five an hour all in": "it's ninety five an hour all in",
    "my sister Ngozi no sorry Nkechi runs the shop": "my sister Nkechi runs the shop",
    "the first Thursday... wait no, Friday": "the first Friday",
    "el padrino es Toño, mejor dicho, Beto": "el padrino es Beto",
    # Words that mean other things as well, between two values of one kind.
    "manda 12 caixas de azulejo, ops, 15, pro depósito": "manda 15 caixas de azulejo, pro depósito",
    "a rosa custa 9 e o girassol 7, não, minto, 8": "a rosa custa 9 e o girassol 8",
    "her extension is 214, sorry, 241": "her extension is 241",
    "pick her up at four sorry four thirty": "pick her up at four thirty",
    "passa lá 14h ... *15h": "passa lá 15h",
    "com 10% de desconto (aliás, 12%, erro meu).": "com 12% de desconto.",
    # The word again, and a denial.
    "fala com o Renato… Renato não, o Ricardo, do almoxarifado": "fala com o Ricardo, do almoxarifado",
    "amanhã vou com a Bianca, a Bianca não, a Betânia": "amanhã vou com a Betânia",
    "dá dezenove litros por vaca não dezenove não dezesseis litros": "dá dezesseis litros",
    "o Tomé é meu primo, primo não, cunhado": "o Tomé é meu cunhado",
    "el padrino es Toño: perdón, Toño no, el padrino es Beto": "el padrino es Beto",
    # Twice in one breath.
    "são três não minto quatro, aliás, cinco": "são cinco",
}
KEPT = (
    "eu não minto para cliente nenhum",
    "o que quer dizer isso que veio no contrato?",
    "faço tricô, quer dizer, quando as mãos deixam",
    "I mean to put my recipes in a book before I go",
    "can you make that sound less rude",
    "please hang on to what I said",
    "no, wait for me at the gate",
    "não para de chover aqui em Lages",
    "Trabalho com a Marina, aliás, o Pedro também trabalha na oficina",
    "A Ana tem 30 anos, aliás, 3 filhos lindos",
    "Na segunda estudo inglês, aliás, na terça também estudo",
    "Minha filha Bia nasceu em 2015, quer dizer, faz 10 anos em março",
    "Contratei o Pedro e me enganei, o Carlos é bem melhor",
    "I live in Boston, I mean, Sarah does too",
    "The meeting is Monday, actually Tuesday works for Bob too",
    "a consulta da Bia é quinta, aliás, o Dr. Marcos vai junto",
    "o Bento tá retificando o motor do trator",
    "vem dia sim, dia não, e traz a ração",
    "sábado não, domingo também não, só de segunda a sexta",
    "Thanks, gonna go, sorry. Cheers! Bye!",
    "Wow, did you make that? It looks so real!",
    "tenho 2 gatos, na verdade 3 cachorros também moram aqui",
)


@looped("said", list(REPAIRED))
def test_what_is_taken_back_goes(said: str) -> None:
    """The words that hold stay as they were said."""
    assert REPAIRED[said] == repaired(said)


@pytest.mark.parametrize("said", KEPT)
def test_what_takes_nothing_back_stays(said: str) -> None:
    """Without a word said again or a value of the same kind nothing is changed."""
    assert said == repaired(said)


@given(st.lists(st.sampled_from(PIECES), max_size=16))
def test_a_repair_only_takes_away(words: list[str]) -> None:
    """Every letter of the result was said."""
    text = " ".join(words)

    assert Counter(WORD.findall(repaired(text))) <= Counter(WORD.findall(text))
