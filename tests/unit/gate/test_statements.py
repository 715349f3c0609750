"""How plain statements become facts: named by what they are about, whole, and of whom they are said."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.gate.reading import facts_of

from rememora.gate import evaluate


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("o pedido mínimo pro atacado é 30 peças", {"operating.pedido_minimo_atacado": "30 peças"}),
        ("our minimum order is 24 units per color", {"operating.minimum_order": "24 units per color"}),
        ("anota que a dedetização é todo dia 20", {"operating.dedetizacao": "a dedetização é todo dia 20"}),
        ("minha cor favorita é verde", {"prefs.favorite_color": "verde"}),
        ("my shirt size is M and I live in Boston", {"user.shirt_size": "M", "user.location": "Boston"}),
    ],
)
def test_a_statement_is_named_by_its_subject(text: str, facts: dict[str, Any]) -> None:
    """What is said of the subject is the value, and two statements do not share one key."""
    assert facts == facts_of(text)


def test_and_is_not_is() -> None:
    """ "e" without an accent joins two things more often than it says what one is."""
    assert {"user.rule": "trabalho de casa nas quartas e sextas"} == facts_of(
        "trabalho de casa nas quartas e sextas"
    )


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (
            "fornecedor de leite é o Sítio Boa Vista, contato seu Arlindo 35 99888-7777",
            {
                "people.arlindo.role": "fornecedor de leite, Sítio Boa Vista",
                "people.arlindo.phone": "35 99888-7777",
            },
        ),
        (
            "Raj is our new plant manager, reach him at raj@millbrook.example",
            {"people.raj.role": "plant manager", "people.raj.email": "raj@millbrook.example"},
        ),
        (
            "tenho dois filhos, a Lara de 9 e o Davi de 4",
            {
                "user.children": "dois filhos, a Lara de 9 e o Davi de 4",
                "people.lara.role": "filha de 9",
                "people.davi.role": "filho de 4",
            },
        ),
        ("meu manager agora é a Chloe, she's based in Dublin", {"people.chloe.role": "manager"}),
        (
            "nosso insta é @docedaluz e o site é docedaluz.example",
            {"operating.insta": "@docedaluz", "operating.site": "docedaluz.example"},
        ),
        ("our backlog fica no Linear", {"tools.project_management": "Linear"}),
    ],
)
def test_a_fact_is_of_whom_it_is_said(text: str, facts: dict[str, Any]) -> None:
    """A firm is no second person, a number is its owner's, and somebody else's town is not the user's."""
    assert facts == facts_of(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a loja do centro não abre no domingo", "não abre no domingo"),
        ("aqui a gente não abre feriado", "não abre feriado"),
    ],
)
def test_what_is_denied_is_kept_as_denied(text: str, value: str) -> None:
    """ "Não abre" is never kept as "abre"."""
    assert {"operating.business_hours": value} == facts_of(text)


@pytest.mark.parametrize(
    "text",
    [
        "meu chefe é legal",
        "our accountant is awful",
        "my dad is calling",
        "minha mãe vem almoçar aqui",
        "I love this song",
        "não usa emoji nesse post",
        "me responde em inglês essa",
        "acabei de salvar a planilha no drive",
    ],
)
def test_an_opinion_an_errand_and_a_wish_for_one_text_are_no_facts(text: str) -> None:
    """What is thought of somebody, what happens now and how this one text is to be leave nothing."""
    assert "reject" == evaluate(text).label


def test_a_change_in_the_world_is_no_correction() -> None:
    """ "Ajusta aí" beside a move asks for what is new; beside an error for what is right."""
    assert "save" == evaluate("mudei pra Vitória mês passado, já ajusta aí").label
    assert "correct" == evaluate("eu não moro em Natal, tá errado, ajusta aí").label


def test_what_is_right_is_not_what_was_held() -> None:
    """The value that the memory is said to hold is never given back as the right one."""
    assert {"tools.crm": "Zoho"} == facts_of("you said our CRM is Salesforce, it's actually Zoho")
    assert {"tenant.business_model": "wholesale"} == facts_of("you keep saying we're in retail, we're wholesale")
    assert {"user.role_title": None} == facts_of(
        "vc tá com meu cargo antigo, agora não sou estagiário, nunca fui aliás"
    )


def test_a_wish_that_points_back_keeps_what_was_said() -> None:
    """ "Keep that in mind for the orders" keeps "that", not the orders."""
    assert ["I drink decaf only"] == list(
        facts_of("I drink decaf only, so keep that in mind for the orders").values()
    )


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("remove o botão do site", "reject"),
        ("apaga o comentário da planilha", "reject"),
        ("forget the previous draft, start over", "reject"),
        ("esquece o projeto do site novo", "forget"),
        ("apaga o que eu falei do relatório", "forget"),
        ("a conta deu 1234 reais", "save"),
        ("my order number is 112-3344556-7788990", "save"),
        ("a Kátia do RH é quem libera férias, manda tudo pra ela", "save"),
    ],
)
def test_lookalikes_are_told_apart(text: str, label: str) -> None:
    """Editing is not forgetting, a bill and an order are no bank data, and a colleague's duty is no order."""
    assert label == evaluate(text).label
