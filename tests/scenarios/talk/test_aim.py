"""What forgetting and correcting by words hit: what is surely meant, or one question with the choice shown."""

from __future__ import annotations

import pytest
from tests.clock import SetClock
from tests.scenarios.knowing import known

from rememora import Conversation, UserMemory
from rememora.language.amended import parts_of


@pytest.mark.parametrize(
    "said",
    [
        "Apague a vela antes de dormir, dizia minha avó.",
        "Tira a vela do bolo e me ajuda com a receita",
        "Apague a vela e feche a janela",
    ],
)
async def test_words_that_are_not_for_memory_delete_nothing(ana: UserMemory, said: str) -> None:
    """A verb of deleting beside a word that memory holds is at most a question."""
    await ana.remember("prefs.vela", "de cera de abelha")
    reply = await ana.conversation("c1").reply(said)

    assert {"prefs.vela": "de cera de abelha"} == await known(ana)
    assert {deed.kind for deed in reply.deeds} <= {"asked"}


async def test_in_doubt_the_choices_are_shown_and_one_is_taken(ana: UserMemory, chat: Conversation) -> None:
    """The question names what would be forgotten; a choice forgets it, softly."""
    await ana.remember("people.lia.phone", "81 98888-7777")
    await ana.remember("people.rute.phone", "81 97777-6666")
    reply = await chat.reply("esquece o telefone")
    done = await chat.reply("a segunda")

    assert ["98888-7777" in reply.text, "97777-6666" in reply.text] == [True, True]
    assert ["forgotten"] == [deed.kind for deed in done.deeds]
    assert 1 == len(await known(ana))
    gone = {"people.lia.phone", "people.rute.phone"} - set(await known(ana))
    assert "active" == (await ana.memories.restore(gone.pop())).status


async def test_words_that_another_memory_has_are_not_the_persons_own(ana: UserMemory, chat: Conversation) -> None:
    """ "The studio address" is not where the person lives."""
    for said in ("I live in Bristol.", "My studio is at 12 Spike Island.", "Delete the studio address please"):
        await chat.reply(said)

    assert ["user.location"] == [*await known(ana)]


@pytest.mark.parametrize(
    ("statement", "wish"),
    [
        ("Ana's bakery is on Elm Road.", "Delete my birthday, the bakery is busy"),
        ("My studio is at 12 Spike Island.", "Delete my birthday, the studio has it too"),
    ],
)
async def test_a_word_beside_the_matter_says_nothing_of_whose_it_is(
    ana: UserMemory, chat: Conversation, statement: str, wish: str
) -> None:
    """Another memory that has a word of the request by chance takes nothing off its key."""
    await ana.remember("user.birthday", "05-03")
    await chat.reply(statement)
    await chat.reply(wish)

    assert "user.birthday" not in await known(ana)
    assert 1 == len(await known(ana))


async def test_what_somebody_else_has_is_not_the_persons_own(ana: UserMemory) -> None:
    """ "O aniversário do Rafa" is Rafa's, although the person has a birthday too."""
    await ana.remember("user.birthday", "05-03")
    await ana.remember("people.rafa.birthday", "08-22")
    await ana.conversation("c1").reply("esquece o aniversário do Rafa")

    assert {"user.birthday": "05-03"} == await known(ana)


async def test_a_name_that_the_memory_does_not_hold_is_asked_about(ana: UserMemory) -> None:
    """ "O negócio do Jira" does not forget Notion without a question."""
    await ana.remember("tools.project_management", "Notion")
    reply = await ana.conversation("c1").reply("esquece o negócio do Jira")

    assert {"tools.project_management": "Notion"} == await known(ana)
    assert {deed.kind for deed in reply.deeds} <= {"asked", "nothing_to_forget"}


async def test_forget_that_means_what_was_told_last(clock: SetClock, ana: UserMemory, chat: Conversation) -> None:
    """An open question of some turns ago does not catch a "forget that" about something newer."""
    query = await chat.reply("Acho que talvez eu goste de azul")
    for said in ("Meu cachorro se chama Rex", "Qual é o nome do meu cachorro?"):
        clock.advance(5)
        await chat.reply(said)
    clock.advance(5)
    reply = await chat.reply("Esquece isso")

    assert ["asked"] == [deed.kind for deed in query.deeds]
    assert ["forgotten"] == [deed.kind for deed in reply.deeds]
    assert {} == await known(ana)


async def test_an_old_question_does_not_swallow_a_statement(clock: SetClock, ana: UserMemory) -> None:
    """What is said two turns later is no answer to "what is right?"."""
    chat = ana.conversation("c1")
    for said in ("Moro em Recife.", "isso está errado", "Bom dia!", "O céu de Olinda"):
        clock.advance(5)
        await chat.reply(said)

    assert {"user.location": "Recife"} == await known(ana)


@pytest.mark.parametrize(
    ("said", "wrong", "right", "after"),
    [
        ("my boss is Mary Jane Watson", "that's wrong", "it's Peter Parker", "my boss is Peter Parker"),
        ("O contador da loja é o Tom", "isso está errado", "é o Pedro", "O contador da loja é Pedro"),
        (
            "O contador da loja é o Tom",
            "isso está errado",
            "ele é o fornecedor de farinha",
            "Tom: o fornecedor de farinha",
        ),
    ],
)
async def test_a_corrected_person_is_the_right_one(
    ana: UserMemory, said: str, wrong: str, right: str, after: str
) -> None:
    """Another name takes the place of the name, another role stays with the person; the rest stays as said."""
    chat = ana.conversation("c1")
    for text in (said, wrong, right):
        await chat.reply(text)

    assert [after] == [*(await known(ana)).values()]


async def test_a_role_goes_to_another_person_in_one_message(ana: UserMemory, chat: Conversation) -> None:
    """ "Na verdade é Luiza" after a wife was noted; undone, the first is back."""
    await chat.reply("Minha esposa se chama Lúcia.")
    reply = await chat.reply("na verdade é Luiza")

    assert ["corrected"] == [deed.kind for deed in reply.deeds]
    assert ["Minha esposa se chama Luiza"] == [*(await known(ana)).values()]

    await chat.reply("desfaz isso")

    assert ["Minha esposa se chama Lúcia"] == [*(await known(ana)).values()]


async def test_a_long_story_is_no_value(ana: UserMemory, chat: Conversation) -> None:
    """A sentence that gives no value leaves the question open and the memory as it was."""
    await chat.reply("Moro em Recife.")
    await chat.reply("isso está errado")
    await chat.reply("pois então, deixa eu ver onde foi que anotei aquilo")

    assert {"user.location": "Recife"} == await known(ana)


@pytest.mark.parametrize("short", [True, False])
async def test_two_things_asked_are_both_answered(ana: UserMemory, short: bool) -> None:
    """ "Meu nome e o da minha empresa" gets both, also where short answers are preferred."""
    await ana.remember("user.name", "Rosamunda")
    await ana.remember("tenant.name", "Padaria Sol")
    await ana.remember("prefs.short_answers", short)
    text = (await ana.conversation("c1").reply("Qual é o meu nome e o da minha empresa?")).text

    assert "Rosamunda" in text
    assert "Padaria Sol" in text


@pytest.mark.parametrize("key", ["user.city", "user.location", "user.address"])
async def test_where_somebody_lives_is_found_under_each_key(ana: UserMemory, key: str) -> None:
    """ "Onde eu moro?" finds the town, and "onde moro" names it for forgetting."""
    await ana.remember(key, "Santos")

    assert "Santos" in (await ana.conversation("c1").reply("onde eu moro?")).text
    assert [key] == [memory.key for memory in (await ana.forget("onde moro")).memories]


async def test_what_is_right_of_somebody_else_contests_nothing_of_the_person(
    ana: UserMemory, chat: Conversation
) -> None:
    """Her age stands corrected behind its sentence, and nobody is asked for a birthday."""
    await chat.reply("temos dois filhos, o Kauã de 16 e a Lívia de 9")
    reply = await chat.reply("na verdade a Lívia tem 10, fez aniversário em fevereiro e eu nem atualizei aqui rs")

    assert ["corrected"] == [deed.kind for deed in reply.deeds]
    [(first, [change])] = [parts_of(text) for text in map(str, (await known(ana)).values()) if "Kauã" in text]
    assert "temos dois filhos, o Kauã de 16 e a Lívia de 9" == first
    assert "a Lívia tem 10" in change.text


async def test_what_is_wrong_of_the_person_is_asked_beside_what_is_right_of_another(
    ana: UserMemory, chat: Conversation
) -> None:
    """The birthday is named in a sentence of its own: nobody else is spoken of there."""
    await ana.remember("user.birthday", "05-03")
    await chat.reply("Meu aniversário está errado. E na verdade a Lívia tem 10, não 9.")

    assert "05-03" == (await known(ana))["user.birthday"]
    assert ["user.birthday"] == [question.key for question in await ana.proposals.list()]


async def test_a_firm_that_is_named_does_not_end_where_somebody_lives(ana: UserMemory, chat: Conversation) -> None:
    """A change that names nothing of the kind of a slot leaves it alone."""
    await chat.reply("Oi! Me chamo Ana e moro em Recife. Meu gato se chama Tico.")
    await chat.reply("acabei de fechar com a Localiza pra alugar o carro")

    assert "Recife" == (await known(ana))["user.location"]
