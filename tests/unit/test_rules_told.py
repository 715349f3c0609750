"""Rules told in advance: which sentences are one, and where the condition ends."""

from __future__ import annotations

import pytest
from tests.looped import looped

from rememora.reading.rules import rule_of, without_rules


@looped(
    ("sentence", "condition", "consequence"),
    [
        ("se passar de 15 alunos, a turma muda de sala", "passar de 15 alunos", "a turma muda de sala"),
        ("Quando a Bia voltar da licença ela assume o caixa", "a Bia voltar da licença", "ela assume o caixa"),
        ("combinado: assim que o alvará sair, abrimos até tarde", "o alvará sair", "abrimos até tarde"),
        ("a entrega fica grátis se o pedido passar de 100", "o pedido passar de 100", "a entrega fica grátis"),
        ("If my knee is sore by March I switch to swimming", "my knee is sore by March", "I switch to swimming"),
        ("While the lift is broken we deliver to the lobby", "the lift is broken", "we deliver to the lobby"),
    ],
)  # fmt: skip
def test_a_rule_is_taken_apart(sentence: str, condition: str, consequence: str) -> None:
    """With a comma and without, the condition first or last, after words that only lead to it."""
    rule = rule_of(sentence)

    assert rule is not None
    assert (condition, consequence) == (rule.condition, rule.consequence)


@pytest.mark.parametrize(
    "sentence",
    ["Moro em Recife", "My mother-in-law looks after the twins", "e se chover?", "O se do texto", "Se liga!"],
)
def test_other_sentences_are_none(sentence: str) -> None:
    """No condition, no consequence, or a question."""
    assert rule_of(sentence) is None


@pytest.mark.parametrize(
    "sentence",
    [
        "meu marido se chama Anderson e trabalha na Embraer",
        "a Bia se forma em dezembro",
        "o curso se paga em três meses",
        "a gente se vê na sexta à tarde",
    ],
)
def test_a_reflexive_verb_opens_no_condition(sentence: str) -> None:
    """ "Se" before its verb, where a condition has another form of it ("passar", "quiser") or another word."""
    assert rule_of(sentence) is None


@pytest.mark.parametrize(
    "sentence", ["levo o bolo se você quiser", "eu compro se custar menos de 100", "vou de carro se o Pedro for"]
)
def test_a_condition_at_the_end_is_one(sentence: str) -> None:
    assert rule_of(sentence) is not None


def test_a_text_without_its_rules() -> None:
    """What a rule names holds nowhere yet."""
    assert "Pago 40." == without_rules("Pago 40. Se passar de 15, cai pra 32 por pessoa.").strip()
