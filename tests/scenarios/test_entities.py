"""The structured things people mention: counted exactly, bounded, the least mentioned leaving first."""

from __future__ import annotations

import asyncio

import pytest
from tests.clock import SetClock

from rememora import Rememora, Settings, UserMemory
from rememora.errors import InvalidInput, NotFound


async def test_mentions_at_once_are_all_counted(ana: UserMemory) -> None:
    """Two hundred concurrent mentions are two hundred, whoever wins the last value."""
    await asyncio.gather(*(ana.entities.mention("campaign", "natal", f"valor {n}") for n in range(200)))
    [entity] = await ana.entities.list()

    assert 200 == entity.mentions


async def test_the_least_mentioned_and_oldest_leave_first(settings: Settings, clock: SetClock) -> None:
    """Beyond the cap the rarest goes, the older of two equals; the one just mentioned stays."""
    ten = Settings.load({"store.url": settings.store.url, "entities.max_per_user": 10}, environ={})
    async with Rememora.open(settings=ten, clock=clock, background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        for number in range(12):
            clock.advance(1)
            for _ in range(3 if number in (0, 1) else 1):
                await ana.entities.mention("product", f"p{number}", "pão de queijo")
        kept = {entity.key for entity in await ana.entities.list(limit=50)}

        assert {"p0", "p1", *(f"p{number}" for number in range(4, 12))} == kept
        assert kept == {
            hit.metadata["key"] for hit in await ana.recall("pão de queijo", limit=50, kinds=["entity"])
        }


async def test_order_is_by_mentions_then_recency(ana: UserMemory, clock: SetClock) -> None:
    """What comes up most is first; of equals, what came up last."""
    for key in ("a", "b", "c", "b"):
        clock.advance(1)
        await ana.entities.mention("metric", key, 1)

    assert ["b", "c", "a"] == [entity.key for entity in await ana.entities.list()]
    assert ["b"] == [entity.key for entity in await ana.entities.list(limit=1)]


async def test_a_mention_updates_value_and_confidence(ana: UserMemory) -> None:
    """The last word counts; a mention without a conversation keeps the one it came from."""
    await ana.entities.mention("threshold", "desconto", "10%", conversation="c1")
    entity = await ana.entities.mention("threshold", "desconto", "15%", confidence=0.9)

    assert ("15%", 0.9, 2, "c1") == (entity.value, entity.confidence, entity.mentions, entity.conversation)


@pytest.mark.parametrize("words", ["esquece tudo sobre mim", "forget everything you know about me"])
async def test_everything_forgotten_takes_the_mentions_along(
    rememora: Rememora, ana: UserMemory, words: str
) -> None:
    """Nowhere to be found, what was still to be counted too; restored, they are there with their counts."""
    for _ in range(3):
        await ana.entities.mention("product", "product.pao", "pão de queijo")
    await ana.conversation("c1").reply("a campanha Girassol vai bem")
    await ana.conversation("c2").reply(words)
    await rememora.settle()
    left = await ana.entities.list(), await ana.recall("pão de queijo", kinds=["entity"])
    pack = await ana.conversation("c3").context("pão de queijo")
    kept = [entity["forgotten"] for entity in (await ana.archive.export())["entities"]]
    back = await ana.entities.restore_all()

    assert ([], []) == left
    assert () == pack.section("entities")
    assert [True] == kept
    assert [("product.pao", 3, False)] == [(item.key, item.mentions, item.forgotten) for item in back]
    assert back == await ana.entities.list()
    assert 1 == len(await ana.recall("pão de queijo", kinds=["entity"]))
    assert [] == await ana.entities.restore_all()


async def test_what_is_mentioned_again_begins_anew(rememora: Rememora) -> None:
    """A forgotten count does not come back with a new mention; another user's entities stay untouched."""
    ana, bia = (rememora.user(name, tenant="acme") for name in ("ana", "bia"))
    for user in (ana, bia):
        for _ in range(3):
            await user.entities.mention("product", "product.pao", "pão")
    await ana.forget("all")
    again = await ana.entities.mention("product", "product.pao", "pão francês")

    assert (1, False) == (again.mentions, again.forgotten)
    assert [3] == [entity.mentions for entity in await bia.entities.list()]


@pytest.mark.parametrize(
    ("field", "type", "key", "value"),
    [
        ("type", "planet", "x", 1),
        ("key", "metric", "", 1),
        ("key", "metric", "a" * 256, 1),
        ("value", "metric", "x", None),
    ],
)
async def test_bad_mentions_name_their_field(
    ana: UserMemory, field: str, type: str, key: str, value: object
) -> None:
    """Unknown type, empty or long key, no value: refused, nothing written."""
    with pytest.raises(InvalidInput) as refused:
        await ana.entities.mention(type, key, value)

    assert field == refused.value.field
    assert [] == await ana.entities.list()


@pytest.mark.parametrize("by", ["key", "id"])
async def test_one_is_forgotten_and_restored_by_itself(ana: UserMemory, by: str) -> None:
    """It is neither listed nor found nor counted on; restored it has its count; the others are as they were."""
    await ana.entities.mention("product", "broa", "broa de milho")
    entity = await ana.entities.mention("product", "broa", "broa de milho")
    await ana.entities.mention("product", "cuca", "cuca de banana")
    gone = await ana.entities.forget(getattr(entity, by))
    left = [item.key for item in await ana.entities.list()]
    hits = await ana.recall("broa de milho", kinds=["entity"])
    back = await ana.entities.restore(getattr(entity, by))

    assert ("broa", True) == (gone.key, gone.forgotten)
    assert (["cuca"], []) == (left, [hit for hit in hits if hit.metadata["key"] == "broa"])
    assert (2, False) == (back.mentions, back.forgotten)
    assert ["broa", "cuca"] == [item.key for item in await ana.entities.list()]
    assert "broa" == (await ana.recall("broa de milho", kinds=["entity"]))[0].metadata["key"]


async def test_a_mention_after_the_forgetting_begins_anew(ana: UserMemory) -> None:
    """With a count of one, and nothing left to restore."""
    for _ in range(3):
        await ana.entities.mention("product", "broa", "broa de milho")
    await ana.entities.forget("broa")
    again = await ana.entities.mention("product", "broa", "broa de fubá")

    assert 1 == again.mentions
    with pytest.raises(NotFound):
        await ana.entities.restore("broa")


async def test_only_ones_own_is_forgotten(rememora: Rememora) -> None:
    """Neither another user of the tenant, nor another tenant, nor an unknown key: each is not found."""
    await rememora.user("ana", tenant="acme").entities.mention("product", "broa", "broa de milho")
    for user, tenant in (("bia", "acme"), ("ana", "other")):
        with pytest.raises(NotFound):
            await rememora.user(user, tenant=tenant).entities.forget("broa")
    with pytest.raises(InvalidInput):
        await rememora.user("ana", tenant="acme").entities.forget("")

    assert ["broa"] == [entity.key for entity in await rememora.user("ana", tenant="acme").entities.list()]


@pytest.mark.parametrize(
    ("known", "text", "expected"),
    [
        ({"user.locale": "en-US"}, "Rent due 9/5", "--09-05"),
        ({"user.preferred_language": "English"}, "Rent due 9/5", "--09-05"),
        ({"user.preferred_language": "inglês"}, "Rent due 9/5", "--09-05"),
        ({"user.locale": "pt-BR", "user.preferred_language": "en"}, "Aluguel 9/5", "--05-09"),
        ({"user.locale": "en-US"}, "O aluguel vence em 9/5, não esqueça", "--05-09"),
        ({"user.locale": "pt-BR"}, "The rent is due on 9/5", "--09-05"),
        ({}, "Rent due 9/5", "--05-09"),
    ],
)
async def test_a_date_is_read_as_the_person_writes_it(
    rememora: Rememora, known: dict[str, str], text: str, expected: str
) -> None:
    """In the language that the text tells; where it tells none, in the person's."""
    bob = rememora.user("bob", tenant="acme")
    for key, value in known.items():
        await bob.remember(key, value)
    await bob.conversation("c").reply(text)
    await rememora.settle()

    assert [expected] == [entity.value for entity in await bob.entities.list() if entity.type == "date"]
