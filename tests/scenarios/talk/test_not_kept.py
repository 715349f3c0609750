"""Who asks that something is not kept is heeded, in the message itself and right after it."""

from __future__ import annotations

import pytest
from tests.scenarios.knowing import known

from rememora import Conversation, UserMemory
from rememora.gate import evaluate

DECLINED = [
    "não guarda isso",
    "Don't save this",
    "Não salve isso, mas moro em Natal",
    "Don't save this, but I live in Miami",
    "Moro em Natal, mas não guarda isso",
    "Don't save that I live in Miami",
    "Não grava isso, tá? Sou casado com a Ana",
    "My name is Bob, but please don't remember that",
    "off the record, I work at Acme",
]
NOT_SAID = ["pode lembrar do meu telefone de novo", "yes, save it anyway", "guarda mesmo assim"]


@pytest.mark.parametrize("text", DECLINED)
async def test_nothing_of_such_a_message_is_kept(ana: UserMemory, text: str) -> None:
    """Whatever else it says; and the person is told so."""
    deeds = (await ana.conversation("c1").reply(text)).deeds

    assert {} == await known(ana)
    assert ["refused_by_person"] == [deed.kind for deed in deeds]


@pytest.mark.parametrize("wish", ["não guarda isso", "don't save that", "Não, não salva isso por favor"])
async def test_right_after_a_statement_it_is_taken_back(ana: UserMemory, chat: Conversation, wish: str) -> None:
    """What the turn before kept goes; what stood before it returns."""
    await chat.reply("Moro em Recife")
    await chat.reply("Moro em Natal")
    deeds = (await chat.reply(wish)).deeds

    assert {"user.location": "Recife"} == await known(ana)
    assert ["undone"] == [deed.kind for deed in deeds]


async def test_what_was_forgotten_does_not_return_by_it(ana: UserMemory, chat: Conversation) -> None:
    """ "Não guarda isso" undoes no forgetting."""
    await chat.reply("Meu telefone é 11 98888-7777")
    await chat.reply("esquece meu telefone")
    await chat.reply("não guarda isso")

    assert {} == await known(ana)


@pytest.mark.parametrize("text", NOT_SAID)
def test_a_wish_that_names_nothing_is_no_rule(text: str) -> None:
    """ "Anyway" and "telefone de novo" are nothing to keep."""
    verdict = evaluate(text)

    assert verdict.label != "save"
    assert () == verdict.facts


async def test_what_may_be_known_again_is_not_forgotten_by_it(ana: UserMemory) -> None:
    """Said where nothing is hushed."""
    await ana.gate.note("Meu telefone é 11 98888-7777")
    await ana.gate.note("pode lembrar do meu telefone de novo")

    assert {"user.phone": "11 98888-7777"} == await known(ana)


async def test_what_was_hushed_may_be_known_again(ana: UserMemory, chat: Conversation) -> None:
    """ "Pode lembrar do meu telefone de novo" gives it back."""
    await chat.reply("Meu telefone é 11 98888-7777")
    await ana.memories.suppress("user.phone")
    hushed = await known(ana, suppressed=False)
    deeds = (await chat.reply("pode lembrar do meu telefone de novo")).deeds

    assert {} == hushed
    assert {"user.phone": "11 98888-7777"} == await known(ana, suppressed=False)
    assert ["restored"] == [deed.kind for deed in deeds]


async def test_a_refused_clause_takes_no_other_with_it(ana: UserMemory) -> None:
    """The harmless clause is kept; the refused one is hidden; the reply names both, with the reason."""
    reply = await ana.conversation("c1").reply("Moro em Olinda e minha filha tem asma")
    elsewhere = await ana.recall("o que minha filha tem?")
    query = await ana.conversation("c2").reply("Onde eu moro?")

    assert {"user.location": "Olinda"} == await known(ana)
    assert ["saved", "refused"] == [deed.kind for deed in reply.deeds]
    assert "asma" not in str(elsewhere)
    assert "Olinda" in query.text
