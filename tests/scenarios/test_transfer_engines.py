"""A store carried between SQLite and PostgreSQL, both ways: not a row, a bit or a rank is lost."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.behind import behind
from tests.engines.postgres import databases, postgres_url
from tests.filled import fill, opened, seen, settings_of

from rememora import Rememora
from rememora.adapters.keys import FILE as KEY
from rememora.errors import Conflict, SchemaOutdated, SettingsError, TransferDiffers


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the signing key of a server's store lies unless the settings say otherwise."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with something in every table, filled once."""
    folder = tmp_path_factory.mktemp("filled") / "store"
    asyncio.run(fill(str(folder)))
    return folder


@pytest.fixture
def server() -> Iterator[str]:
    """An empty, migrated store on a server."""
    with postgres_url() as url:
        yield url


@pytest.fixture
def other_server() -> Iterator[str]:
    """Another one."""
    with postgres_url() as url:
        yield url


async def test_from_a_folder_to_a_server_and_back(filled: Path, place: Path, server: str) -> None:
    """Counts and sums are the same on both engines, and so is what people see, find and can verify."""
    shutil.copytree(filled, "here")
    there = await Rememora.transfer("here", server, settings=settings_of("here"))
    back = await Rememora.transfer(server, "back", settings=settings_of("here"))
    before = await seen("here")

    assert [] == [table.name for table in there.tables if not table.rows]
    assert there == back
    assert before == await seen(server)
    assert before == await seen("back")
    assert [(place / folder / KEY).read_text() for folder in ("rememora-data", "back")] == [
        (place / "here" / KEY).read_text()
    ] * 2


async def test_the_key_goes_along_where_settings_name_its_folder(filled: Path, place: Path, server: str) -> None:
    """`store.key_folder` is the server's: a folder brings its own key there, and gets it back within itself."""
    shutil.copytree(filled, "here")
    named = settings_of("here", key_folder=str(place / "secrets"))
    await Rememora.transfer("here", server, settings=named)
    await Rememora.transfer(server, "back", settings=named)

    assert [(place / folder / KEY).read_text() for folder in ("secrets", "back")] == [
        (place / "here" / KEY).read_text()
    ] * 2


async def test_a_signed_source_without_its_key_is_refused(server: str) -> None:
    """Nothing in the target could be verified; the setting that says where the key lies is named."""
    await fill(server)
    elsewhere = settings_of(server, key_folder="nowhere")
    with pytest.raises(SettingsError, match="must hold the key"):
        await Rememora.transfer(server, "folder", settings=elsewhere)


async def test_from_a_server_to_a_folder_and_back(server: str, other_server: str) -> None:
    """What PostgreSQL made itself comes through SQLite unchanged."""
    await fill(server)
    there = await Rememora.transfer(server, "folder", settings=settings_of(server))
    back = await Rememora.transfer("folder", other_server, settings=settings_of(server))
    before = await seen(server)

    assert there == back
    assert before == await seen("folder")
    assert before == await seen(other_server)


async def test_the_target_goes_on_as_the_source_would(filled: Path, server: str) -> None:
    """What is written after the move follows what came before it: places, numbers, the chain."""
    shutil.copytree(filled, "here")
    await Rememora.transfer("here", server, settings=settings_of("here"))
    seqs = {}
    for url in ("here", server):
        async with opened(url) as rememora:
            ana = rememora.user("ana", tenant="acme")
            seqs[url] = (await ana.conversation("c1").append("user", "o boleto roxo venceu ontem")).seq
            await ana.remember("user.name", "Ana Beatriz")
            await rememora.settle()
            chains = await rememora.health.verify_audit(acting="auditor")
            hits = await ana.recall("boleto roxo", limit=1)

            assert all(chain.intact for chain in chains)
            assert "o boleto roxo venceu ontem" == hits[0].content
    assert seqs["here"] == seqs[server]


async def test_a_difference_on_a_server_is_found(filled: Path, server: str) -> None:
    """One bit of a vector, one of a number with a fraction; and a store that is full takes no other."""
    shutil.copytree(filled, "here")
    await Rememora.transfer("here", server, settings=settings_of("here"))
    behind(
        server,
        "UPDATE memories SET confidence = confidence - 1e-15 WHERE key = 'user.name'",
        "UPDATE vectors SET vector = vector * vector WHERE kind = 'entity'",
    )
    with pytest.raises(TransferDiffers) as refusal:
        await Rememora.transfer("here", server, settings=settings_of("here"), verify_only=True)
    with pytest.raises(Conflict, match="not empty"):
        await Rememora.transfer("here", server, settings=settings_of("here"))

    assert {"memories", "vectors"} == set(refusal.value.tables)


async def test_what_changed_meanwhile_is_carried_again(filled: Path, server: str) -> None:
    """The server's tables that differ are named and emptied, links of a chain too; the same command fills them."""
    shutil.copytree(filled, "here")
    changed: list[int] = []

    def change(done: int, total: int) -> None:
        if not changed and done > total / 2:
            changed.append(done)
            behind(
                "here", "UPDATE audit SET why = 'another'", "UPDATE messages SET content = 'another' WHERE seq = 3"
            )

    with pytest.raises(TransferDiffers) as refusal:
        await Rememora.transfer("here", server, settings=settings_of("here"), progress=change)
    again = await Rememora.transfer("here", server, settings=settings_of("here"))

    assert {"audit", "messages"} == set(refusal.value.tables)
    assert again.copied == sum(table.rows for table in again.tables if table.name in refusal.value.tables)


async def test_a_server_without_a_schema_names_the_command(
    filled: Path,
) -> None:
    """Its owner migrates it first; the application's role creates nothing."""
    shutil.copytree(filled, "here")
    empty = databases().url(databases().create())
    with pytest.raises(SchemaOutdated, match="rememora migrate"):
        await Rememora.transfer("here", empty, settings=settings_of("here"))
