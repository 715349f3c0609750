"""Random walks of saying, correcting, forgetting, restoring and erasing: what is told is what may be told."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

import msgspec
import pytest
from tests.calm import CALM
from tests.clock import SetClock
from tests.scenarios.test_append_cost import CountingDatabase

from rememora import NewMessage, Rememora, Scope, Settings, UserMemory
from rememora.adapters.keys import StoreKey
from rememora.adapters.sql.sqlite import SqliteDatabase
from rememora.adapters.sql.store import Database, SqlStore
from rememora.adapters.sql.transaction import Transaction
from rememora.domain.memory import MemoryDraft
from rememora.domain.receipt import Erasure, Residue
from rememora.domain.rights import Actor
from rememora.gate.lexicon import lexicon_of
from rememora.gate.policy import load_policy
from rememora.history import record
from rememora.knowledge import erase, keep
from rememora.knowledge.base import KnowledgeBase
from rememora.reading.reader import _read
from rememora.testing import WordEmbedder

T = TypeVar("T")
KEYS = ("user.location", "user.role_title")
STEPS = 12
SETTINGS = Settings.load({"store.url": ":memory:", "episodes.threshold": 4, **CALM}, environ={})


class Version(msgspec.Struct, kw_only=True):
    """One value of a key, as somebody who watches would know it."""

    word: str
    state: str = "active"
    suppressed: bool = False
    after: Version | None = None

    def may_be_told(self, others: list[Version]) -> bool:
        """Whether its message may be told."""
        if self.state in ("deleted", "erased"):
            return False
        if self.state == "active":
            return not self.suppressed
        spoken = any(other.state == "active" and not other.suppressed for other in others)
        return spoken and (self.after is None or self.after.may_be_told(others))


class Walk:
    """A person, and what they have said under each key."""

    def __init__(self, ana: UserMemory, chance: random.Random) -> None:
        self.ana, self.chance = ana, chance
        self.said: dict[str, list[Version]] = {key: [] for key in KEYS}

    async def step(self) -> None:
        """Do one thing at random."""
        key = self.chance.choice(KEYS)
        acts: list[Any] = [self.say, self.say, self.forget, self.suppress, self.restore, self.erase]
        await self.chance.choice(acts)(key)

    def active(self, key: str) -> Version | None:
        return next((item for item in self.said[key] if item.state == "active"), None)

    async def say(self, key: str) -> None:
        word = f"zeta{key[5]}{len(self.said[key])}{self.chance.randrange(10**6)}"
        chat = self.ana.conversation(self.chance.choice(["c1", "c2"]))
        message = await chat.append("user", f"Anote que agora vale {word}")
        before = self.active(key)
        await self.ana.remember(key, word, source_ref=message.id)
        new = Version(word=word, suppressed=before is not None and before.suppressed)
        if before is not None:
            before.state, before.after = "deprecated", new
        self.said[key].append(new)

    async def forget(self, key: str) -> None:
        if (result := self.active(key)) is not None:
            await self.ana.forget(key)
            result.state = "deleted"

    async def suppress(self, key: str) -> None:
        if (result := self.active(key)) is not None:
            await self.ana.memories.suppress(key)
            result.suppressed = True

    async def restore(self, key: str) -> None:
        gone = [item for item in self.said[key] if item.state == "deleted"]
        current = self.active(key)
        if current is None and not gone:
            return
        back = await self.ana.memories.restore(key)
        (result,) = [item for item in self.said[key] if item.word == back.value]
        result.state, result.suppressed = "active", False

    async def erase(self, key: str) -> None:
        if any(entry.state != "erased" for entry in self.said[key]):
            await self.ana.erase(memory=key)
            for item in self.said[key]:
                item.state, item.after = "erased", None

    def visible(self) -> set[str]:
        """The words that may be told."""
        return {item.word for line in self.said.values() for item in line if item.may_be_told(line)}


@pytest.mark.parametrize("seed", range(8))
async def test_what_is_told_is_what_may_be_told(seed: int) -> None:
    """After every step: hits and packs hold no hidden word, and recall finds every visible one."""
    async with Rememora.open(settings=SETTINGS, embedder=WordEmbedder(), background=False) as rememora:
        walk = Walk(rememora.user("ana", tenant="acme"), random.Random(seed))
        for _ in range(STEPS):
            await walk.step()
            words = [item.word for line in walk.said.values() for item in line]
            hits = {hit.content for word in words for hit in await walk.ana.recall(word, limit=20)}
            pack = await walk.ana.conversation("c3").context(" ".join(words) or "oi", budget=4000)
            reply = msgspec.json.encode([sorted(hits), pack.items]).decode()
            hidden = {word for word in words if word not in walk.visible()}

            assert set() == {word for word in hidden if word in reply}
            assert set() == {word for word in walk.visible() if not any(word in text for text in hits)}


async def test_an_erased_key_leaves_none_of_its_values(ana: UserMemory) -> None:
    """Earlier values, their audit entries and their turns go with the one that stands; the receipt counts them."""
    for street in ("Rua Velha 10", "Rua Nova 20", "Rua Funda 30"):
        message = await ana.conversation("c1").append("user", f"Moro na {street}")
        await ana.remember("user.endereco", street, source_ref=message.id)
    receipt = await ana.erase(memory="user.endereco")
    left = await ana.memories.list(prefix="user.endereco", status=None)
    document = await ana.archive.export()
    chain = msgspec.json.encode([document["audit"], document["memories"]]).decode()
    hits = await ana.recall("Rua Velha Nova Funda", limit=50)

    assert (3, 3) == (receipt.counts["memories"], receipt.counts["hidden"])
    assert () == left.items
    assert not [street for street in ("Velha", "Nova", "Funda") if street in chain]
    assert [] == hits
    assert ["erased"] * 3 == [item.hidden for item in (await ana.conversation("c1").messages()).items]


async def test_an_erased_id_takes_what_it_replaced_and_no_more(ana: UserMemory) -> None:
    """By id: the memory and those before it; what came after stays."""
    outcomes = [await ana.remember("user.endereco", street) for street in ("Rua Um", "Rua Dois", "Rua Três")]
    middle = outcomes[1].memory
    assert middle is not None
    receipt = await ana.erase(memory=middle.id)

    assert 2 == receipt.counts["memories"]
    assert "Rua Três" == (await ana.memories.get("user.endereco")).value


async def test_no_cache_holds_an_erased_sentence(ana: UserMemory) -> None:
    """Caches keyed by whole messages are emptied with the person."""
    await ana.conversation("c1").reply("Usamos o xyzzy4711 para o controle de estoque da padaria")
    before = _read.cache_info().currsize
    await ana.erase(person=True)

    assert before > 0
    assert 0 == _read.cache_info().currsize
    assert "xyzzy4711" not in repr(lexicon_of(load_policy())._known)


class WritesCounted(CountingDatabase):
    """Writes down the queries of writing transactions alone."""

    async def read(self, tenant: str | None, work: Callable[[Transaction], T]) -> T:
        return await self._inner.read(tenant, work)

    async def scrub(self, tenant: str | None, *, rebuild: bool) -> tuple[str, ...]:
        return await self._inner.scrub(tenant, rebuild=rebuild)

    async def residue(self, tenant: str, terms: Sequence[bytes]) -> list[Residue]:
        return await self._inner.residue(tenant, terms)

    async def words(self, tenant: str) -> dict[bytes, Residue]:
        return await self._inner.words(tenant)


async def test_erasing_a_topic_reads_no_history_in_the_writers_transaction(clock: SetClock) -> None:
    """However long the person's history is, the writer meets only the messages the memory came from."""
    settings = Settings.load({"store.url": ":memory:"}, environ={})
    engine = SqliteDatabase(settings.store)
    await engine.open()
    database = WritesCounted(engine)
    store = SqlStore(cast("Database", database))
    desk = KnowledgeBase(store=store, clock=clock, signer=StoreKey(None), settings=settings)
    ana = Scope("acme", "ana")
    drafts = [NewMessage(role="user", content=f"linha {n}", id=f"m{n}") for n in range(300)]
    await record.append(store, ana.within("c1"), drafts, clock=clock, settings=settings)
    wish = MemoryDraft(key="user.location", value="Recife", source_ref="m7", scope="personal", category="identity")
    await keep.remember(desk, ana, wish, actor=Actor("ana"))
    database.names.clear()
    receipt = await erase.erase(desk, ana, Erasure(topic="user.location"), actor=Actor("ana"))
    marked = database.names.count("message_mark")
    await store.close()

    assert 1 == receipt.counts["hidden"]
    assert [] == [
        name for name in database.names if name in ("messages_after", "newest_messages", "message_texts")
    ]
    # The episode of the turn is made again, from its own few turns.
    assert (1, True) == (database.names.count("turns_after"), marked < 10)
