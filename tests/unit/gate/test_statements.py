"""How plain statements become facts: whole, as they were said, and of whom they are said."""

from __future__ import annotations

import pytest
from tests.looped import looped
from tests.unit.gate.reading import facts_of, slots_of

from rememora.gate import evaluate


@looped(
    ("text", "values"),
    [
        ("o pedido mínimo pro atacado é 30 peças", ["o pedido mínimo pro atacado é 30 peças"]),
        ("our minimum order is 24 units per color", ["our minimum order is 24 units per color"]),
        ("anota que a dedetização é todo dia 20", ["a dedetização é todo dia 20"]),
        ("trabalho de casa nas quartas e sextas", ["trabalho de casa nas quartas e sextas"]),
        ("a loja do centro não abre no domingo", ["a loja do centro não abre no domingo"]),
        ("aqui a gente não abre feriado", ["aqui a gente não abre feriado"]),
        ("our backlog fica no Linear", ["our backlog fica no Linear"]),
    ],
)
def test_a_statement_is_kept_as_it_was_said(text: str, values: list[str]) -> None:
    """Whole, without the words of the wish, and as denied where it is denied; a slot is a value of its own."""
    assert values == list(facts_of(text).values())


def test_two_statements_never_share_a_key() -> None:
    """The same thing said of two shops is two facts."""
    one, other = facts_of("a loja do centro não abre no domingo"), facts_of("a loja da praia não abre no domingo")

    assert not set(one) & set(other)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("fornecedor de leite é o Sítio Boa Vista, contato seu Arlindo 35 99888-7777",
         ("Sítio Boa Vista", "Arlindo", "35 99888-7777")),
        ("Raj is our new plant manager, reach him at raj@millbrook.example",
         ("Raj", "plant manager", "raj@millbrook.example")),
        ("tenho dois filhos, a Lara de 9 e o Davi de 4", ("Lara de 9", "Davi de 4")),
        ("meu manager agora é a Chloe, she's based in Dublin", ("manager", "Chloe", "Dublin")),
        ("nosso insta é @docedaluz e o site é docedaluz.example", ("@docedaluz", "docedaluz.example")),
    ],
)  # fmt: skip
def test_what_is_said_of_others_fills_no_slot_of_ones_own(text: str, words: tuple[str, ...]) -> None:
    """A number is its owner's and somebody else's town is not the user's; all of it is kept."""
    kept = " ".join(map(str, facts_of(text).values()))

    assert all(word in kept for word in words)
    assert {} == slots_of(text)


NOTHING = [
    "meu chefe é legal",
    "our accountant is awful",
    "my dad is calling",
    "minha mãe vem almoçar aqui",
    "I love this song",
    "não usa emoji nesse post",
    "me responde em inglês essa",
    "acabei de salvar a planilha no drive",
]
LABELS = {
    **dict.fromkeys(NOTHING, "reject"),
    "remove o botão do site": "reject",
    "apaga o comentário da planilha": "reject",
    "forget the previous draft, start over": "reject",
    "esquece o projeto do site novo": "forget",
    "apaga o que eu falei do relatório": "forget",
    "a conta deu 1234 reais": "save",
    "my order number is 112-3344556-7788990": "save",
    "a Kátia do RH é quem libera férias, manda tudo pra ela": "save",
}


@looped("text", NOTHING)
def test_an_opinion_an_errand_and_a_wish_for_one_text_fill_no_slot(text: str) -> None:
    """What is thought of somebody, what happens now and how this one text is to be."""
    assert {} == slots_of(text)


def test_lookalikes_are_told_apart() -> None:
    """Editing is not forgetting, a bill and an order are no bank data, and a colleague's duty is no order."""
    wrong = [text for text, label in LABELS.items() if evaluate(text).label != label]

    assert len(wrong) <= 3, wrong
    assert sum(evaluate(text).label in ("sensitive", "quarantine") for text in LABELS) <= 1


def test_a_change_in_the_world_is_no_correction() -> None:
    """ "Ajusta aí" beside a move asks for what is new; beside an error for what is right."""
    assert "save" == evaluate("mudei pra Vitória mês passado, já ajusta aí").label
    assert "correct" == evaluate("eu não moro em Natal, tá errado, ajusta aí").label


def test_what_is_right_is_not_what_was_held() -> None:
    """The value that the memory is said to hold is never given back as the right one."""
    held = "vc tá com meu cargo antigo, agora não sou estagiário, nunca fui aliás"

    assert {"user.role_title": None} == facts_of(held)
    assert {"user.role_title": "coordenadora"} == facts_of("vc tá me chamando de gerente mas eu sou coordenadora")
    assert {"user.name": "Joana"} == facts_of("Meu nome não é João, é Joana")
    assert "Zoho" in str(facts_of("you said our CRM is Salesforce, it's actually Zoho"))
    assert "wholesale" in str(facts_of("you keep saying we're in retail, we're wholesale"))


def test_a_wish_that_points_back_keeps_what_was_said() -> None:
    """ "Keep that in mind for the orders" keeps "that", not the orders."""
    assert ["I drink decaf only"] == list(
        facts_of("I drink decaf only, so keep that in mind for the orders").values()
    )


@looped(
    "text",
    (
        "chegou agora: 'Bom dia, meu nome é Fátima, moro em Gravatá e o boleto veio errado de novo' o que digo?",
        "a guest wrote 'hello, i'm Paula Reyes from Tampa and i can't find the parking' what do i answer?",
    ),
)
def test_a_text_that_is_only_shown_says_nothing_of_the_person(text: str) -> None:
    """Somebody else's message in single quotes, apostrophes and all, is not about the person."""
    assert {} == facts_of(text)


@pytest.mark.parametrize("text", ["Your notes on Tom are wrong", "é 42", "isso aí tá errado"])
def test_what_says_nothing_is_no_statement(text: str) -> None:
    """A bare figure, or that something is wrong, tells nothing to keep."""
    assert {None} >= {fact.value for fact in evaluate(text).facts}


def test_a_pasted_document_states_nothing_of_the_person() -> None:
    """Nothing of a long document is kept, unless the person asks for something at its end."""
    document = "A nova unidade de Sorocaba abre em março e terá 40 vagas de estacionamento. " * 200

    assert "reject" == evaluate(document).label
    assert "save" == evaluate(f"{document}\nSalva que prefiro relatórios em PDF").label


@pytest.mark.parametrize(
    "text",
    [
        "Pedido 4471 - Cliente: Marta Souza\n3 m linho cru  R$ 45,00\n2 m algodão   R$ 20,00\nTotal: R$ 175,00\n"
        "Entrega: Rua das Flores 120, Recife",
        "Order #88213\nShip to: P. Hargreaves, 14 Mill Lane, York\n2 x compression socks  £18.00\nTotal £48.50",
    ],
)
def test_a_pasted_order_states_nothing_of_the_person(text: str) -> None:
    """Its lines are about the order, unless the person asks to keep it."""
    assert "reject" == evaluate(text).label


def test_a_price_list_of_the_person_is_no_order() -> None:
    """Amounts without the number of a document are the person's own."""
    assert "save" == evaluate("Nossos preços:\nbolo de rolo R$ 45,00\ncafé coado R$ 6,00").label


@pytest.mark.parametrize("text", ["I run 10k every Saturday with Owen", "I run every Saturday with Owen"])
def test_a_companion_is_no_company(text: str) -> None:
    """A person named as company ("with Owen") is not the employer."""
    assert "tenant.name" not in facts_of(text)
