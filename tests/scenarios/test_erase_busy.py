"""An erasure that cannot clean the files just then: the rows are gone, and the receipt says what was not done."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from rememora import Rememora, Settings
from rememora.domain.receipt import ErasureArguments

CANARY = "zyxcanarinho"
LEFT = "bytes in the store's files and logs, until an erasure of this tenant goes through to its end: "


def impatient(folder: Path) -> Settings:
    """An embedded store that does not wait long for others."""
    overrides = {"store.url": str(folder), "store.busy_seconds": 0.2, "recall.embedder": "none"}
    return Settings.load(overrides, environ={})


@contextmanager
def read_by_another(folder: Path) -> Iterator[None]:
    """Another program has the file open, in the middle of a reading: the log cannot be emptied."""
    with closing(sqlite3.connect(folder / "rememora.db")) as connection:
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM messages").fetchone()
        yield


def holding(folder: Path) -> bool:
    """Whether any file of the store holds the word."""
    return any(CANARY.encode() in file.read_bytes() for file in folder.iterdir() if file.is_file())


@pytest.mark.embedded
@pytest.mark.parametrize("wish", [{"person": True}, {"conversation": "c1"}], ids=str)
async def test_a_busy_log_costs_no_receipt(tmp_path: Path, wish: ErasureArguments) -> None:
    """Rows gone, receipt genuine and honest, what was left is found by its check; the next erasure ends it."""
    async with Rememora.open(settings=impatient(tmp_path), background=False) as rememora:
        ana, boss = rememora.user("ana", tenant="acme"), rememora.tenant("acme", acting="boss")
        await ana.conversation("c1").append("user", f"o nome {CANARY} é dele")
        with read_by_another(tmp_path):
            receipt = await ana.erase(**wish)
            report = await boss.audit.verify_receipt(receipt)
        rows = (await ana.conversation("c1").messages()).items
        again = await ana.erase(person=True)
        after = await boss.audit.verify_receipt(receipt)

    assert [True] == [item.startswith(LEFT) for item in receipt.remains]
    assert (1, (), ()) == (receipt.counts["messages"], rows, again.remains)
    assert [(True, False), (True, True)] == [(item.genuine, item.clean) for item in (report, after)]
    assert not holding(tmp_path)


@pytest.mark.embedded
async def test_a_busy_log_costs_no_receipt_of_a_tenant(tmp_path: Path) -> None:
    """The same for a whole tenant, which could not be erased again: nothing of it is left to ask for."""
    async with Rememora.open(settings=impatient(tmp_path), background=False) as rememora:
        root = rememora.operator(acting="root")
        await root.tenants.create("acme")
        await rememora.user("ana", tenant="acme").conversation("c1").append("user", CANARY)
        with read_by_another(tmp_path):
            receipt = await root.tenants.erase("acme", confirm="acme")

    assert [True] == [item.startswith(LEFT) for item in receipt.remains]
    assert 1 == receipt.counts["messages"]
