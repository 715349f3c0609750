"""What was stored before visibility was decided at writing: hidden until judged, and judged by the migration."""

from __future__ import annotations

from pathlib import Path

from tests.behind import behind
from tests.migrations.before_visibility import (
    BEFORE,
    CANARIES,
    ENTRIES,
    EXPECTED,
    ORDINARY,
    filled,
    judged,
    settings_of,
    told,
)

from rememora import Rememora
from rememora.adapters.sql.migrate import migrate as migrate_alone
from rememora.moving import migrate
from rememora.testing import WordEmbedder


async def old_store(folder: Path) -> None:
    """A store of the version before, with what it would have told."""
    settings = settings_of(str(folder))
    async with Rememora.open(settings=settings, embedder=WordEmbedder(), background=False) as rememora:
        await filled(rememora)
    migrate(str(folder), to=BEFORE)
    for statement in ENTRIES:
        behind(folder, statement)


async def test_a_migration_judges_what_is_stored(tmp_path: Path) -> None:
    """After `rememora migrate` nothing of it is told, and what may be told is found."""
    folder = tmp_path / "store"
    await old_store(folder)
    migrate(str(folder))
    at_once, _, after, reasons = await judged(settings_of(str(folder)))

    assert EXPECTED == at_once == reasons
    assert [] == [canary for canary in CANARIES if canary in after]
    assert ORDINARY in after


async def test_until_it_is_judged_nothing_is_told(tmp_path: Path) -> None:
    """A schema that was moved alone: all of it is hidden, and the worker judges it when it starts."""
    folder = tmp_path / "store"
    await old_store(folder)
    migrate_alone(str(folder))
    waiting, before, after, reasons = await judged(settings_of(str(folder)))

    assert [] == [canary for canary in CANARIES if canary in before + after]
    assert {"unjudged", "erased"} == {*waiting.values()}
    assert (EXPECTED, True) == (reasons, ORDINARY in after)


async def test_judging_goes_on_where_it_was_left(tmp_path: Path) -> None:
    """Judged once more, nothing changes; the marks say that nothing is left to do."""
    folder = tmp_path / "store"
    await old_store(folder)
    migrate(str(folder))
    first = await judged(settings_of(str(folder)))
    behind(folder, "UPDATE conversations SET hidden = 'unjudged' WHERE id = 'c1'")
    settings = settings_of(str(folder))
    async with Rememora.open(settings=settings, embedder=WordEmbedder(), background=False) as rememora:
        await rememora.settle()
        again = await told(rememora.user("ana", tenant="acme"))

    assert [] == [canary for canary in CANARIES if canary in again]
    assert first[3] == (await judged(settings))[3]


async def test_what_is_erased_stays_so_on_the_way_down_and_up(tmp_path: Path) -> None:
    """The version before marks an erased turn in its metadata; the mark comes and goes with the version."""
    folder = tmp_path / "store"
    await old_store(folder)
    marked = behind(folder, "SELECT COUNT(*) FROM messages WHERE instr(metadata, '\"silenced\":true')")
    migrate(str(folder))
    left = behind(folder, "SELECT COUNT(*) FROM messages WHERE instr(metadata, 'silenced')")

    assert [(2,), (0,)] == [*marked, *left]
