"""Wishes and rules that share few words with what they mean, compared with the bundled encoder."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from rememora import Rememora, UserMemory
from rememora.adapters.offline import OfflineEmbedder
from rememora.language.amended import newest, parts_of


@pytest.fixture
async def person(tmp_path: Path) -> AsyncIterator[UserMemory]:
    """Somebody whose statements are compared by meaning."""
    async with Rememora.open(str(tmp_path / "store"), embedder=OfflineEmbedder(), background=False) as rememora:
        yield rememora.user("ana", tenant="acme")


async def known(person: UserMemory) -> list[str]:
    return [str(memory.value) for memory in (await person.memories.list()).items]


async def test_a_thing_is_taken_off_a_list_by_what_it_is(person: UserMemory) -> None:
    """No word of the description stands in the list; the siblings stay, and so does everything else."""
    chat = person.conversation("c1")
    await chat.reply(
        "Reading list for my long flight: The Salt Road, Quiet Engines, A Field Guide to Lichens, "
        "and The Mapmaker's Debt."
    )
    await chat.reply("My dentist is Dr. Paulo.")
    await person.conversation("c2").reply(
        "From the flight reading list, you can cross out the nature book. "
        "Started it in a waiting room and finished it, surprisingly gripping."
    )
    left = " | ".join(await known(person))

    assert "Lichens" not in left
    assert all(word in left for word in ("The Salt Road", "Quiet Engines", "The Mapmaker's Debt", "Paulo"))


async def test_a_change_of_one_word_leaves_whose_it_is(person: UserMemory) -> None:
    """What changed stands behind it: the wife stays a wife, the husband a husband."""
    chat = person.conversation("c1")
    await chat.reply("my wife Priya teaches at Lincoln High")
    await chat.reply("Priya switched schools, she's at Grant High now")

    [statement] = await known(person)
    first, [change] = parts_of(statement)
    assert "my wife Priya teaches at Lincoln High" == first
    assert "Priya switched schools, she's at Grant High now" == change.text


async def test_an_unclear_wish_asks_and_leaves_the_list(person: UserMemory) -> None:
    """Where no thing stands out, nothing of the list is lost."""
    chat = person.conversation("c1")
    listed = "Fechei as modelos pro meu catálogo: Jussara, Talita, Kethlyn e Nair"
    await chat.reply(listed)
    reply = await chat.reply("sobre as modelos do catálogo: apaga da sua memória a que mudou de ideia")

    assert [listed] == await known(person)
    assert ["asked"] == [action.kind for action in reply.deeds]


async def test_a_consequence_replaces_the_nearest_statement(person: UserMemory) -> None:
    """It is worded as a plain statement, and gives no sign of a change."""
    for number, text in enumerate(
        (
            "quem libera pagamento acima de 5 mil é a Sandra Quevedo",
            "quando a fusão com a Integra for concluída, pagamento acima de 5 mil só com o comitê de Recife",
            "a fusão com a Integra foi concluída na sexta",
        )
    ):
        await person.conversation(f"c{number}").reply(text)
    result = await known(person)

    assert "pagamento acima de 5 mil só com o comitê de Recife" in [newest(text) for text in result]
    assert not any("Sandra" in newest(text) for text in result)


@pytest.mark.parametrize(
    ("said", "more"),
    [
        ("we stock Kona and Orbea", "we also stock Trek now"),
        ("a loja abre de terça a sábado, 9h às 18h", "a partir de agora a gente abre segunda também"),
    ],
)
async def test_what_is_added_ends_nothing(person: UserMemory, said: str, more: str) -> None:
    """ "Also" puts a statement beside the others."""
    chat = person.conversation("c1")
    for text in (said, more):
        await chat.reply(text)

    assert {said, more} <= set(await known(person))


async def test_a_question_takes_nothing_off_a_text_kept_word_for_word(person: UserMemory) -> None:
    """Its commas part no list, and a message that shares a word with it asks for no removal."""
    call = (
        "a chamada de rádio tem que ser dita sem tirar nem pôr: Rádio Farol da Cotinga, aqui escuna Maré Mansa,"
        " oito almas a bordo, rumo 140, velocidade 6 nós, retorno previsto 16h20, na escuta no canal 68"
    )
    chat = person.conversation("c1")
    await chat.reply(call)
    await chat.reply("me explica maré de lua direito? todo mundo aqui fala de ouvido e eu queria entender")

    assert "aqui escuna Maré Mansa, oito almas" in " ".join(await known(person))


async def test_a_named_attribute_is_no_slot_of_another(person: UserMemory) -> None:
    """The address is not the name: it is neither offered as a choice nor silenced meanwhile."""
    chat = person.conversation("c1")
    await chat.reply(
        "e aí! nome de palco Kaya Trópico, no rg é Karine. sou DJ em Salvador, toco afrohouse e brega funk"
    )
    await chat.reply("moro na rua das Pitangas 88, Rio Vermelho, se precisar pra hospedagem/uber")
    await chat.reply("esquece meu endereço tb, prefiro não deixar por aí")

    shown = {memory.key: memory.value for memory in (await person.memories.list()).items if not memory.suppressed}
    assert "Karine" == shown["user.name"]
    assert "Pitangas" not in str(shown)
