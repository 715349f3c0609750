"""The chain of changes: whatever is done to the table behind its back is found."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rememora import ChainReport, Rememora, Settings
from rememora.adapters.keys import StoreKey
from rememora.domain.audit import Act, Head
from rememora.knowledge.audit import Walk, forge, head_bytes, ranges_of

Tamper = Callable[[sqlite3.Connection, random.Random], None]
COLUMNS = (
    "at", "action", "actor", "owner_id", "memory_id", "key", "why", "before", "after", "salt", "digest", "hash",
)  # fmt: skip
EDITS = 500


async def filled(rememora: Rememora, *, rounds: int = 3) -> None:
    """A chain with every kind of change in it, an erasure included."""
    ana = rememora.user("ana", tenant="acme")
    for number in range(rounds):
        await ana.remember("user.name", f"Ana {number}")
        await ana.remember("prefs.format", f"formato {number}")
    await ana.memories.suppress("user.name")
    await ana.forget("prefs.format", why="a pedido")
    await ana.memories.restore("prefs.format")
    bia = rememora.user("bia", tenant="acme")
    await bia.remember("user.name", "Bia")
    await bia.erase(person=True)
    await ana.memories.correct("user.name", "Ana Maria")


def edit(connection: sqlite3.Connection, chance: random.Random) -> None:
    """Change one cell to something else."""
    column = chance.choice(COLUMNS)
    position, old = chance.choice(connection.execute(f"SELECT position, {column} FROM audit").fetchall())
    connection.execute(f"UPDATE audit SET {column} = ? WHERE position = ?", (other(old, column, chance), position))


def other(old: object, column: str, chance: random.Random) -> object:
    """A value unlike the old one, of a type that the column takes."""
    if isinstance(old, int):
        return old + chance.choice((-1, 1, 10**6, -(10**15), 2**60))
    if isinstance(old, bytes):
        place = chance.randrange(len(old))
        flipped = bytes([old[place] ^ (1 << chance.randrange(8))])
        return chance.choice((old[:place] + flipped + old[place + 1 :], old[:-1], old + b"\0"))
    if old is None:
        return b"0123456789abcdef" if column == "salt" else chance.choice(('"x"', ""))
    text = str(old)
    choices = [f"{text} ", f"x{text}", text[:-1] if text else "y", "", text.swapcase()]
    return chance.choice([choice for choice in choices if choice != text])


def remove(connection: sqlite3.Connection, chance: random.Random) -> None:
    """Take an entry out, anywhere, the last one included."""
    [last] = connection.execute("SELECT MAX(position) FROM audit").fetchone()
    connection.execute("DELETE FROM audit WHERE position = ?", (chance.randint(1, last),))


def truncate(connection: sqlite3.Connection, chance: random.Random) -> None:
    """Cut the end off, even all of it, leaving the signed end as it is."""
    [last] = connection.execute("SELECT MAX(position) FROM audit").fetchone()
    connection.execute("DELETE FROM audit WHERE position > ?", (chance.randrange(last),))


def swap(connection: sqlite3.Connection, chance: random.Random) -> None:
    """Let two entries change places."""
    [last] = connection.execute("SELECT MAX(position) FROM audit").fetchone()
    one, two = chance.sample(range(1, last + 1), 2)
    for before, after in ((one, -1), (two, one), (-1, two)):
        connection.execute("UPDATE audit SET position = ? WHERE position = ?", (after, before))


def insert(connection: sqlite3.Connection, chance: random.Random) -> None:
    """Add a copy of an entry at the end."""
    [last] = connection.execute("SELECT MAX(position) FROM audit").fetchone()
    columns = ", ".join(COLUMNS)
    connection.execute(
        f"INSERT INTO audit (tenant_id, position, {columns}) "
        f"SELECT tenant_id, {last + 1}, {columns} FROM audit WHERE position = {chance.randint(1, last)}"
    )


def empty(connection: sqlite3.Connection, chance: random.Random) -> None:
    """Empty an entry as an erasure would, without saying so."""
    rows = connection.execute("SELECT position FROM audit WHERE salt IS NOT NULL").fetchall()
    connection.execute(
        "UPDATE audit SET actor = '', owner_id = '', memory_id = '', key = '', why = '', before = NULL, "
        "after = NULL, salt = NULL WHERE position = ?",
        chance.choice(rows),
    )


def head(connection: sqlite3.Connection, chance: random.Random) -> None:
    """Touch the signed end, or cut the chain and move the end back with it."""
    [last] = connection.execute("SELECT MAX(position) FROM audit").fetchone()
    if chance.random() < 0.5:
        connection.execute("UPDATE audit_heads SET position = position - 1")
        return
    back = chance.randint(1, last - 1)
    [hash] = connection.execute("SELECT hash FROM audit WHERE position = ?", (back,)).fetchone()
    connection.execute("DELETE FROM audit WHERE position > ?", (back,))
    connection.execute("UPDATE audit_heads SET position = ?, hash = ?", (back, hash))


def forget_head(connection: sqlite3.Connection, chance: random.Random) -> None:
    """Remove the signed end, alone or with the whole chain."""
    connection.execute("DELETE FROM audit_heads")
    if chance.random() < 0.5:
        connection.execute("DELETE FROM audit")


TAMPERINGS: tuple[Tamper, ...] = (edit, edit, edit, remove, truncate, swap, insert, empty, head, forget_head)


@contextmanager
def opened(file: Path) -> Iterator[sqlite3.Connection]:
    """The store's own file, behind its back."""
    connection = sqlite3.connect(file)
    try:
        with connection:
            yield connection
    finally:
        connection.close()


async def report_of(rememora: Rememora) -> ChainReport:
    """What the check says now."""
    return await rememora.tenant("acme", acting="auditor").audit.verify()


async def test_an_untouched_chain_is_intact(rememora: Rememora) -> None:
    """Every kind of change, erasures included, leaves the chain whole."""
    await filled(rememora)
    report = await report_of(rememora)

    assert () == report.faults
    assert report.entries > 10


@pytest.mark.embedded
async def test_five_hundred_tamperings_are_all_found(rememora: Rememora, settings: Settings) -> None:
    """No edit, deletion, insertion, reorder, silent redaction or truncation passes."""
    await filled(rememora)
    file = Path(settings.store.url) / "rememora.db"
    with opened(file) as connection:
        tables = {
            table: connection.execute(f"SELECT * FROM {table}").fetchall() for table in ("audit", "audit_heads")
        }
    missed = []
    for seed in range(EDITS):
        tamper = TAMPERINGS[seed % len(TAMPERINGS)]
        with opened(file) as connection:
            tamper(connection, random.Random(seed))
        if (await report_of(rememora)).intact:
            missed.append((seed, tamper.__name__))
        with opened(file) as connection:
            for table, rows in tables.items():
                connection.execute(f"DELETE FROM {table}")
                marks = ", ".join("?" * len(rows[0]))
                connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)

    assert [] == missed
    assert (await report_of(rememora)).intact


@pytest.mark.embedded
async def test_a_memory_without_an_entry_is_found(rememora: Rememora, settings: Settings) -> None:
    """A memory slipped in behind the chain's back has nobody who answers for it."""
    await filled(rememora)
    with opened(Path(settings.store.url) / "rememora.db") as connection:
        connection.execute("UPDATE memories SET id = 'forged' WHERE key = 'user.name' AND status = 'active'")

    assert not (await report_of(rememora)).intact


async def test_an_end_noted_earlier_must_still_be_in_the_chain(rememora: Rememora) -> None:
    """An operator who kept an earlier end finds even a chain that was rebuilt and signed anew."""
    await filled(rememora)
    tenant = rememora.tenant("acme", acting="auditor")
    noted = (await tenant.audit.verify()).head
    await rememora.user("ana", tenant="acme").remember("user.name", "outra Ana")

    assert (await tenant.audit.verify(anchor=noted)).intact
    assert not (await tenant.audit.verify(anchor="3:" + "00" * 32)).intact


@pytest.mark.embedded
async def test_the_key_is_its_owners_alone(rememora: Rememora, settings: Settings) -> None:
    """The signing key is made on first use, readable by the owner only, and survives a restart."""
    await filled(rememora, rounds=1)
    file = Path(settings.store.url) / "signing.key"

    assert 0o600 == file.stat().st_mode & 0o777
    assert StoreKey(file.parent).public_key == StoreKey(file.parent).public_key


async def test_tenants_have_chains_of_their_own(rememora: Rememora) -> None:
    """Breaking one tenant's chain says nothing against another's."""
    await filled(rememora)
    await rememora.user("ana", tenant="zeta").remember("user.name", "Ana")
    reports = {report.tenant: report for report in await rememora.health.verify_audit(acting="operator")}

    assert ["acme", "zeta"] == sorted(reports)
    assert 1 == reports["zeta"].entries


@given(st.sets(st.integers(1, 60)))
def test_ranges_say_the_same_places(places: set[int]) -> None:
    """First and last of each run are all the places and no more."""
    ranges = ranges_of(places)

    assert sorted(places) == [place for first, last in ranges for place in range(first, last + 1)]
    assert all(one[1] + 1 < two[0] for one, two in pairwise(ranges))


@given(st.lists(st.text(max_size=5), min_size=1, max_size=8), st.data())
def test_a_chain_put_in_any_other_order_does_not_hold(whys: list[str], data: st.DataObject) -> None:
    """Each entry follows from all before it."""
    key = StoreKey(None)
    links, previous = [], b""
    for position, why in enumerate(whys, 1):
        link = forge(
            Act(action="read", actor="ana", why=why), tenant="t", position=position, previous=previous, at=0
        )
        links.append(link)
        previous = link.hash
    end = Head(
        tenant="t",
        position=len(links),
        hash=previous,
        signature=key.sign(head_bytes("t", len(links), previous)),
    )
    shuffled = data.draw(st.permutations(links))
    walk = Walk("t")
    for link in shuffled:
        walk.step(link)
    walk.finish(end, unaudited=0, check=key.verify)

    assert (shuffled == links) == (not walk.faults)


@pytest.mark.embedded
@pytest.mark.parametrize("content", ["", "not hex", "00"])
async def test_a_spoiled_key_is_an_error_not_a_new_key(settings: Settings, content: str) -> None:
    """A key that cannot be read stops the write: a fresh one would disown the whole chain."""
    async with Rememora.open(settings=settings, background=False) as rememora:
        (Path(settings.store.url) / "signing.key").write_text(content)
        with pytest.raises(Exception, match="signing key"):
            await rememora.user("ana", tenant="acme").remember("user.name", "Ana")

        assert () == (await rememora.user("ana", tenant="acme").memories.list()).items
