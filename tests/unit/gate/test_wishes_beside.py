"""What is asked for in so many words is kept, whatever else the message says."""

from __future__ import annotations

import pytest
from tests.looped import looped

from rememora.domain.verdict import Forget, Save
from rememora.gate import evaluate, load_policy

BESIDE = {
    "Meu nome é Carla e trabalho na Padaria Sol. salva que meu CAC é 42 reais": (
        "Carla",
        "Padaria Sol",
        "meu CAC é 42 reais",
    ),
    "My name is Tom. Please remember that our budget is 10k": ("Tom", "our budget is 10k"),
    "Trabalho na Acme. Anota que a reunião é toda segunda às 9h": ("Acme", "a reunião é toda segunda às 9h"),
    "Meu nome é Carla, salva isso": ("Carla",),
    "I live in Boston, remember that please": ("Boston",),
}


@pytest.mark.parametrize("text", BESIDE)
def test_nothing_that_was_asked_for_is_lost(text: str) -> None:
    """A fact said before a wish does not stand in for it, and the words of a wish are no fact."""
    verdict = evaluate(text, policy=load_policy())
    assert isinstance(verdict, Save)
    values = [fact.value for fact in verdict.facts if fact.key != "tenant.segment"]

    assert list(BESIDE[text]) == values


WHOLE = {
    "Salva que o pedido 29 é de farinha": "o pedido 29 é de farinha",
    "Salva que o pedido 30 é de açúcar": "o pedido 30 é de açúcar",
    "Remember that the server password is in the vault": "the server password is in the vault",
    "Lembra que minha reunião com a Carla é na quinta": "minha reunião com a Carla é na quinta",
    "Remember that my anniversary is June 3rd": "my anniversary is June 3rd",
    "Guarda que o portão abre às 7h": "o portão abre às 7h",
    "Salva que a loja abre às 9h": "a loja abre às 9h",
}


@looped("text", WHOLE)
def test_what_is_asked_for_is_kept_whole(text: str) -> None:
    """All of it, without the words of the wish."""
    assert [WHOLE[text]] == [fact.value for fact in evaluate(text).facts]


def test_two_wishes_never_share_a_key() -> None:
    """Each wish has a key of its own."""
    keys = [fact.key for text in WHOLE for fact in evaluate(text).facts]

    assert len(keys) == len(set(keys))


@pytest.mark.parametrize(
    ("text", "wish"),
    [
        ("a Priscila me deu calote, apaga ela daí", True),
        ("my ex has a new job, wipe her from there", True),
        ("a Priscila me deu calote, e agora apago as fotos dela", False),
        ("my ex has a new job, she cleans offices there", False),
    ],
)
def test_a_wish_to_forget_behind_a_statement_is_one(text: str, wish: bool) -> None:
    """The message as a whole leaves no doubt, though half of its words tell something."""
    assert isinstance(evaluate(text), Forget) is wish
