"""A value that is corrected or forgotten in chat is one of several in a sentence: the others stay."""

from __future__ import annotations

import pytest

from rememora import Conversation, UserMemory
from rememora.language.amended import parts_of


async def kept(ana: UserMemory) -> list[str]:
    """Return the active memories as texts."""
    return [str(memory.value) for memory in (await ana.memories.list()).items if memory.status == "active"]


async def test_a_corrected_number_leaves_the_name_and_the_address(ana: UserMemory, chat: Conversation) -> None:
    """The new value takes the place of the old one of its kind."""
    await chat.reply("O contato é a Sra. Madalena, telefone (47) 3355-0182, e-mail madalena@insetazero.example.")
    await chat.reply(
        "Retifico: o telefone da Madalena que passei estava com dígitos trocados; o correto é (47) 3355-0128. "
        "O e-mail permanece o mesmo."
    )
    [contact] = [text for text in await kept(ana) if "Madalena" in text]

    assert "O contato é a Sra. Madalena, telefone (47) 3355-0128, e-mail madalena@insetazero.example" == contact
    assert not [text for text in await kept(ana) if "3355-0182" in text]


async def test_a_denied_name_makes_way_for_the_right_one(ana: UserMemory, chat: Conversation) -> None:
    """With another value corrected in the same breath."""
    await chat.reply("the lab we use is Crownworks, our rep there is Todd, 555-0193")
    await chat.reply(
        "I told you the rep's name wrong, it's Tad not Todd. his number's different too now: 555-0239"
    )

    assert ["the lab we use is Crownworks, our rep there is Tad, 555-0239"] == await kept(ana)


@pytest.mark.parametrize(
    ("statement", "wish", "left"),
    [
        (
            "na Corvale quem me atende é o Humberto, cel 98811-3040, e na Rolomax a Soraia, 98822-7716",
            "esquece o celular do cara da Corvale, ele não quer mais que use esse",
            ["na Corvale quem me atende é o Humberto, e na Rolomax a Soraia, 98822-7716"],
        ),
        (
            "Our caterer is Salt & Sorrel (contact: Imogen Baird, imogen@sorrel.example, 0161 555 0147)",
            "Kindly delete the caterer's phone number. She has asked to be contacted by e-mail only.",
            ["Our caterer is Salt & Sorrel (contact: Imogen Baird, imogen@sorrel.example)"],
        ),
    ],
)
async def test_a_forgotten_number_leaves_the_rest(
    ana: UserMemory, chat: Conversation, statement: str, wish: str, left: list[str]
) -> None:
    """The number goes that stands beside the words of the wish."""
    await chat.reply(statement)
    done = await chat.reply(wish)

    assert ["taken_off"] == [deed.kind for deed in done.deeds][:1]
    assert left == [text for text in await kept(ana) if text in left or text == statement]


async def test_a_right_value_without_a_place_is_asked_for(ana: UserMemory, chat: Conversation) -> None:
    """In the place of the whole sentence it would lose what else was said."""
    statement = "our rep is called Todd, he comes on Tuesdays"
    await chat.reply(statement)
    done = await chat.reply("the rep's name is wrong, it's the tall one")

    assert "asked" in [deed.kind for deed in done.deeds]
    assert statement in await kept(ana)


BACKEND = "nosso backend é em Elixir, banco Postgres 14, deploy toda quarta às 16h"


async def test_a_message_may_change_a_sentence_twice(ana: UserMemory, chat: Conversation) -> None:
    """The reply tells the last state alone, and an undo takes both changes back."""
    await chat.reply(BACKEND)
    done = await chat.reply("migramos o banco pro Postgres 16 ontem. e o deploy agora é terça, hora mantém")
    [statement] = await kept(ana)
    first, changes = parts_of(statement)

    assert BACKEND == first
    assert ["Postgres 16", "terça"] == [
        said for said, change in zip(("Postgres 16", "terça"), changes, strict=True) if said in change.text
    ]
    assert "terça" in done.text
    await chat.reply("desfaz isso")
    assert [BACKEND] == await kept(ana)


@pytest.mark.parametrize(
    ("statement", "turns"),
    [
        (
            "na Corvale quem me atende é o Humberto, cel 98811-3040, e na Rolomax a Soraia, 98822-7716",
            ["esquece o celular do cara da Corvale"],
        ),
        ("meus fornecedores: camarão do Elielson, jambu da Nazaré e tucupi do Tonho", ["tira o tucupi da lista"]),
        (
            "meus fornecedores: camarão do Elielson, jambu da Nazaré e tucupi do Tonho",
            ["tira um dos fornecedores da lista", "1 e 3"],
        ),
    ],
)
async def test_an_undo_brings_the_whole_sentence_back(
    ana: UserMemory, chat: Conversation, statement: str, turns: list[str]
) -> None:
    """The rest of the sentence makes way for all of it."""
    await chat.reply(statement)
    for turn in turns:
        await chat.reply(turn)
    assert [statement] != await kept(ana)
    await chat.reply("desfaz isso")

    assert [statement] == await kept(ana)


@pytest.mark.parametrize(
    ("statement", "wish"),
    [
        ("minha contadora é a Marta, fone 3642-0917", "esquece tudo sobre a Marta, inclusive o telefone"),
        ("my accountant is Marta, phone 555-123-4567", "forget Marta, I lost her number anyway"),
    ],
)
async def test_a_wish_for_all_of_somebody_takes_more_than_the_number(
    ana: UserMemory, chat: Conversation, statement: str, wish: str
) -> None:
    """A number that is only mentioned does not narrow the wish."""
    await chat.reply(statement)
    await chat.reply(wish)

    assert not [text for text in await kept(ana) if "Marta" in text]


async def test_what_repeats_a_part_does_not_end_the_rest(ana: UserMemory, chat: Conversation) -> None:
    """The sentence that the same message changed is not replaced by a clause of it."""
    await chat.reply("fornecedor do cimento é o Rubens da Cimentos Paiaguás, entrega quarta")
    await chat.reply("o Rubens saiu, agora falo com a Neide la. entrega continua quarta")

    assert [text for text in await kept(ana) if "cimento" in text and "Neide" in text]


async def test_last_week_is_no_choice_of_the_last(ana: UserMemory, chat: Conversation) -> None:
    """The words beside it choose."""
    for name, phone in {"lia": "81 98888-7777", "rute": "81 97777-6666"}.items():
        await ana.remember(f"people.{name}.phone", phone)
    await chat.reply("esquece o telefone")
    await chat.reply("o da Lia, que mudou na última semana")

    left = [memory.key for memory in (await ana.memories.list()).items if memory.status == "active"]
    assert ["people.rute.phone"] == left


async def test_a_forgotten_number_takes_the_one_that_replaced_it(ana: UserMemory, chat: Conversation) -> None:
    """A change that is nothing but another number of the same person goes with it."""
    await chat.reply("O telefone da Marta é 97777-2222, ela mora em Olinda.")
    await chat.reply("O telefone da Marta mudou, agora é 98888-1111.")
    await chat.reply("apaga o telefone da Marta")

    assert not [text for text in await kept(ana) if "97777" in text or "98888" in text]


async def test_restoring_what_was_said_first_leaves_no_later_version(ana: UserMemory, chat: Conversation) -> None:
    """However many changes were put behind it."""
    await chat.reply("a barba é 30, corte 40")
    first = next(memory for memory in (await ana.memories.list()).items if "barba" in str(memory.value))
    await chat.reply("a barba foi pra 35")
    await chat.reply("o corte foi pra 45")
    await ana.memories.restore(first.id)

    assert ["a barba é 30, corte 40"] == [text for text in await kept(ana) if "barba" in text or "corte" in text]


async def test_a_slot_puts_nothing_behind_a_statement(ana: UserMemory, chat: Conversation) -> None:
    """The rest of the sentence that fills it was never judged as a value."""
    await chat.reply("atendo perto de casa, em Olinda")
    await chat.reply("Me chamo Ana Prado e minha senha do banco é Mel2019.")

    assert not [text for text in await kept(ana) if "Mel2019" in text]


async def test_erasing_what_was_said_first_erases_what_was_amended_from_it(
    ana: UserMemory, chat: Conversation
) -> None:
    """A later version begins with the same words."""
    await chat.reply("a barba é 30, corte 40")
    first = next(memory for memory in (await ana.memories.list()).items if "barba" in str(memory.value))
    await chat.reply("a barba foi pra 35")
    await ana.erase(memory=first.id)

    assert not [text for text in await kept(ana) if "barba" in text]
    assert "a barba é 30, corte 40 →" not in str(await ana.archive.export())
