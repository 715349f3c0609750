""" "Não, a outra": the wrong one of several is restored, and the other one is taken."""

from __future__ import annotations

import pytest
from tests.scenarios.knowing import known

from rememora import UserMemory

BIA, CARLA, DORA = "people.bia.birthday", "people.carla.birthday", "people.dora.birthday"
# A request that names one of two birthdays, the answer to a question that names none, and what takes it back.
WORDS = {
    "pt": ("esquece o aniversário da Bia", "o da Bia", "não, a outra"),
    "en": ("forget Bia's birthday", "the one of Bia", "no, the other one"),
    "es": ("olvida el cumpleaños de Bia", "el de Bia", "no, la otra"),
}
FORMS = (
    ("pt", "a outra"), ("pt", "Não, era a outra!"), ("pt", "essa não, a outra"), ("pt", "opa, o outro"),
    ("en", "the other one"), ("en", "No, I meant the other."), ("en", "not that one, the other one please"),
    ("es", "la otra"), ("es", "no, era el otro"), ("es", "esa no, la otra por favor"),
)  # fmt: skip


async def two_birthdays(ana: UserMemory) -> None:
    """Two memories that one request could mean."""
    await ana.remember(BIA, "03-12")
    await ana.remember(CARLA, "05-03")


@pytest.mark.parametrize("language", WORDS)
async def test_the_other_one_is_forgotten(ana: UserMemory, language: str) -> None:
    """The memory that was forgotten without a question is restored, and the other one is forgotten."""
    await two_birthdays(ana)
    named, _, other = WORDS[language]
    talk = ana.conversation("c1")
    assert ["forgotten"] == [deed.kind for deed in (await talk.reply(named)).deeds]
    reply = await talk.reply(other)

    assert ["undone", "forgotten"] == [deed.kind for deed in reply.deeds]
    assert {BIA} == set(await known(ana))


@pytest.mark.parametrize("language", WORDS)
async def test_the_other_one_of_a_question_is_forgotten(ana: UserMemory, language: str) -> None:
    """The candidates of the question that was answered wrongly are the ones that count."""
    await two_birthdays(ana)
    await ana.remember("people.bia.city", "Natal")
    assert (await ana.forget("birthday")).proposals
    _, choice, other = WORDS[language]
    talk = ana.conversation("c1")
    assert ["forgotten"] == [deed.kind for deed in (await talk.reply(choice)).deeds]
    reply = await talk.reply(other)

    assert ["undone", "forgotten"] == [deed.kind for deed in reply.deeds]
    assert {BIA, "people.bia.city"} == set(await known(ana))


@pytest.mark.parametrize("language", WORDS)
async def test_several_others_are_asked_about(ana: UserMemory, language: str) -> None:
    """With two left it is not clear which is the other: the wrong one returns, and a question follows."""
    await two_birthdays(ana)
    await ana.remember(DORA, "08-21")
    named, _, other = WORDS[language]
    talk = ana.conversation("c1")
    await talk.reply(named)
    reply = await talk.reply(other)

    assert ["undone", "asked"] == [deed.kind for deed in reply.deeds]
    assert {BIA, CARLA, DORA} == set(await known(ana))


@pytest.mark.parametrize("language", WORDS)
async def test_nothing_to_refer_to_changes_nothing(ana: UserMemory, language: str) -> None:
    """Without an action before it, after a save, or with no other memory, "the other one" does nothing."""
    named, _, other = WORDS[language]
    talk = ana.conversation("c1")
    assert not (await talk.reply(other)).deeds
    await ana.remember(BIA, "03-12")
    assert not (await talk.reply(other)).deeds
    await talk.reply(named)
    reply = await talk.reply(other)

    assert not reply.deeds
    assert {} == await known(ana)


@pytest.mark.parametrize(("language", "said"), FORMS)
async def test_it_is_said_in_many_ways(ana: UserMemory, language: str, said: str) -> None:
    """With or without a no before it, and with courtesies."""
    await two_birthdays(ana)
    talk = ana.conversation("c1")
    await talk.reply(WORDS[language][0])

    assert ["undone", "forgotten"] == [deed.kind for deed in (await talk.reply(said)).deeds]


async def test_the_other_one_is_corrected(ana: UserMemory) -> None:
    """A correction that met the wrong memory moves to the other one."""
    await two_birthdays(ana)
    talk = ana.conversation("c1")
    await talk.reply("está errado, o aniversário da Bia é 10/04")
    reply = await talk.reply("não, a outra")

    assert ["undone", "corrected"] == [deed.kind for deed in reply.deeds]
    assert {BIA: "03-12", CARLA: "10/04"} == await known(ana)


async def test_an_open_question_stands(ana: UserMemory) -> None:
    """Which of those that were offered is "the other" is not said: nothing is done, and it is put again."""
    await two_birthdays(ana)
    talk = ana.conversation("c1")
    query = await talk.reply("esquece o aniversário")
    reply = await talk.reply("a outra")

    assert ["asked"] == [deed.kind for deed in query.deeds] == [deed.kind for deed in reply.deeds]
    assert {BIA, CARLA} == set(await known(ana))
