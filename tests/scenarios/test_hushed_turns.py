"""What is forgotten, silenced or erased does not come back by the turn it was said in, or what was made of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

import pytest
from tests.calm import CALM
from tests.looped import looped

from rememora import Rememora, Settings, UserMemory
from rememora.domain.episode import Summary
from rememora.gate.pointing import asks_for_silence
from rememora.reading.parsed import parse_message
from rememora.testing import WordEmbedder

Wish = Callable[[UserMemory], Awaitable[object]]
ASKED = "Onde eu moro?"
WISHES: dict[str, Wish] = {
    "forget in chat": lambda ana: ana.conversation("c1").reply("Esquece onde eu moro"),
    "forget": lambda ana: ana.forget("user.location"),
    "suppress": lambda ana: ana.memories.suppress("user.location"),
    "erase topic": lambda ana: ana.erase(topic="user.location"),
    "erase person but history": lambda ana: ana.erase(person=True, history=False),
}

# Without a floor, so that nothing but silence keeps a hit away.
IN_MEMORY = Settings.load({"store.url": ":memory:", "recall.floor": 0, **CALM}, environ={})


async def told(ana: UserMemory, conversation: str) -> list[str]:
    """All that a pack and a search give of it, and the answer."""
    chat = ana.conversation(conversation)
    pack = await chat.context(ASKED)
    hits = await ana.recall(ASKED, limit=20)
    texts = [item.text for item in pack.items if item.section != "recent"]
    return [*texts, *(hit.content for hit in hits), (await chat.reply(ASKED)).text]


async def living(rememora: Rememora) -> UserMemory:
    """A person who has said where they live, in a conversation with an answer and a mention counted."""
    ana = rememora.user("ana", tenant="acme")
    await ana.conversation("c1").reply("Moro em Itaquaquecetuba")
    await ana.conversation("c1").reply("Obrigado pela ajuda!")
    await rememora.settle()
    return ana


@pytest.mark.parametrize("conversation", ["c1", "c2"], ids=["here", "elsewhere"])
@pytest.mark.parametrize("wish", WISHES.values(), ids=WISHES)
async def test_what_is_not_to_be_told_is_told_by_nothing(wish: Wish, conversation: str) -> None:
    """Neither its turn, nor the answer to it, nor what it mentioned is found, handed to a model or answered."""
    async with Rememora.open(settings=IN_MEMORY, embedder=WordEmbedder(), background=False) as rememora:
        ana = await living(rememora)
        before = await told(ana, "c3")
        await ana.conversation("c3").delete()
        await wish(ana)
        await rememora.settle()
        after = await told(ana, conversation)

        assert [text for text in before if "Itaquaquecetuba" in text]
        assert [] == [text for text in after if "Itaquaquecetuba" in text]
        assert "Não guardei" in after[-1]
        assert "Moro em Itaquaquecetuba" == (await ana.conversation("c1").messages()).items[0].content


@pytest.mark.parametrize("wish", ["forget", "suppress"])
async def test_what_is_restored_is_told_again(wish: str) -> None:
    """Its turn and what it mentioned come back with it."""
    async with Rememora.open(settings=IN_MEMORY, embedder=WordEmbedder(), background=False) as rememora:
        ana = await living(rememora)
        before = {hit.id for hit in await ana.recall(ASKED, limit=20)}
        await WISHES[wish](ana)
        quiet = {hit.id for hit in await ana.recall(ASKED, limit=20)}
        await ana.memories.restore("user.location")
        pack = await ana.conversation("c2").context(ASKED)

        assert quiet < before
        assert before == {hit.id for hit in await ana.recall(ASKED, limit=20)}
        assert ["Itaquaquecetuba"] == [item.text for item in pack.section("entities")]


async def test_a_new_value_of_what_is_silenced_is_silent_from_its_beginning(ana: UserMemory) -> None:
    """Whoever had the turn in memory before it came to anything does not find it afterwards."""
    await ana.remember("user.location", "Itaquaquecetuba")
    await ana.memories.suppress("user.location")
    said = await ana.conversation("c2").append("user", "Agora moro em Pindamonhangaba")

    assert said.id == (await ana.recall("Pindamonhangaba"))[0].id

    await ana.gate.note(said.content, ref=said.id)

    assert not [hit for hit in await ana.recall("Pindamonhangaba") if "Pinda" in hit.content]


async def test_hits_that_are_not_told_leave_room_for_others() -> None:
    """As many hits as were wanted, though the nearest may not be told."""
    async with Rememora.open(settings=IN_MEMORY, embedder=WordEmbedder(), background=False) as rememora:
        ana = await living(rememora)
        await ana.conversation("c1").append("user", "Onde fica o escritório novo?")
        await rememora.settle()
        await ana.forget("user.location")

        (hit,) = await ana.recall("moro perto de que escritório", limit=1)

        assert "Onde fica o escritório novo?" == hit.content


async def test_what_others_keep_saying_stays_known() -> None:
    """A mention that another turn made too is not its alone, unless it is the very value."""
    async with Rememora.open(settings=IN_MEMORY, embedder=WordEmbedder(), background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        await ana.conversation("c1").reply("Minha irmã Joana mora em Olinda")
        await ana.entities.mention("product", "planilha", "Planilha Sol")
        await rememora.settle()
        await ana.forget("all")
        await ana.entities.mention("product", "planilha", "Planilha Sol")
        pack = await ana.conversation("c2").context("planilha")

        assert ["Planilha Sol"] == [item.text for item in pack.section("entities")]


async def test_a_wish_to_be_silent_is_no_evidence() -> None:
    """What only asks memory to forget is not quoted as what the person said of themselves."""
    async with Rememora.open(settings=IN_MEMORY, embedder=WordEmbedder(), background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        await ana.conversation("c1").reply("Esquece onde eu moro")
        await rememora.settle()
        pack = await ana.conversation("c2").context(ASKED)

        assert not [item for item in pack.items if "Esquece" in item.text]
        assert "Esquece" not in (await ana.conversation("c2").reply(ASKED)).text


@looped(
    ("text", "asks"),
    [
        ("Esquece onde eu moro", True),
        ("Por favor, esqueça meu telefone.", True),
        ("forget where I live", True),
        ("apaga tudo sobre mim", True),
        ("não fala mais do meu divórcio", True),
        ("esquece isso", True),
        ("Apaga a linha 3 da planilha", False),
        ("Eu sempre esqueço o aniversário da Bia", False),
        ("Moro em Recife", False),
    ],
)
def test_what_asks_for_silence_is_known_by_its_words(text: str, asks: bool) -> None:
    """A wish about memory, as against work to be done or something told."""
    assert asks is asks_for_silence(parse_message(text))


async def test_a_turn_that_was_erased_from_is_the_same_turn_when_sent_again() -> None:
    """A mark that an erasure leaves on a message is no other message to whoever repeats it."""
    async with Rememora.open(settings=IN_MEMORY, embedder=WordEmbedder(), background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        first = await ana.conversation("c1").reply("Moro em Itaquaquecetuba", key="k1")
        await ana.erase(topic="user.location")
        again = await ana.conversation("c1").reply("Moro em Itaquaquecetuba", key="k1")

        assert again.replayed
        assert first.answer.id == again.answer.id


async def test_mentions_of_an_erased_turn_are_not_counted_afterwards() -> None:
    """Counting comes after the answer: what was erased meanwhile is not learned from its turn."""
    async with Rememora.open(settings=IN_MEMORY, embedder=WordEmbedder(), background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        await ana.conversation("c1").reply("Moro em Itaquaquecetuba")
        await ana.erase(topic="user.location")
        await rememora.settle()

        assert [] == await ana.entities.list()


async def test_an_erased_turn_is_not_retold_by_what_is_made_of_it() -> None:
    """An episode and a summary that hold it are told without it, whether made before or after."""
    settings = Settings.load(
        {"store.url": ":memory:", "episodes.threshold": 4, "summary.threshold": 5, **CALM},
        environ={},
    )
    async with Rememora.open(settings=settings, embedder=WordEmbedder(), background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        await ana.conversation("c1").reply("Moro em Itaquaquecetuba, perto da praça.")
        for number in range(12):
            await ana.conversation("c1").reply(f"A campanha {number} vai usar {number + 3} mil reais.")
        await rememora.settle()
        await ana.erase(topic="user.location")
        pack = await ana.conversation("c2").context(ASKED)
        local = await ana.conversation("c1").context(ASKED)

        assert not [item for item in pack.items if "Itaquaquecetuba" in item.text]
        assert not [item for item in local.section("summary") if "Itaquaquecetuba" in item.text]


async def test_a_receipt_counts_what_still_holds_the_text() -> None:
    """Without files too: what was said stays, is counted, and the check says so."""
    async with Rememora.open(settings=IN_MEMORY, embedder=WordEmbedder(), background=False) as rememora:
        ana = await living(rememora)
        receipt = await ana.erase(topic="user.location")
        report = await rememora.tenant("acme", acting="boss").audit.verify_receipt(receipt)
        whole = await ana.erase(person=True)

        assert (2, 1) == (receipt.counts["hidden"], receipt.counts["entities"])
        assert receipt.elsewhere == report.elsewhere > 0
        assert (0, 0) == (whole.elsewhere, whole.counts["hidden"])


async def test_the_answer_to_a_forgotten_turn_is_not_retold_by_a_summary() -> None:
    """What the assistant said of it is left out of what the conversation came to, and the rest stays."""
    async with Rememora.open(settings=IN_MEMORY, embedder=WordEmbedder(), background=False) as rememora:
        ana = await living(rememora)
        await ana.conversation("c1").append("user", "A campanha de maio vai custar 4.500 reais.")
        text = "user: Moro em Itaquaquecetuba\nassistant: Guardei: você mora em Itaquaquecetuba.\nuser: Obrigado!"
        now, scope = datetime.now(UTC), ana.scope.within("c1")
        held = Summary(
            tenant="acme",
            user="ana",
            conversation="c1",
            text=text,
            tokens=30,
            covered=5,
            last_seq=5,
            created_at=now,
            updated_at=now,
        )
        await rememora._parts.store.write(scope, lambda work: work.summaries.replace(scope, held, after_seq=0))
        await ana.forget("user.location")
        pack = await ana.conversation("c1").context(ASKED)

        assert ["user: A campanha de maio vai custar 4.500 reais."] == [
            item.text for item in pack.section("summary")
        ]
