"""Forgetting what was only said: the turn and the request are hidden with it, and come back with it."""

from __future__ import annotations

import pytest

from rememora import UserMemory

SAID = [
    (
        "ontem na festa eu tropecei no palco e derrubei o bolo da Nair na frente de todo mundo, que vergonha",
        "sabe aquele vexame do bolo? apaga isso",
        "o que aconteceu na festa da Nair?",
        "bolo",
    ),
    (
        "I tripped over the mayor's dog at the parade this morning, so embarrassing",
        "please forget what I said about the parade",
        "what happened at the parade?",
        "mayor",
    ),
]


@pytest.mark.parametrize(("said", "wish", "question", "word"), SAID)
async def test_a_turn_that_was_never_kept_is_forgotten(
    ana: UserMemory, said: str, wish: str, question: str, word: str
) -> None:
    """Neither it nor the request is told again, anywhere; another turn of that conversation still is."""
    await ana.conversation("c1").reply(said)
    await ana.conversation("c1").reply("preciso comprar café pro escritório")
    done = await ana.conversation("c2").reply(wish)
    answer = await ana.conversation("c3").reply(question)
    pack = await ana.conversation("c3").context(question)
    hits = await ana.recall(word, limit=20)

    assert ["forgotten"] == [deed.kind for deed in done.deeds]
    assert [] == [text for text in (done.text, answer.text, *(item.text for item in pack.items)) if word in text]
    assert [] == [hit.content for hit in hits if word in hit.content]
    assert ["preciso comprar café pro escritório"] == [hit.content for hit in await ana.recall("café")]


async def test_a_forgotten_turn_comes_back_when_it_is_undone(ana: UserMemory) -> None:
    """It is a memory that was forgotten, with its audit entry, and undone like any other."""
    said, wish, _, word = SAID[0]
    await ana.conversation("c1").reply(said)
    await ana.conversation("c2").reply(wish)
    hidden = await ana.recall(word)
    undone = await ana.conversation("c2").reply("desfaz")

    assert [] == [hit.content for hit in hidden if word in hit.content]
    assert ["undone"] == [deed.kind for deed in undone.deeds]
    assert said in [hit.content for hit in await ana.recall(word)]


async def test_a_request_is_hidden_with_what_it_forgets(ana: UserMemory) -> None:
    """It says the thing again; restored, both may be told."""
    await ana.conversation("c1").reply("anota a lista dos discursos: Osmar, Clarice, padre Antônio")
    await ana.conversation("c2").reply("tira o Osmar dos discursos, ele não vem")
    of_whom = await ana.recall("discursos do Osmar", limit=20)
    listed = await ana.recall("lista dos discursos", limit=20)

    assert [] == [hit.content for hit in (*of_whom, *listed) if "Osmar" in hit.content]
    assert any("Clarice" in hit.content for hit in listed)


@pytest.mark.parametrize("wish", ["apaga a luz quando sair", "não consigo esquecer aquela música do bolo"])
async def test_words_that_ask_memory_for_nothing_hide_nothing(ana: UserMemory, wish: str) -> None:
    """An errand or a sigh is no request to forget."""
    said = SAID[0][0]
    await ana.conversation("c1").reply(said)
    await ana.conversation("c2").reply(wish)

    assert said in [hit.content for hit in await ana.recall("bolo da Nair")]


async def test_what_a_request_describes_is_forgotten(ana: UserMemory) -> None:
    """A description is enough, also of what was never saved; what stands beside it stays."""
    neighbour = ("my daughter Posy takes cello from Mr Abel", "her big brother Wes plays goalie for the Falcons")
    for text in (*neighbour, "Wes told me he cheated on his chem quiz and Im torn about it"):
        await ana.conversation("c1").reply(text)
    await ana.conversation("c2").reply(
        "the school thing my oldest confided in me, I'd like that gone from your notes"
    )
    hits = [hit.content for text in (*neighbour, "chem quiz") for hit in await ana.recall(text, limit=20)]

    assert not any("cheated" in hit for hit in hits)
    assert all(any(text in hit for hit in hits) for text in neighbour)


async def test_a_long_text_is_forgotten_by_its_name(ana: UserMemory) -> None:
    """Only a request without a word of it passes a long text over."""
    lease = (
        "o contrato do ateliê com a dona Zulmira vale até dezembro e só pode ser renovado se as duas partes "
        "avisarem por escrito com noventa dias de antecedência"
    )
    await ana.conversation("c1").reply(f"anota que {lease}")
    await ana.conversation("c1").reply("os pigmentos vêm da Cromalux, que fica em Ibirité")
    done = await ana.conversation("c2").reply("esquece o contrato do ateliê")

    assert ["forgotten"] == [deed.kind for deed in done.deeds]
    assert ["Cromalux" in str(memory.value) for memory in (await ana.memories.list()).items] == [True]


async def test_an_erasure_takes_memories_and_no_turn(ana: UserMemory) -> None:
    """It asks about the memory, whatever turn that was never saved is nearer."""
    for text in (
        "my daughter Posy takes cello from Mr Abel",
        "her big brother Wes plays goalie for the Falcons",
        "Wes told me he cheated on his chem quiz and Im torn about it",
    ):
        await ana.conversation("c1").reply(text)
    reply = await ana.conversation("c2").reply(
        "the school thing my oldest confided in me, erase that permanently from your notes"
    )

    assert ["asked"] == [deed.kind for deed in reply.deeds]
