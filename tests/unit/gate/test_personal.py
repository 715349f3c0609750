"""What people say of their own life: each thing under its own key, of whom it is, and as it was meant."""

from __future__ import annotations

from typing import Any

import pytest
from tests.looped import looped
from tests.unit.gate.reading import facts_of, holds, slots_of

from rememora.gate import evaluate

OWN_KEYS: dict[str, dict[str, Any]] = {
    "Meu telefone é 11 98888-7777": {"user.phone": "11 98888-7777"},
    "My phone number is 555-0134": {"user.phone": "555-0134"},
    "Meu telefone do trabalho é 11 3333-4444": {"user.work_phone": "11 3333-4444"},
    "Meu email é ana@exemplo.com": {"user.email": "ana@exemplo.com"},
    "My work email is jay@acme.com": {"user.work_email": "jay@acme.com"},
    "Meu endereço é Rua das Flores, 12, Curitiba": {"user.address": "Rua das Flores, 12, Curitiba"},
    "Tenho um cachorro chamado Rex": {"user.pets.rex": "cachorro"},
    "I have a dog named Rex": {"user.pets.rex": "dog"},
    "Tenho dois gatos, Mia e Tom": {"user.pets.cat": "dois gatos, Mia e Tom"},
    "Minha cor favorita é azul": {"prefs.favorite_color": "azul"},
    "My favorite color is green": {"prefs.favorite_color": "green"},
    "Gosto de café": {"prefs.likes.cafe": "café"},
    "I love sushi": {"prefs.likes.sushi": "sushi"},
    "Odeio coentro": {"prefs.dislikes.coentro": "coentro"},
    "I prefer window seats": {"prefs.preference.window_seats": "window seats"},
    "Meu carro é um Fiat Uno": {"user.car": "Fiat Uno"},
    "Sou canhoto": {"user.handedness": "canhoto"},
    "Tenho 35 anos": {"user.age": "35 anos"},
}
MEANT: dict[str, dict[str, Any]] = {
    "Não gosto de café": {"prefs.dislikes.cafe": "café"},
    "I don't like coffee": {"prefs.dislikes.coffee": "coffee"},
    "Don't call me before 9am": {"prefs.no_meetings": "Don't call me before 9am"},
    "My mom's birthday is March 3": {"people.mom.birthday": "March 3"},
    "O aniversário da minha mãe é 3 de março": {"people.mom.birthday": "3 de março"},
    "O aniversário do João é 12/05": {"people.joao.birthday": "12/05"},
    "Meu nome não é João, é Joana": {"user.name": "Joana"},
    "I'm originally from Texas but live in Denver": {"user.origin": "Texas", "user.location": "Denver"},
    "Keep your answers short": {"prefs.short_answers": True},
    "Faço faculdade de direito na USP": {"user.education": "faculdade de direito na USP"},
    "Sou pai de dois meninos": {"user.children": "dois meninos"},
    "Meu time é o Corinthians": {"user.team": "Corinthians"},
}
NAMED_OTHERWISE: dict[str, dict[str, Any]] = {
    "My company is called Amelia.": {"tenant.name": "Amelia"},
    "Nossa empresa é a Ricardo Eletro.": {"tenant.name": "Ricardo Eletro"},
    "agora trabalho no Itaú": {"tenant.name": "Itaú"},
    "a escola da Heloísa fica longe": {},
    "trabalho em Campinas": {},
}
"""A firm may have somebody's name, and what belongs to somebody has not."""
WHOLE_NAMES: dict[str, dict[str, Any]] = {
    "oi, tudo bem? aqui é a Marisa, tenho uma floricultura em Juiz de Fora": {"user.name": "Marisa"},
    "é o seguinte, eu toco zabumba no trio Pé de Umbu": {"tenant.name": "Pé de Umbu"},
    "Hello! Directing again at the Lantern Players, Burlington.": {},
    "I'm vegetarian, Anke isn't": {"user.diet": "vegetarian"},
    "the others are Jonah and Mei on violin": {},
    "my email is dorian@spokecog.example": {"user.email": "dorian@spokecog.example"},
}
"""Both networks together know a name of the person's own, and no piece of another's name fills a slot."""
ORDINARY: dict[str, dict[str, Any]] = {
    "My wife's name is Sarah": {"people.sarah.role": "wife"},
    "My cat's name is Mia": {"user.pets.mia": "cat"},
    "I've lived in Chicago since 2010": {"user.location": "Chicago"},
    "I live at 221B Baker Street, London": {"user.address": "221B Baker Street, London"},
    "I'm learning Spanish": {"user.learning.spanish": "Spanish"},
    "I have a PhD": {"user.education": "PhD"},
    "I'd like to be called Jay": {"user.name": "Jay"},
    "I speak English and French": {"user.languages": "English and French"},
    "eu e minha esposa moramos em Floripa": {"user.location": "Floripa"},
    "Minha mãe mora em Recife": {"people.mom.location": "Recife"},
    "Uso um MacBook e programo em Python": {
        "user.computer": "MacBook",
        "user.programming_languages": "Python",
    },
    "Torço pelo Flamengo": {"user.team": "Flamengo"},
    "Nasci em 1990": {"user.birth_year": "1990"},
    "I have two kids, Emma and Noah": {
        "user.children": "two kids, Emma and Noah",
        "people.emma.role": "kids",
        "people.noah.role": "kids",
    },
    "Sou casado com a Júlia": {"user.marital_status": "casado", "people.julia.role": "casado com a Júlia"},
}


ALL = {**OWN_KEYS, **MEANT, **ORDINARY}
SHARE = 0.95


def is_kept(text: str) -> bool:
    facts = facts_of(text)
    return all(holds(facts, key, value) for key, value in ALL[text].items())


def test_what_people_say_of_themselves_is_kept() -> None:
    """A slot by its key and value, anything else by its words, in nearly all messages."""
    lost = [text for text in ALL if not is_kept(text)]

    assert len(lost) <= (1 - SHARE) * len(ALL), lost


def test_an_ordinary_fact_is_saved() -> None:
    """Family, studies, languages and the like are worth knowing later."""
    items = [*OWN_KEYS, *ORDINARY]
    wrong = [text for text in items if evaluate(text).label != "save"]

    assert len(wrong) <= (1 - SHARE) * len(items), wrong


@looped("text", ALL)
def test_no_slot_is_filled_that_was_not_said(text: str) -> None:
    """A telephone replaces no e-mail, and what is somebody else's is not one's own."""
    assert slots_of(text).items() <= ALL[text].items()


def test_a_fact_is_not_turned_round() -> None:
    """What is denied is kept as denied."""
    assert ["Não gosto de café"] == list(facts_of("Não gosto de café").values())
    assert ["I don't like coffee"] == list(facts_of("I don't like coffee").values())


@pytest.mark.parametrize(
    "text",
    [
        "I'm engaged in a project",
        "Deixei a Ana na escola",
        "Meu telefone quebrou",
        "I love this",
    ],
)
def test_what_only_looks_like_such_a_fact_is_none(text: str) -> None:
    """The words of a trait inside another, a school that is no job, and what is broken."""
    assert {} == facts_of(text)


@pytest.mark.parametrize("text", ["I quit smoking", "Não tenho filhos", "I'm not a vegetarian"])
def test_what_is_denied_fills_no_slot(text: str) -> None:
    """It is kept with its denial or not at all."""
    assert {} == slots_of(text)
    assert list(facts_of(text).values()) in ([], [text])


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        ("A Rita não é mais minha chefe", {}),
        ("Saí da Claro", {"tenant.name": None}),
        ("Saí da Claro e agora trabalho na Vivo", {"tenant.name": "Vivo"}),
        ("I don't live in Boston anymore", {"user.location": None}),
        ("Moro com a minha mãe em Santos", {"user.location": "Santos"}),
    ],
)
def test_what_is_over_has_no_value(text: str, slots: dict[str, Any]) -> None:
    """Unless the message says what holds instead; what is no slot is kept as it was said."""
    assert slots == slots_of(text)
    assert facts_of(text)


@looped(("text", "slots"), NAMED_OTHERWISE.items())
def test_a_firm_is_told_by_how_it_is_named(text: str, slots: dict[str, Any]) -> None:
    """The words before a name say whether it is the firm's or somebody's to whom it belongs."""
    assert slots == {key: value for key, value in slots_of(text).items() if key == "tenant.name"}


@looped(("text", "slots"), WHOLE_NAMES.items())
def test_a_slot_holds_a_whole_name(text: str, slots: dict[str, Any]) -> None:
    """Whatever words a name comes with, and only where it is one."""
    assert slots == slots_of(text)
