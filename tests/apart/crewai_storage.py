"""CrewAI's own memory over Rememora: `make crewai` runs this in an environment of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

os.environ["CREWAI_DISABLE_TELEMETRY"] = os.environ["OTEL_SDK_DISABLED"] = "true"

import pytest
from crewai import LLM, Memory
from crewai.memory.storage.backend import EmbeddingDimensionMismatchError, StorageBackend
from crewai.memory.types import MemoryRecord

import rememora as rememora_package
from rememora import Rememora, Settings, SyncRememora
from rememora.integrations.crewai import RememoraStorage

EXAMPLE = Path(__file__).parents[2] / "examples" / "crewai_memory.py"
NORTH, EAST, BETWEEN = [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A store in a folder, without an embedder."""
    return Settings.load({"store.url": str(tmp_path / "store"), "recall.embedder": "none"}, environ={})


@pytest.fixture
def rememora(settings: Settings) -> Iterator[SyncRememora]:
    """The open store."""
    with SyncRememora.open(settings=settings, background=False) as opened:
        yield opened


@pytest.fixture
def storage(rememora: SyncRememora) -> RememoraStorage:
    """A storage of one person."""
    return RememoraStorage(rememora, tenant="acme", user="ana")


def record(id: str, scope: str = "/", **how: Any) -> MemoryRecord:
    """A record; its content names it."""
    return MemoryRecord(id=id, content=f"content of {id}", scope=scope, **{"embedding": NORTH, **how})


def ids(records: list[MemoryRecord]) -> list[str]:
    """The ids of records."""
    return [item.id for item in records]


def test_it_is_a_storage_backend(storage: RememoraStorage) -> None:
    """As CrewAI's protocol sees it."""
    assert isinstance(storage, StorageBackend)


def test_a_record_comes_back_as_it_was_saved(storage: RememoraStorage) -> None:
    """Every field; the vector has the same direction."""
    saved = record(
        "r1",
        "/a/b",
        categories=["x"],
        metadata={"n": 1, "deep": {"l": [None]}},
        importance=0.9,
        source="s",
        private=True,
    )
    storage.save([saved])
    result = storage.get_record("r1")

    assert result is not None
    assert saved.model_dump() == result.model_dump()
    assert NORTH == result.embedding
    assert storage.get_record("r2") is None


def test_the_nearest_come_first(storage: RememoraStorage) -> None:
    """By cosine, whatever the length of a vector; below the least score, or without a vector, nothing comes."""
    storage.save(
        [record("east", embedding=EAST), record("north", embedding=[9.0, 0.0]), record("none", embedding=None)]
    )
    storage.save([record("between", embedding=BETWEEN)])
    hits = storage.search(NORTH)

    assert ["north", "between", "east"] == ids([item for item, _ in hits])
    assert pytest.approx([1.0, 0.7071, 0.0], abs=1e-3) == [score for _, score in hits]
    assert ["north"] == ids([item for item, _ in storage.search(NORTH, min_score=0.8)])
    assert ["north"] == ids([item for item, _ in storage.search(NORTH, limit=1)])


def test_another_dimension_is_refused_in_crewais_words(storage: RememoraStorage) -> None:
    """With the advice that CrewAI gives."""
    storage.save([record("r1")])
    with pytest.raises(EmbeddingDimensionMismatchError, match="reset-memories"):
        storage.search([1.0, 0.0, 0.0])


def test_scopes_are_whole_segments(storage: RememoraStorage) -> None:
    """A scope reaches itself and what lies below it, and not a neighbour whose name begins alike."""
    storage.save([record("r", "/"), record("t", "/team"), record("ta", "/team/a"), record("x", "/teams")])

    assert ["t", "ta"] == sorted(ids(storage.list_records("/team")))
    assert ["t", "ta"] == sorted(ids([item for item, _ in storage.search(NORTH, scope_prefix="/team/")]))
    assert ["/team", "/teams"] == storage.list_scopes()
    assert ["/team/a"] == storage.list_scopes("/team")
    info = storage.get_scope_info("/team")
    assert ("/team", 2, ["/team/a"]) == (info.path, info.record_count, info.child_scopes)
    assert 4 == storage.count()
    storage.reset("/team")
    assert ["r", "x"] == sorted(ids(storage.list_records()))


def test_filters_hold_for_search_and_delete(storage: RememoraStorage) -> None:
    """Any of the categories, all of the metadata, older than a time; together they narrow."""
    old = datetime.now(UTC).replace(tzinfo=None) - timedelta(days=9)
    storage.save(
        [record("a", categories=["x", "y"], metadata={"n": 1}), record("b", categories=["y"], created_at=old)]
    )
    storage.save([record("c", metadata={"n": 1, "m": 2})])

    assert {"x": 1, "y": 2} == storage.list_categories()
    assert ["a"] == ids([item for item, _ in storage.search(NORTH, categories=["x", "z"])])
    assert ["c"] == ids([item for item, _ in storage.search(NORTH, metadata_filter={"n": 1, "m": 2})])
    assert 0 == storage.delete(record_ids=["a"], categories=["z"])
    assert 1 == storage.delete(older_than=datetime.now(UTC) - timedelta(days=1))
    assert 1 == storage.delete(metadata_filter={"m": 2})
    assert ["a"] == ids(storage.list_records())


def test_newest_first_in_pages(storage: RememoraStorage) -> None:
    """From an offset on."""
    start = datetime(2026, 1, 1)
    storage.save([record(f"r{n}", created_at=start + timedelta(days=n)) for n in range(4)])

    assert ["r3", "r2"] == ids(storage.list_records(limit=2))
    assert ["r1", "r0"] == ids(storage.list_records(limit=2, offset=2))


def test_an_update_keeps_the_vector_it_does_not_bring(storage: RememoraStorage) -> None:
    """CrewAI updates a record's text and reads without its vector."""
    storage.save([record("r1", embedding=EAST)])
    storage.update(MemoryRecord(id="r1", content="new"))
    storage.touch_records(["r1", "missing"])
    ((result, score),) = storage.search(EAST)

    assert "new" == result.content
    assert pytest.approx(1.0) == score
    assert 1 == storage.count()


def test_people_and_tenants_are_apart(rememora: SyncRememora, storage: RememoraStorage) -> None:
    """The same ids of others stay as they are; a person's export and erasure reach their own."""
    others = [
        RememoraStorage(rememora, tenant="acme", user="bia"),
        RememoraStorage(rememora, tenant="zeta", user="ana"),
    ]
    for item in (storage, *others):
        item.save([record("r1")])
    ana = rememora.user("ana", tenant="acme")

    assert ["r1"] == [document["key"] for document in ana.archive.export()["documents"]]
    assert 1 == ana.erase(person=True).counts["documents"]
    assert [0, 1, 1] == [entry.count() for entry in (storage, *others)]


def test_a_memory_of_crewai_works_on_it(storage: RememoraStorage) -> None:
    """Remember, recall, scopes, forget: with CrewAI's own `Memory`, whose saves run in other threads."""
    memory = Memory(
        storage=storage,
        embedder=lambda texts: [NORTH if "seat" in text else EAST for text in texts],
        llm=LLM(model="gpt-4o-mini", api_key="none"),
    )
    memory.remember("Aisle seat, always.", scope="/ana", categories=["travel"], importance=0.5)
    memory.remember("Olive oil is out.", scope="/home", categories=["kitchen"], importance=0.5)
    (match,) = memory.recall("which seat?", limit=1, depth="shallow")

    assert "Aisle seat, always." == match.record.content
    assert ["/ana", "/home"] == memory.list_scopes("/")
    assert 1 == memory.forget(scope="/home")
    assert 1 == storage.count()
    memory.close()


async def test_beside_an_event_loop(settings: Settings) -> None:
    """The async twins are awaited in the loop; plain calls come from CrewAI's threads."""
    async with Rememora.open(settings=settings, background=False) as rememora:
        storage = RememoraStorage(rememora, tenant="acme")
        await storage.asave([record("r1")])
        result = await storage.asearch(NORTH)
        counted: list[int] = []
        thread = threading.Thread(target=lambda: counted.append(storage.count()))
        thread.start()
        while thread.is_alive():
            await storage.asearch(NORTH)
        thread.join()
        gone = await storage.adelete(record_ids=["r1"])

    assert ["r1"] == ids([item for item, _ in result])
    assert ([1], 1) == (counted, gone)


@pytest.mark.parametrize("name", ["crewai.md", "crewai.pt-BR.md"])
def test_the_code_of_the_page_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it is printed, in an empty folder; it finds what it saved."""
    monkeypatch.chdir(tmp_path)
    page = (EXAMPLE.parents[1] / "docs/how-to" / name).read_text(encoding="utf-8")
    known: dict[str, Any] = {}
    exec("\n".join(re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)), known)

    assert ["Bia owns the pricing page."] == [item.record.content for item in known["found"]]


def test_a_starting_project_runs(tmp_path: Path) -> None:
    """As `rememora init crewai` writes it."""
    text = (Path(rememora_package.__file__).parent / "cli/starting/crewai.txt").read_text(encoding="utf-8")
    (tmp_path / "main.py").write_text(text, encoding="utf-8")
    shown = subprocess.run([sys.executable, "main.py"], cwd=tmp_path, capture_output=True, text=True, check=False)

    assert 0 == shown.returncode, shown.stderr
    assert "found: Bia owns the pricing page" in shown.stdout


def test_the_example_runs(tmp_path: Path) -> None:
    """As a process of its own, without a model."""
    shown = subprocess.run(
        [sys.executable, str(EXAMPLE)], cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert 0 == shown.returncode, shown.stderr
    assert "found: Bia owns the pricing page." in shown.stdout
    assert "scopes: ['/launch'], records: 2" in shown.stdout
    assert "erased: 2 documents, left: 0" in shown.stdout
