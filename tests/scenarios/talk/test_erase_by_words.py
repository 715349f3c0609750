"""Erasing for good by words: asked first, done by the real verb after a plain yes, and proved by a receipt."""

from __future__ import annotations

import pytest
from tests.clock import SetClock
from tests.scenarios.knowing import known

from rememora import Conversation, Rememora, UserMemory
from rememora.errors import NotFound

PERSON = [
    ("Apaga tudo sobre mim definitivamente", "sim"),
    ("delete everything about me permanently", "yes"),
    ("Apague tudo que sabe de mim de forma definitiva", "sim"),
    ("please hard delete everything about me", "yes"),
    ("Com base na LGPD, apague todos os meus dados", "confirmo"),
    ("Quero que você esqueça tudo sobre mim para sempre.", "Sim, pode apagar."),
]


async def kinds(user: UserMemory, said: str) -> list[str]:
    """The deeds of one message."""
    return [deed.kind for deed in (await user.conversation("c1").reply(said)).deeds]


@pytest.mark.parametrize(("wish", "yes"), PERSON)
async def test_the_whole_person_is_erased_after_a_yes(
    rememora: Rememora, ana: UserMemory, wish: str, yes: str
) -> None:
    """A final wish is one question that says how much will go; the yes erases history too, and gives a receipt."""
    chat = ana.conversation("c1")
    await chat.reply("Meu nome é Rosamunda.")
    memory = await ana.memories.get("user.name")
    question = await chat.reply(wish)

    assert ["asked"] == [deed.kind for deed in question.deeds]
    assert "1 memor" in question.text.replace("ó", "o")
    assert {"user.name": "Rosamunda"} == await known(ana)

    done = await chat.reply(yes)
    receipt = done.deeds[0].receipts[0]
    report = await rememora.tenant("acme", acting="auditor").audit.verify_receipt(receipt)

    assert ("erased", "person") == (done.deeds[0].kind, receipt.kind)
    assert receipt.id in done.text
    assert "--verify" in done.text
    assert (True, True) == (report.genuine, report.clean)
    assert () == (await ana.memories.list(status=None)).items
    assert () == (await ana.conversations.list()).items
    assert "Rosamunda" not in str(await ana.archive.export())
    with pytest.raises(NotFound):
        await ana.memories.restore(memory.id)


@pytest.mark.parametrize("wish", ["Apague definitivamente o meu nome", "Delete my name permanently"])
async def test_one_memory_is_erased_and_the_others_stay(ana: UserMemory, wish: str) -> None:
    """With one thing named only that is asked about, and only that goes, with nothing to restore."""
    await ana.remember("user.name", "Rosamunda")
    await ana.remember("user.location", "Recife")
    memory = await ana.memories.get("user.name")
    question = await ana.conversation("c1").reply(wish)
    done = await ana.conversation("c1").reply("sim")

    assert "Rosamunda" in question.text
    assert ["memory"] == [receipt.kind for receipt in done.deeds[0].receipts]
    assert {"user.location": "Recife"} == await known(ana)
    with pytest.raises(NotFound):
        await ana.memories.restore(memory.id)


async def test_what_was_just_told_is_erased_by_pointing(ana: UserMemory) -> None:
    """ "Esquece isso para sempre" is a final wish about what the last answer was about."""
    await ana.remember("user.location", "Recife")
    await ana.conversation("c1").reply("Meu nome é Rosamunda.")

    assert ["asked"] == await kinds(ana, "Esquece isso para sempre")
    assert ["erased"] == await kinds(ana, "sim")
    assert {"user.location": "Recife"} == await known(ana)


async def test_of_several_one_is_chosen(ana: UserMemory) -> None:
    """Where the words fit several memories the choice is shown, and only what is picked goes."""
    await ana.remember("people.tom.role", "contador da loja")
    await ana.remember("people.tom.phone", "ramal quarenta e dois")
    question = await ana.conversation("c1").reply("Esqueça o Tom definitivamente")

    assert ["asked"] == [deed.kind for deed in question.deeds]
    assert "1. " in question.text

    number = next(line[0] for line in question.text.splitlines() if "ramal" in line)

    assert ["erased"] == await kinds(ana, number)
    assert {"people.tom.role": "contador da loja"} == await known(ana)


@pytest.mark.parametrize(
    ("answer", "deed"),
    [
        ("não", "erase_refused"),
        ("no, thanks", "erase_refused"),
        ("ok", "erase_cancelled"),
        ("obrigada", "erase_cancelled"),
        ("Onde eu moro?", "erase_cancelled"),
        ("sim, mas antes me diz onde eu moro", "erase_cancelled"),
    ],
)
async def test_anything_but_a_plain_yes_cancels(ana: UserMemory, answer: str, deed: str) -> None:
    """Politeness, a question or a yes with conditions erases nothing, says so, and ends the question."""
    await ana.remember("user.location", "Recife")
    await kinds(ana, "Apaga tudo sobre mim definitivamente")
    reply = await ana.conversation("c1").reply(answer)

    assert deed == reply.deeds[0].kind
    assert [] == [receipt for item in reply.deeds for receipt in item.receipts]
    assert "erased" not in await kinds(ana, "sim")
    assert {"user.location": "Recife"} == await known(ana)


async def test_a_question_in_place_of_a_yes_is_still_answered(ana: UserMemory) -> None:
    """The cancelled erasure is told, and the question gets its answer."""
    await ana.remember("user.location", "Recife")
    await kinds(ana, "Apaga tudo sobre mim definitivamente")

    assert "Recife" in (await ana.conversation("c1").reply("Onde eu moro?")).text


async def test_a_late_yes_erases_nothing(clock: SetClock, ana: UserMemory) -> None:
    """Eleven minutes later nobody remembers what the yes was for."""
    await ana.remember("user.location", "Recife")
    await kinds(ana, "Apaga tudo sobre mim definitivamente")
    clock.advance(11 * 60)

    assert "erased" not in await kinds(ana, "sim")
    assert {"user.location": "Recife"} == await known(ana)


async def test_a_yes_elsewhere_erases_nothing(ana: UserMemory) -> None:
    """Only the conversation that asked can be answered; nor does the list of questions take a yes."""
    await ana.remember("user.location", "Recife")
    await kinds(ana, "Apaga tudo sobre mim definitivamente")
    other = await ana.conversation("c2").reply("sim")
    waiting = [proposal for proposal in await ana.proposals.list() if proposal.kind == "erase"]
    answered = await ana.proposals.answer(waiting[0].id, "sim")

    assert [] == [deed for deed in other.deeds if deed.kind == "erased"]
    assert [waiting[0].id] == [proposal.id for proposal in answered.proposals]
    assert {"user.location": "Recife"} == await known(ana)
    assert ["erased"] == await kinds(ana, "sim")


async def test_a_retried_yes_erases_once(ana: UserMemory, chat: Conversation) -> None:
    """The same turn sent again under its key does not fail, and erases nothing that came after."""
    await ana.remember("user.name", "Rosamunda")
    await kinds(ana, "Apague definitivamente o meu nome")
    first = await chat.reply("sim", key="k1")
    await ana.remember("user.name", "Ana")
    again = await chat.reply("sim", key="k1")

    assert ["erased"] == [deed.kind for deed in first.deeds]
    assert again.replayed
    assert {"user.name": "Ana"} == await known(ana)


async def test_forgetting_everything_says_that_it_can_be_restored(ana: UserMemory) -> None:
    """Without a word of finality it is a soft delete, and the person learns how to erase instead."""
    await ana.remember("user.location", "Recife")
    reply = await ana.conversation("c1").reply("Apaga tudo sobre mim")

    assert ["forgotten"] == [deed.kind for deed in reply.deeds]
    assert "definitivamente" in reply.text
    assert "active" == (await ana.memories.restore("user.location")).status


@pytest.mark.parametrize(
    "said",
    [
        "Gosto de café de vez em quando",
        "I will love this town forever",
        "Minha empresa mudou definitivamente para Olinda",
        "Como apago meu nome definitivamente?",
    ],
)
async def test_words_of_finality_alone_ask_nothing(ana: UserMemory, said: str) -> None:
    """A statement or a question with "for good" in it is no wish to erase."""
    await ana.remember("user.name", "Rosamunda")
    reply = await ana.conversation("c1").reply(said)

    assert [] == [deed for deed in reply.deeds if "apagar definitivamente" in deed.text or "erase" in deed.text]
