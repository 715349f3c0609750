"""Warm talk between friends asks nothing of memory: it neither forgets nor takes anything off a list."""

from __future__ import annotations

import pytest
from tests.scenarios.knowing import known

from rememora import UserMemory

TOLD = [
    "My sister Joan lives in Leeds.",
    "I run every Sunday with the Harriers.",
    "Pra festa da Bia falta comprar: balões, bolo de cenoura e guaraná",
]
WARM = [
    "Bye Joan, drive safe and give the little ones a hug from me!",
    "You've come so far since January, I'm honestly proud of you. Keep going!",
    "What a lovely evening that was. Moments like these are what life's about.",
    "Good on you for sticking with it! Take it easy this weekend.",
    "Your garden looks gorgeous, you have such an eye for colour.",
    "Se cuida, viu? Qualquer coisa me liga, tô aqui.",
    "Que foto mais linda, essa viagem não sai da minha cabeça!",
    "Parabéns, amiga! Você merece tudo de bom, aproveita cada momento.",
]


@pytest.mark.parametrize("text", WARM)
async def test_small_talk_leaves_memory_alone(ana: UserMemory, text: str) -> None:
    """No memory changes, and no question about forgetting is asked."""
    chat = ana.conversation("c1")
    for statement in TOLD:
        await chat.reply(statement)
    before = await known(ana)
    deeds = (await chat.reply(text)).deeds

    assert before == {key: value for key, value in (await known(ana)).items() if key in before}
    assert not {deed.kind for deed in deeds} & {"forgotten", "taken_off", "ended", "corrected", "silenced", "held"}


@pytest.mark.parametrize(
    "text",
    ["Hey, what's up? Been a busy week since we talked.", "Não falo com ela faz dois anos", "3 years already!"],
)
async def test_another_subject_chooses_nothing(ana: UserMemory, text: str) -> None:
    """A question about what to forget stays open; a number inside a sentence is no choice."""
    chat = ana.conversation("c1")
    await ana.remember("people.lia.phone", "81 98888-7777")
    await ana.remember("people.rute.phone", "81 97777-6666, busy on weekdays")
    question = (await chat.reply("esquece o telefone")).deeds
    before = await known(ana)
    deeds = (await chat.reply(text)).deeds

    assert ["asked"] == [deed.kind for deed in question]
    assert "forgotten" not in {deed.kind for deed in deeds}
    assert before == {key: value for key, value in (await known(ana)).items() if key in before}


async def test_a_choice_is_still_a_choice(ana: UserMemory) -> None:
    """By its number, or by a word of it."""
    chat = ana.conversation("c1")
    await ana.remember("people.lia.phone", "81 98888-7777")
    await ana.remember("people.rute.phone", "81 97777-6666")
    await chat.reply("esquece o telefone")
    deeds = (await chat.reply("o da Rute")).deeds

    assert ["forgotten"] == [deed.kind for deed in deeds]
    assert {"people.lia.phone": "81 98888-7777"} == await known(ana)
