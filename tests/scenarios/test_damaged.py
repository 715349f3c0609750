"""Damaged bytes: they are named as damage, their content is not told, and the store's check finds them."""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.behind import behind

from rememora import Rememora, Settings
from rememora.adapters.sql.folder import FILE
from rememora.errors import RememoraError, StoreDamaged

UNREADABLE = b"\xff\xfe\xc3"
Verb = Callable[[Any], Awaitable[Any]]
CANARIES: dict[str, Verb] = {
    "CANARIO-MENSAGEM": lambda ana: ana.conversation("c1").messages(limit=1000),
    "CANARIO-MEMORIA": lambda ana: ana.memories.list(),
    "CANARIO-ENTIDADE": lambda ana: ana.entities.list(),
}


@pytest.fixture
async def folder(tmp_path: Path) -> Path:
    """A store with a word of its own in several tables, closed."""
    settings = settings_of(tmp_path)
    async with Rememora.open(settings=settings, background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        for number in range(200):
            await ana.conversation("c1").append("user", f"pedido {number} da padaria")
        await ana.conversation("c1").append("user", "CANARIO-MENSAGEM")
        await ana.remember("user.name", "CANARIO-MEMORIA")
        await ana.entities.mention("product", "CANARIO-ENTIDADE", "x")
    return tmp_path


def settings_of(folder: Path) -> Settings:
    """A store that goes by words alone."""
    return Settings.load({"store.url": str(folder), "recall.embedder": "none"}, environ={})


def damage(folder: Path, text: str) -> None:
    """Overwrite a text with bytes that no UTF-8 has."""
    file = folder / FILE
    raw = text.encode()
    with closing(sqlite3.connect(file)) as connection:
        # A store that was closed in a hurry may have left its last pages in the log.
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert raw in file.read_bytes()
    file.write_bytes(file.read_bytes().replace(raw, (UNREADABLE * len(raw))[: len(raw)]))


@pytest.mark.parametrize("canary", CANARIES)
async def test_unreadable_text_is_damage_and_is_not_told(folder: Path, canary: str) -> None:
    """The error is a typed one that names the command to run, and says nothing of what stood there."""
    damage(folder, canary)
    async with Rememora.open(settings=settings_of(folder), background=False) as rememora:
        with pytest.raises(StoreDamaged) as raised:
            await CANARIES[canary](rememora.user("ana", tenant="acme"))
        integrity = await rememora.health.check_integrity()

    assert "rememora doctor" == raised.value.command
    assert "�" not in raised.value.message
    assert any("text that cannot be read" in fault for fault in integrity.faults)


async def test_flipped_bytes_anywhere_end_in_a_typed_error(folder: Path) -> None:
    """Sixty places of the file, one after another: whatever fails, fails as one of our errors."""
    whole = (folder / FILE).read_bytes()
    noticed = 0
    for place in range(0, len(whole), max(1, len(whole) // 60)):
        (folder / FILE).write_bytes(
            whole[:place] + bytes(255 - byte for byte in whole[place : place + 40]) + whole[place + 40 :]
        )
        for neighbour in ("-wal", "-shm"):
            (folder / f"{FILE}{neighbour}").unlink(missing_ok=True)
        try:
            async with Rememora.open(settings=settings_of(folder), background=False) as rememora:
                integrity = await rememora.health.check_integrity()
                noticed += not integrity.intact
                for verb in CANARIES.values():
                    await verb(rememora.user("ana", tenant="acme"))
        except RememoraError:
            noticed += 1

    # Most of the file is indexes, whose flipped bytes are often another valid word.
    assert noticed >= 3


async def test_a_store_that_is_whole_has_no_fault(settings: Settings, rememora: Rememora) -> None:
    """On either engine everything is read, and a row whose conversation is gone is a fault."""
    await rememora.user("ana", tenant="acme").conversation("c1").append("user", "oi")

    assert (await rememora.health.check_integrity()).intact
    behind(settings.store.url, "DELETE FROM conversations")
    assert ("table messages: 1 rows belong to nothing that is there",) == (
        await rememora.health.check_integrity()
    ).faults
