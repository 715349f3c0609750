"""A life goes on: what changed replaces what was, what ended is gone, and what is unrelated stays."""

from __future__ import annotations

import pytest
from tests.scenarios.knowing import known

from rememora import ADMIN, Rememora, UserMemory

CHANGES = {
    ("Sou vegetariano", "Não sou mais vegetariano, voltei a comer carne"): {},
    ("I'm vegan", "I'm not vegan anymore"): {},
    ("I work at Acme", "I now work at Globex"): {"tenant.name": "Globex"},
    ("Trabalho na Claro", "Saí da Claro"): {},
    ("Trabalho na Vivo", "Saí da Claro"): {"tenant.name": "Vivo"},
    ("I work at Acme", "I left Acme"): {},
    ("Trabalho na Claro", "Mudei de emprego, agora estou no Itaú"): {"tenant.name": "Itaú"},
    ("Meu chefe é o Carlos", "meu chefe agora é a Rita"): {"people.rita.role": "chefe"},
    ("My boss is Tom", "My boss is Susan now"): {"people.susan.role": "boss"},
    ("Meu filho é o Davi", "Minha filha é a Lia"): {"people.davi.role": "filho", "people.lia.role": "filha"},
    ("Moro em Recife", "Acabei de me mudar para Curitiba"): {"user.location": "Curitiba"},
    ("I live in Boston", "I just moved to Seattle"): {"user.location": "Seattle"},
    ("Moro em Recife", "Não moro mais em Recife"): {},
    ("Gosto de café", "Não gosto mais de café"): {"prefs.dislikes.cafe": "café"},
    ("I hate olives", "I love olives"): {"prefs.likes.olives": "olives"},
    ("Gosto de café", "Odeio coentro"): {"prefs.likes.cafe": "café", "prefs.dislikes.coentro": "coentro"},
}


@pytest.mark.parametrize("said", CHANGES)
async def test_what_changed_takes_the_place_of_what_was(ana: UserMemory, said: tuple[str, str]) -> None:
    """Said one after the other in a conversation."""
    for text in said:
        await ana.conversation("c1").reply(text)

    assert CHANGES[said] == await known(ana)


async def test_what_is_unrelated_stays(ana: UserMemory) -> None:
    """Four things, four memories: nothing is called a correction."""
    deeds = [
        (await ana.conversation("c1").reply(text)).deeds[0].kind
        for text in (
            "Meu telefone é 11 98888-7777",
            "Meu email é ana@exemplo.com",
            "Tenho um cachorro chamado Rex",
            "Minha cor favorita é azul",
        )
    ]

    assert ["saved"] * 4 == deeds
    assert {
        "user.phone": "11 98888-7777",
        "user.email": "ana@exemplo.com",
        "user.pets.rex": "cachorro",
        "prefs.favorite_color": "azul",
    } == await known(ana)


async def test_the_person_is_told_that_it_no_longer_holds(ana: UserMemory) -> None:
    """By its name in plain words; and it can be taken back."""
    chat = ana.conversation("c1")
    await chat.reply("Trabalho na Claro")
    told = (await chat.reply("Saí da Claro")).deeds
    await chat.reply("desfaz isso")

    assert [("ended", "Isso não vale mais: sua empresa.")] == [(deed.kind, deed.text) for deed in told]
    assert {"tenant.name": "Claro"} == await known(ana)


async def test_family_is_not_shared_with_the_tenant(rememora: Rememora, ana: UserMemory) -> None:
    """Not even by somebody who may share what is known of people."""
    boss = rememora.user("boss", tenant="acme", rights=ADMIN)
    await boss.note("Remember that my mom's birthday is March 3")
    await boss.note("Salva que minha esposa se chama Lúcia")
    await boss.note("Salva que nosso contador é o Paulo")

    assert {"people.paulo.role": "contador"} == await known(ana)
