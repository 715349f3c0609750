"""A store carried into another holds the same, row for row, and works the same."""

from __future__ import annotations

import asyncio
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.behind import behind
from tests.filled import fill, opened, seen, settings_of

from rememora import Rememora, SyncRememora
from rememora.adapters.keys import FILE as KEY
from rememora.adapters.keys import StoreKey
from rememora.adapters.sql import transfer as carry
from rememora.adapters.sql.tables import tables
from rememora.adapters.sql.transfer import canonical, sum_of
from rememora.domain.message import Message
from rememora.engines import open_database
from rememora.errors import Conflict, InvalidInput, SchemaOutdated, TransferDiffers


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with something in every table, filled once."""
    folder = tmp_path_factory.mktemp("filled") / "source"
    asyncio.run(fill(str(folder)))
    return folder


@pytest.fixture
def source(filled: Path, tmp_path: Path) -> str:
    """A copy of it, with which a test does what it wants."""
    shutil.copytree(filled, tmp_path / "source")
    return str(tmp_path / "source")


@pytest.fixture
def target(tmp_path: Path) -> str:
    """Where there is nothing yet."""
    return str(tmp_path / "target")


async def test_everything_is_carried(source: str, target: str) -> None:
    """Every table holds something, and each arrives whole; what people see afterwards is the same."""
    done = await Rememora.transfer(source, target, settings=settings_of(target))

    assert [] == [table.name for table in done.tables if not table.rows]
    assert [table.name for table in tables()] == [table.name for table in done.tables]
    assert done.rows == done.copied
    assert await seen(source) == await seen(target)


async def test_the_audit_chain_holds_in_the_target(source: str, target: str) -> None:
    """The signing key goes along, readable by its owner alone."""
    await Rememora.transfer(source, target, settings=settings_of(target))
    async with opened(target) as rememora:
        chains = await rememora.health.verify_audit(acting="auditor")

    assert [True, True] == [chain.intact for chain in chains]
    assert 0o600 == (Path(target) / KEY).stat().st_mode & 0o777


async def test_there_and_back_is_the_same(source: str, target: str, tmp_path: Path) -> None:
    """Carried on from the target, nothing has changed; progress is told up to its end."""
    items: list[tuple[int, int]] = []
    await Rememora.transfer(source, target, settings=settings_of(target))
    back = str(tmp_path / "back")
    await Rememora.transfer(target, back, settings=settings_of(target), progress=lambda *at: items.append(at))
    same = await Rememora.transfer(source, back, settings=settings_of(target), verify_only=True)

    assert same.copied == 0
    assert items == sorted(items)
    assert items[-1][0] == items[-1][1] == 2 * same.rows


async def test_a_store_in_memory_is_carried_too(source: str) -> None:
    """The seam is the database: from a folder into memory, and from there into memory again."""
    folder = await open_database(settings_of(source))
    first, second = [await open_database(settings_of(":memory:")) for _ in range(2)]
    one = await carry.transfer(folder, first, origin="folder")
    two = await carry.transfer(first, second, origin="memory")
    for database in (folder, first, second):
        await database.close()

    assert one == two


async def test_a_target_that_is_not_empty_is_refused(source: str, target: str) -> None:
    """Nothing is written over, not even by the same transfer done twice."""
    async with opened(target) as rememora:
        await rememora.user("eva", tenant="other").conversation("c").append("user", "oi")
    with pytest.raises(Conflict, match=r"not empty.*conversations"):
        await Rememora.transfer(source, target, settings=settings_of(target))
    shutil.rmtree(target)
    await Rememora.transfer(source, target, settings=settings_of(target))
    with pytest.raises(Conflict, match="not empty"):
        await Rememora.transfer(source, target, settings=settings_of(target))


@pytest.mark.parametrize("tenant", ["live", "acme"])
async def test_what_others_write_to_the_target_meanwhile_stays(source: str, target: str, tenant: str) -> None:
    """A server that was open on the empty target goes on writing: it is told of, and nothing of its is removed."""
    with SyncRememora.open(settings=settings_of(target), background=False) as server:
        talk = server.user("zoe", tenant=tenant).conversation("c1")
        acknowledged: list[Message] = []

        def write(done: int, total: int) -> None:
            if not acknowledged and done > total // 4:
                acknowledged.append(talk.append("user", "acknowledged"))

        for _ in range(2):
            with pytest.raises(Conflict, match="the target is being written to"):
                await Rememora.transfer(source, target, settings=settings_of(target), progress=write)

        assert ["acknowledged"] == [message.content for message in talk.messages().items]


async def test_a_target_with_a_key_of_its_own_is_refused(source: str, target: str) -> None:
    """What it has signed could not be verified with another key."""
    Path(target).mkdir()
    public_key = StoreKey(Path(target)).public_key
    with pytest.raises(Conflict, match="signing key"):
        await Rememora.transfer(source, target, settings=settings_of(target))

    assert public_key == StoreKey(Path(target)).public_key


async def test_a_change_of_the_source_is_found_and_mended(source: str, target: str) -> None:
    """What differs is named, and carried again by the same command; until then the target opens for nobody."""

    def forget_one(done: int, total: int) -> None:
        if not changed and done > total / 2:
            behind(source, "DELETE FROM messages WHERE content LIKE '%item 7 %'")
            changed.append(done)

    changed: list[int] = []
    with pytest.raises(TransferDiffers) as refusal:
        await Rememora.transfer(source, target, settings=settings_of(target), progress=forget_one)
    with pytest.raises(Conflict, match="not finished"):
        await opened(target)
    again = await Rememora.transfer(source, target, settings=settings_of(target))

    assert ("messages",) == refusal.value.tables
    assert "messages (" in str(refusal.value)
    assert again.copied == next(table.rows for table in again.tables if table.name == "messages")


async def test_rows_that_no_longer_fit_are_named(source: str, target: str) -> None:
    """Where a page of a changed source breaks a rule of the target, its table is begun again."""
    local, there = await open_database(settings_of(source)), await open_database(settings_of(target))
    await there.write(None, lambda tx: carry._claim(tx, "o"))
    columns = (
        "user_id, scope, category, key, value, confidence, status, source, source_ref, conversation_id, origin"
    )
    columns += ", suppressed, supersedes, evidence, created_at, updated_at"
    clash = (
        f"INSERT INTO memories (tenant_id, owner_id, id, {columns}) SELECT tenant_id, owner_id, '0', {columns} "
    )
    clash += "FROM memories WHERE status = 'active' LIMIT 1"
    behind(source, "DROP INDEX memories_one_active")
    behind(source, clash)
    with pytest.raises(TransferDiffers, match="memories") as refusal:
        await carry.transfer(local, there, origin="o")
    left = await there.read(None, lambda tx: tx.one("transfer_count_memories", {}))
    for database in (local, there):
        await database.close()

    assert ("memories",) == refusal.value.tables
    assert (0,) == left


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE vectors SET vector = zeroblob(256) WHERE rowid = 1",
        "UPDATE memories SET confidence = confidence - 1e-15 WHERE rowid = 1",
        "DELETE FROM audit WHERE position = 1",
        "UPDATE messages SET metadata = NULL WHERE seq = 1",
        "UPDATE conversations SET metadata = '' WHERE metadata IS NULL",
    ],
)
async def test_the_smallest_difference_is_found(source: str, target: str, statement: str) -> None:
    """Comparing alone writes nothing, and tells which table differs."""
    await Rememora.transfer(source, target, settings=settings_of(target))
    behind(target, statement)
    with pytest.raises(TransferDiffers) as refusal:
        await Rememora.transfer(source, target, settings=settings_of(target), verify_only=True)

    assert [name for name in refusal.value.tables if f" {name} " in statement] == list(refusal.value.tables)


async def test_another_transfer_is_not_mixed_in(source: str, target: str, tmp_path: Path) -> None:
    """A target half filled from one source takes nothing from another, and is no source itself."""

    def stop(_: int, __: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await Rememora.transfer(source, target, settings=settings_of(target), progress=stop)
    shutil.copytree(source, tmp_path / "copy")
    for local, there, why in (
        (str(tmp_path / "copy"), target, "another source"),
        (target, str(tmp_path / "third"), "not finished"),
    ):
        with pytest.raises(Conflict, match=why):
            await Rememora.transfer(local, there, settings=settings_of(target))


async def test_two_at_once_do_not_double(source: str, target: str) -> None:
    """Of two transfers into one target, one that comes second to a page leaves it alone."""
    local = await open_database(settings_of(source))
    one, two = [await open_database(settings_of(target)) for _ in range(2)]
    places = await one.write(None, lambda tx: carry._claim(tx, "o"))
    rows = await local.read(None, lambda tx: carry._page(tx, places[0].table, None))
    first = await one.write(None, lambda tx: carry._put(tx, places[0], rows))
    second = await two.write(None, lambda tx: carry._put(tx, places[0], rows))
    done = await carry.transfer(local, two, origin="o")
    for database in (local, one, two):
        await database.close()

    assert first is not None
    assert second is None
    assert done.rows - len(rows) == done.copied


async def test_a_store_of_another_version_is_refused(source: str, target: str) -> None:
    """Whichever of the two it is, the error names the command."""
    behind(source, "UPDATE alembic_version SET version_num = '0001'")
    with pytest.raises(SchemaOutdated) as refusal:
        await Rememora.transfer(source, target, settings=settings_of(target))

    assert f"rememora migrate --url {source}" == refusal.value.command


@pytest.mark.parametrize(
    ("ends", "field"),
    [
        (lambda source, target: (":memory:", target), "source"),
        (lambda source, target: (source, ":memory:"), "target"),
        (lambda source, target: (target, f"{target}2"), "source"),
        (lambda source, target: (source, f"sqlite:///{source}/../source"), "target"),
    ],
)
async def test_ends_that_make_no_sense_are_refused(
    source: str, target: str, ends: Callable[[str, str], tuple[str, str]], field: str
) -> None:
    """A store that is not there, that ends with the process, or that is the other one; nothing is made."""
    with pytest.raises(InvalidInput) as refusal:
        await Rememora.transfer(*ends(source, target), settings=settings_of(target))

    assert field == refusal.value.field
    assert not Path(target).exists()


VALUES = st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False), st.text(), st.binary())
ROWS = st.lists(st.tuples(VALUES, VALUES), max_size=6)


@given(ROWS, st.randoms())
def test_a_sum_does_not_know_order(rows: list[tuple[object, ...]], dice: random.Random) -> None:
    """Rows in another order, cut into pages anywhere, add up to the same."""
    mixed = dice.sample(rows, len(rows))
    cut = dice.randint(0, len(rows))

    assert sum_of(rows) == sum_of(mixed) == sum_of(mixed[cut:], sum_of(mixed[:cut]))


@given(ROWS, ROWS)
def test_different_rows_add_up_differently(one: list[tuple[object, ...]], two: list[tuple[object, ...]]) -> None:
    """Rows that differ in a value, its kind, or how often they come do not read alike."""
    kinds = [sorted(repr(row) for row in rows) for rows in (one, two)]

    assert (kinds[0] == kinds[1]) == (sum_of(one) == sum_of(two))


@pytest.mark.parametrize(
    ("one", "two"), [(("ab", "c"), ("a", "bc")), ((1,), ("1",)), ((1,), (1.0,)), (("",), (None,))]
)
def test_no_two_rows_read_alike(one: tuple[object, ...], two: tuple[object, ...]) -> None:
    """Where a value ends, and of which kind it is, is part of a row; truth is a whole number."""
    assert canonical(one) != canonical(two)
    assert canonical((True,)) == canonical((1,))
    assert canonical((memoryview(b"x"),)) == canonical((b"x",))
