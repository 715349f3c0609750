"""What a person wants silenced or forgotten stays out of every pack, and history keeps what was said."""

from __future__ import annotations

import pytest
from tests.calm import CALM

from rememora import Rememora, Settings
from rememora.testing import WordEmbedder

IN_MEMORY = Settings.load({"store.url": ":memory:", **CALM}, environ={})


@pytest.mark.parametrize(
    "wish",
    ["não fala mais do meu divórcio", "para de mencionar meu divórcio", "don't mention my divórcio again, please"],
)
async def test_what_is_not_to_be_mentioned_is_kept_and_stays_silent(wish: str) -> None:
    """Suppressing in chat is neither forgetting nor erasing: the memory stays, and never reaches the model."""
    async with Rememora.open(settings=IN_MEMORY, embedder=WordEmbedder(), background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        kept = await ana.remember("user.marital_status", "divórcio em andamento")
        await ana.conversation("c1").reply(wish)
        await rememora.settle()
        pack = await ana.conversation("c2").context("como vai o divórcio?")
        memory = await ana.memories.get(kept.memory.id if kept.memory else "")

        assert ("active", True) == (memory.status, memory.suppressed)
        assert not [item for item in pack.items if memory.id == item.id]
        assert not [hit for hit in await ana.recall("divórcio") if hit.kind == "memory"]


@pytest.mark.parametrize(
    ("key", "value", "wish", "again"),
    [
        ("user.age", 34, "não fale mais sobre minha idade", "pode falar da minha idade de novo"),
        ("user.age", 34, "stop bringing up my age", "You can mention my age again."),
        ("people.rex.role", "dog", "don't mention my dog anymore", "you can mention my dog again"),
        ("people.rex.role", "cachorro", "não fala mais do meu cachorro", "pode voltar a falar do meu cachorro"),
    ],
)
async def test_what_was_silenced_in_chat_is_mentioned_again_when_asked(
    key: str, value: object, wish: str, again: str
) -> None:
    """Both ways in the person's own words, in both languages."""
    async with Rememora.open(settings=IN_MEMORY, embedder=WordEmbedder(), background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        await ana.remember(key, value)
        deeds = [(await ana.conversation("c1").reply(text)).deeds for text in (wish, again)]

        assert [["silenced"], ["restored"]] == [[deed.kind for deed in done] for done in deeds]
        assert not (await ana.memories.get(key)).suppressed


async def test_a_wish_to_silence_what_is_not_known_is_answered_as_such() -> None:
    """It is not answered with the very thing that is not to be mentioned."""
    async with Rememora.open(settings=IN_MEMORY, embedder=WordEmbedder(), background=False) as rememora:
        chat = rememora.user("ana", tenant="acme").conversation("c1")
        await chat.append("user", "The dog and I went to the park.")
        reply = await chat.reply("don't mention my dog anymore")

        assert ["nothing_to_forget"] == [deed.kind for deed in reply.deeds]
        assert "park" not in reply.text


async def test_what_is_forgotten_is_not_quoted_from_where_it_was_said() -> None:
    """The message stays in history, but no pack brings the forgotten fact up again; said anew, it may be told."""
    async with Rememora.open(settings=IN_MEMORY, embedder=WordEmbedder(), background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        await ana.conversation("c1").reply("Meu aniversário é dia 12 de março.")
        await ana.conversation("c1").reply("Esquece meu aniversário.")
        await rememora.settle()
        quiet = await ana.conversation("c2").context("Quando é meu aniversário?")
        await ana.conversation("c3").reply("Meu aniversário é dia 12 de março.")
        await rememora.settle()
        loud = await ana.conversation("c2").context("Quando é meu aniversário?")

        said = (await ana.conversation("c1").messages()).items[0]
        assert "aniversário" in said.content
        assert said.id not in [item.id for item in quiet.items]
        assert [item for item in loud.items if item.kind == "memory"]


async def test_what_is_forgotten_is_not_told_by_an_episode_or_a_summary_either() -> None:
    """What was made of the message it came from is told without it."""
    settings = Settings.load(
        {"store.url": ":memory:", "episodes.threshold": 4, "summary.threshold": 5, **CALM},
        environ={},
    )
    async with Rememora.open(settings=settings, embedder=WordEmbedder(), background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        await ana.conversation("c1").reply("Meu aniversário é dia 12 de março.")
        for number in range(12):
            await ana.conversation("c1").reply(f"A campanha {number} vai usar {number + 3} mil reais.")
        await rememora.settle()
        before = await ana.recall("Quando é meu aniversário?", kinds=["episode"])
        await ana.forget("user.birthday")
        await rememora.settle()
        after = await ana.conversation("c2").context("Quando é meu aniversário?")
        pack = await ana.conversation("c1").context("Quando é meu aniversário?")

        assert [hit for hit in before if "12 de março" in hit.content]
        assert not [item for item in after.items if "12 de março" in item.text]
        assert not [item for item in pack.section("summary") if "12 de março" in item.text]


async def test_what_is_forgotten_is_no_topic_of_a_summary_any_more() -> None:
    """The heading names what keeps coming back, and this was one of it."""
    settings = Settings.load({"store.url": ":memory:", "summary.threshold": 5, **CALM}, environ={})
    async with Rememora.open(settings=settings, embedder=WordEmbedder(), background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        for text in ("Eu moro em Recife.", "O calor de Recife é forte.", "Recife tem bons restaurantes."):
            await ana.conversation("c1").reply(text)
        for number in range(12):
            await ana.conversation("c1").reply(f"A campanha {number} vai usar {number + 3} mil reais.")
        await rememora.settle()
        before = await ana.conversation("c1").context("E a campanha?")
        await ana.forget("user.location")
        after = await ana.conversation("c1").context("E a campanha?")
        headings = [item.text.split("\n")[0] for pack in (before, after) for item in pack.section("summary")]

        assert ["Recife" in heading for heading in headings] == [True, False]
        assert all("campanha" in heading for heading in headings)


class Teller:
    """Tells of every conversation the same, in words of its own."""

    async def complete(self, *, instructions: str, text: str, max_tokens: int) -> str:
        return "temas: Recife, campanha\nEla vive no litoral e cuida da campanha."


async def test_what_a_model_told_in_its_own_words_is_told_again_from_what_may_be_told() -> None:
    """Nothing in the model's text can be told apart: all of it goes, and what was said of the rest stays."""
    settings = Settings.load({"store.url": ":memory:", "summary.threshold": 5, **CALM}, environ={})
    async with Rememora.open(
        settings=settings, embedder=WordEmbedder(), model=Teller(), background=False
    ) as rememora:
        ana = rememora.user("ana", tenant="acme")
        await ana.conversation("c1").reply("Eu moro em Recife.")
        for number in range(12):
            await ana.conversation("c1").append("user", f"A campanha {number} vai usar {number + 3} mil reais.")
        await rememora.settle()
        before = await ana.recall("a campanha do litoral", kinds=["summary"])
        await ana.forget("user.location")
        after = await ana.recall("a campanha do litoral", kinds=["summary"])

        summary = await ana.conversation("c1").summary()

        assert ["litoral" in hit.content for hit in before] == [True]
        assert summary is not None
        assert "campanha" in summary.text
        assert not [hit for hit in after if "litoral" in hit.content or "Recife" in hit.content]
        assert "Recife" not in summary.text
