"""A memory whose vectors are searched in a DuckDB file: the same answers, the same forgetting."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from rememora import Rememora, Settings, UserMemory
from rememora.testing import WordEmbedder

LINES = ("a reunião é na sexta", "o gato dorme muito", "o orçamento subiu", "ela odeia roxo")


def settings_of(folder: Path, vectors: str) -> Settings:
    return Settings.load({"store.url": str(folder / "store"), "recall.vectors": vectors}, environ={})


@pytest.fixture
async def rememora(tmp_path: Path) -> AsyncIterator[Rememora]:
    settings = settings_of(tmp_path, f"duckdb:///{tmp_path}/vectors.duckdb")
    async with Rememora.open(settings=settings, embedder=WordEmbedder(), background=False) as opened:
        chat = opened.user("ana", tenant="acme").conversation("c1")
        await chat.append_many({"role": "user", "content": line} for line in LINES)
        await opened.settle()
        yield opened


async def test_the_answers_are_those_of_memory(rememora: Rememora, tmp_path: Path) -> None:
    """Whoever searches the vectors, the hits, their order and their similarity are the same."""
    hits = await rememora.user("ana", tenant="acme").recall("a reunião da sexta", limit=4)
    settings = settings_of(tmp_path, "memory")
    async with Rememora.open(settings=settings, embedder=WordEmbedder(), background=False) as neighbour:
        expected = await neighbour.user("ana", tenant="acme").recall("a reunião da sexta", limit=4)

    assert [(hit.content, round(hit.similarity, 4)) for hit in expected] == [
        (hit.content, round(hit.similarity, 4)) for hit in hits
    ]
    assert "meaning" in hits[0].parts


async def test_an_erased_conversation_leaves_no_byte_in_the_file(
    rememora: Rememora, ana: UserMemory, tmp_path: Path
) -> None:
    """After a formal erasure neither its vectors nor its name are in the file; another one's are."""
    await ana.conversation("zqxother").append("user", "uma coisa só daqui")
    await rememora.settle()
    await ana.recall("coisa", limit=2)
    await ana.erase(conversation="zqxother")
    await ana.recall("coisa", limit=2)
    held = b"".join(file.read_bytes() for file in tmp_path.glob("vectors.duckdb*"))
    (vector,) = await WordEmbedder().embed(["uma coisa só daqui"])

    assert [False, False] == [item in held for item in (b"zqxother", vector.tobytes())]
    assert b"c1" in held


async def test_an_erased_tenant_is_out_of_the_file(rememora: Rememora, tmp_path: Path) -> None:
    """Neither vectors nor the names of its users are left in the copy."""
    person = rememora.user("zqxperson", tenant="acme")
    await person.conversation("c1").append("user", "a reunião")
    await person.recall("reunião", limit=1)
    before = b"".join(file.read_bytes() for file in tmp_path.glob("vectors.duckdb*"))
    await rememora.operator(acting="root").tenants.erase("acme", confirm="acme")
    after = b"".join(file.read_bytes() for file in tmp_path.glob("vectors.duckdb*"))

    assert [True, False] == [b"zqxperson" in item for item in (before, after)]


async def test_a_file_that_another_holds_leaves_recall_to_words(rememora: Rememora, tmp_path: Path) -> None:
    """The second memory over one file still answers, without meaning."""
    await rememora.user("ana", tenant="acme").recall("reunião", limit=1)
    settings = rememora.settings
    async with Rememora.open(settings=settings, embedder=WordEmbedder(), background=False) as second:
        hits = await second.user("ana", tenant="acme").recall("reunião na sexta", limit=1)

    assert LINES[0] == hits[0].content
    assert "meaning" not in hits[0].parts
