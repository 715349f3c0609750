"""Documents of frameworks move from conversations without messages into their table, and back, with their data."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta

import msgspec
from tests.migrations.test_moves import Kept

from rememora import Rememora, UserMemory
from rememora.app import Opening
from rememora.domain.document import StoredDocument
from rememora.integrations.anthropic_memory import Files
from rememora.integrations.langgraph_store import RememoraStore
from rememora.integrations.pydantic_ai_store import RememoraMemoryStore
from rememora.testing import WordEmbedder

BEFORE = "0016"
LONG = "x" * 400
OLD = datetime(2025, 3, 1, 12, 30, 0, 250_000, tzinfo=UTC)


def opened(kept: Kept) -> Opening:
    """The store without its worker."""
    return Rememora.open(settings=kept.settings, embedder=WordEmbedder(), background=False)


async def fill(rememora: Rememora) -> None:
    """Documents of every integration, and conversations that are none."""
    ana = rememora.user("ana", tenant="acme")
    store = RememoraStore(rememora, tenant="acme", user="ana")
    await store.aput(("notes", "work"), "k1", {"text": "café"}, ttl=90)
    await store.aput(("notes",), LONG, {"n": [1, 2.5, None]})
    await Files(rememora, user="ana", tenant="acme").write("/memories/plan.md", "um plano")
    pydantic = RememoraMemoryStore(rememora, tenant="acme", user="ana")
    await pydantic.write("a/b.md", "text", expected_version=None)
    await ana.documents("mem0-extras").put("m1", {"metadata": {"mood": "calm"}})
    await (
        rememora.user("bia", tenant="zeta")
        .documents("langgraph")
        .put('["k"]', {"namespace": [], "key": "k", "value": {"of": "zeta"}})
    )
    await ana.conversation("empty", channel="langgraph").describe(metadata={"name": "mine"})
    await ana.conversation("langgraph/talk", channel="langgraph").append("user", "olá")


async def held(person: UserMemory) -> list[StoredDocument]:
    """All documents of a person."""
    exported = await person.archive.export()
    return msgspec.convert(exported["documents"], list[StoredDocument])


async def test_down_and_up_again_loses_nothing(kept: Kept) -> None:
    """Keys, values and LangGraph's own times are the same, of every tenant; other conversations are untouched."""
    async with opened(kept) as rememora:
        await fill(rememora)
        before = await held(rememora.user("ana", tenant="acme"))
        others = await held(rememora.user("bia", tenant="zeta"))
    talks = kept.asked("SELECT id, channel, messages FROM conversations ORDER BY id")
    kept.move(BEFORE)
    below = kept.asked("SELECT id, channel FROM conversations WHERE messages = 0 ORDER BY id")
    kept.move()
    async with opened(kept) as rememora:
        after = await held(rememora.user("ana", tenant="acme"))
        assert others == await held(rememora.user("bia", tenant="zeta"))
        item = await RememoraStore(rememora, tenant="acme", user="ana").aget(("notes", "work"), "k1")
        file = await Files(rememora, user="ana", tenant="acme").read("/memories/plan.md")

    assert 6 == len(before)
    assert before == after
    assert talks == kept.asked("SELECT id, channel, messages FROM conversations ORDER BY id")
    long = next(entry.key for entry in before if LONG in entry.key)
    assert f"langgraph/{hashlib.sha256(long.encode()).hexdigest()}" in {row[0] for row in below}
    assert item is not None
    assert file is not None
    assert ({"text": "café"}, "um plano") == (item.value, file.text)


async def test_up_moves_what_the_version_before_wrote(kept: Kept) -> None:
    """A conversation as it wrote one, with the times and the expiry that stood in its JSON."""
    async with opened(kept):
        pass
    kept.move(BEFORE)
    value = {
        "namespace": ["notes"],
        "key": "k",
        "value": {"text": 'it\'s "quoted": ação'},
        "created": OLD.isoformat(),
        "updated": (OLD + timedelta(hours=1)).isoformat().replace("+00:00", "Z"),
        "ttl": 90.0,
        "expires": OLD.timestamp() + 5400,
        "vectors": {},
    }
    name = '["notes","k"]'
    metadata = msgspec.json.encode({"name": name, "value": value}).decode().replace("'", "''")
    kept.asked(
        "INSERT INTO conversations (tenant_id, user_id, id, channel, messages, turns, metadata, created_at, "
        f"updated_at) VALUES ('acme', 'ana', 'langgraph/{name}', 'langgraph', 0, 0, '{metadata}', 5, 6)"
    )
    kept.move()
    async with opened(kept) as rememora:
        (result,) = await held(rememora.user("ana", tenant="acme"))

    assert (name, 1, value["value"]) == (result.key, result.version, result.value["value"])
    assert (OLD, OLD + timedelta(hours=1)) == (result.created_at, result.updated_at)
    assert OLD + timedelta(minutes=90) == result.expires_at
    assert [] == kept.asked("SELECT id FROM conversations")
