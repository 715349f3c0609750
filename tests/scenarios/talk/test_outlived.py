"""A life goes on: what changed replaces what was, what ended is gone, and what is unrelated stays."""

from __future__ import annotations

import pytest
from tests.scenarios.knowing import known

from rememora import ADMIN, Conversation, Rememora, UserMemory

CHANGES = [
    ("Sou vegetariano", "Não sou mais vegetariano, voltei a comer carne", "vegetariano", ""),
    ("I'm vegan", "I'm not vegan anymore", "vegan", ""),
    ("I work at Acme", "I now work at Globex", "Acme", "Globex"),
    ("Trabalho na Claro", "Saí da Claro", "Claro", ""),
    ("I work at Acme", "I left Acme", "Acme", ""),
    ("Trabalho na Claro", "Mudei de emprego, agora estou no Itaú", "Claro", "Itaú"),
    ("Meu chefe é o Carlos", "meu chefe agora é a Rita", "Carlos", "Rita"),
    ("My boss is Tom", "My boss is Susan now", "Tom", "Susan"),
    ("Moro em Recife", "Acabei de me mudar para Curitiba", "Recife", "Curitiba"),
    ("I live in Boston", "I just moved to Seattle", "Boston", "Seattle"),
    ("Moro em Recife", "Não moro mais em Recife", "Recife", ""),
    ("Gosto de café", "Não gosto mais de café", "café", "Não gosto mais de café"),
    ("I hate olives", "I love olives", "olives", "love olives"),
]
"""Said one after the other in a conversation: what is then no longer known, and what is."""
UNRELATED = [
    ("Trabalho na Vivo", "Saí da Claro"),
    ("Meu filho é o Davi", "Minha filha é a Lia"),
    ("Odeio jiló", "Odeio coentro"),
    ("Meu fornecedor de farinha é o Davi", "Meu chefe é o Rui"),
    ("Meu telefone é 11 98888-7777", "Meu email é ana@exemplo.com"),
    ("Tenho um cachorro chamado Rex", "Minha irmã mora em Natal"),
]
REPLACED = 0.85
"""Share of the changes that must come out whole; twelve of thirteen did."""


async def test_what_changed_takes_the_place_of_what_was(rememora: Rememora) -> None:
    """Measured over all of them, each told to somebody of whom nothing else is known."""
    right = []
    for number, (first, then, gone, stays) in enumerate(CHANGES):
        user = rememora.user(f"u{number}", tenant="acme")
        for text in (first, then):
            await user.conversation("c1").reply(text)
        values = [str(value) for value in (await known(user)).values()]
        over = first not in values and gone not in values
        right.append(over and (not stays or any(stays in value for value in values)))

    assert sum(right) / len(right) >= REPLACED


@pytest.mark.parametrize("said", UNRELATED)
async def test_what_stands_beside_it_stays(ana: UserMemory, said: tuple[str, str]) -> None:
    """Whatever the second is taken for, the first is known as before."""
    await ana.conversation("c1").reply(said[0])
    before = await known(ana)
    await ana.conversation("c1").reply(said[1])
    after = await known(ana)

    assert before
    assert before.items() <= after.items()


async def test_somebody_who_moves_keeps_their_name(ana: UserMemory) -> None:
    """A fact with a key of its own ends no fact with another key, whatever the words are nearest to."""
    for text in (
        "Oi! Meu nome é Marina Alves e moro em Recife.",
        "Eu não gosto de reunião antes das 9h.",
        "Guarda que o Tadeu é o nosso padeiro.",
        "Vou a pé pra academia porque é na esquina de casa.",
        "Mudei, agora moro em Olinda.",
    ):
        await ana.conversation("c1").reply(text)
    values = await known(ana)

    assert ("Marina Alves", "Olinda") == (values["user.name"], values["user.location"])


async def test_what_is_unrelated_is_no_correction(ana: UserMemory) -> None:
    """Four things, four memories: nothing is called a correction."""
    said = (
        "Meu telefone é 11 98888-7777",
        "Meu email é ana@exemplo.com",
        "Tenho um cachorro chamado Rex",
        "Uso o Notion para minhas anotações",
    )
    deeds = [(await ana.conversation("c1").reply(text)).deeds[0].kind for text in said]
    values = " ".join(str(value) for value in (await known(ana)).values())

    assert ["saved"] * 4 == deeds
    assert all(word in values for word in ("98888-7777", "ana@exemplo.com", "Rex", "Notion"))


async def test_the_person_is_told_that_it_no_longer_holds(ana: UserMemory, chat: Conversation) -> None:
    """By its name in plain words; and it can be taken back."""
    await chat.reply("Moro em Recife")
    deeds = (await chat.reply("Não moro mais em Recife")).deeds
    await chat.reply("desfaz isso")

    assert [("ended", "Isso não vale mais: onde você mora.")] == [(deed.kind, deed.text) for deed in deeds]
    assert {"user.location": "Recife"} == await known(ana)


async def test_a_message_does_not_replace_what_it_says_itself(ana: UserMemory) -> None:
    """A slot and the words beside it are both kept."""
    await ana.gate.note("Mudei de emprego, agora estou no Itaú")

    assert "Itaú" in (await known(ana)).values()


async def test_family_is_not_shared_with_the_tenant(rememora: Rememora, ana: UserMemory) -> None:
    """Not even by somebody who may share what is known of people, nor where it is said of the company."""
    boss = rememora.user("boss", tenant="acme", rights=ADMIN)
    await boss.gate.note("Remember that my mom's birthday is March 3")
    await boss.gate.note("Salva que minha esposa se chama Lúcia")
    await boss.gate.note("Salva que nossa empresa paga a escola dos meus filhos")
    await boss.gate.note("Salva que nosso contador é o Paulo")

    assert ["nosso contador é o Paulo"] == [*(await known(ana)).values()]
