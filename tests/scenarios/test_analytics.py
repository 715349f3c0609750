"""How well the gate does, in numbers that can be counted by hand."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path

import msgspec
import pytest
from tests.clock import SetClock
from typer.testing import CliRunner

from rememora import Rememora, Settings
from rememora.adapters.duckdb.analytics import DuckTables
from rememora.cli import app
from rememora.domain.memory import Attempt
from rememora.domain.quality import GateQuality
from rememora.domain.scope import Scope
from rememora.knowledge.quality import look_back
from rememora.ports.store import UnitOfWork

FIRST, SECOND = datetime(2026, 3, 4, 9, tzinfo=UTC), datetime(2026, 3, 16, 0, 30, tzinfo=UTC)
"""A Wednesday, and a Monday half an hour old."""


def tried(tenant: str, user: str, number: int, verdict: str, at: datetime) -> Callable[[UnitOfWork], None]:
    attempt = Attempt(
        tenant=tenant,
        user=user,
        id=f"a{number}",
        at=at,
        worthy=verdict == "save",
        verdict=verdict,
        reason=f"because_{verdict}",
    )
    return lambda work: work.attempts.add(Scope(tenant, user), attempt)


async def fill(rememora: Rememora, clock: SetClock) -> None:
    """Acme: six tries in two weeks, three kept, one of them a correction. Other: one that was refused."""
    store = rememora._parts.store
    verdicts = [("save", FIRST), ("reject", FIRST), ("sensitive", FIRST), ("ask", SECOND), ("quarantine", SECOND)]
    for number, (verdict, at) in enumerate(verdicts):
        user = "ana" if number % 2 else "bia"
        await store.write(Scope("acme", user), tried("acme", user, number, verdict, at))
    await store.write(Scope("other", "caio"), tried("other", "caio", 0, "reject", FIRST))
    ana = rememora.user("ana", tenant="acme")
    clock.now = FIRST
    await ana.remember("user.name", "Ana")
    clock.now = SECOND
    await ana.remember("user.name", "Ana Maria")
    await ana.remember("prefs.short_answers", True)


@pytest.fixture
async def accounts(rememora: Rememora, clock: SetClock) -> dict[str | None, GateQuality]:
    await fill(rememora, clock)
    return {report.tenant: report for report in await rememora.operator(acting="root").analytics()}


def test_shares_are_of_all_that_was_tried(accounts: dict[str | None, GateQuality]) -> None:
    """Eight tries of Acme's: four kept, two refused, one asked about, one set apart; reasons beside them."""
    acme = accounts["acme"]
    shares = (acme.saved_share, acme.rejected_share, acme.asked_share, acme.quarantined_share)

    assert 8 == acme.attempts
    assert (4 / 8, 2 / 8, 1 / 8, 1 / 8) == shares
    assert 8 == sum(verdict.count for verdict in acme.verdicts)
    assert {("reject", "because_reject", 1, 1 / 8)} <= {
        (verdict.verdict, verdict.reason, verdict.count, verdict.share) for verdict in acme.verdicts
    }


def test_tenants_are_apart_and_together(accounts: dict[str | None, GateQuality]) -> None:
    """All come first, then each by itself, one that only ever refused included."""
    assert [None, "acme", "other"] == list(accounts)
    assert [9, 8, 1] == [account.attempts for account in accounts.values()]
    assert (1.0, ()) == (accounts["other"].rejected_share, accounts["other"].categories)


def test_categories_by_how_they_stand(accounts: dict[str | None, GateQuality]) -> None:
    """What is known now, and what was replaced."""
    items = [(category.active, category.deprecated, category.deleted) for category in accounts["acme"].categories]

    assert [(1, 0, 0), (1, 1, 0)] == sorted(items)


def test_the_correction_rate_by_week(accounts: dict[str | None, GateQuality]) -> None:
    """Weeks begin on Monday in UTC; a correction is a memory that took the place of another."""
    weeks = [
        (week.week, week.attempts, week.rejected, week.kept, week.corrections, week.correction_rate)
        for week in accounts["acme"].weeks
    ]

    assert [(date(2026, 3, 2), 4, 2, 1, 0, 0.0), (date(2026, 3, 16), 4, 0, 2, 1, 0.5)] == weeks


async def test_pages_make_no_difference(rememora: Rememora, clock: SetClock) -> None:
    """Read one by one or at once, the account is the same; one tenant asked for is the only one read."""
    await fill(rememora, clock)
    store, tables = rememora._parts.store, DuckTables()
    by_one = await look_back(store, tables, acting="root", page=1)
    tables.close()

    assert await rememora.operator(acting="root").analytics() == by_one
    assert [by_one[1]] == await rememora.operator(acting="root").analytics(tenant="acme")


async def test_a_store_without_anything_has_an_empty_account(rememora: Rememora) -> None:
    """Nothing tried is nothing, not a division by zero."""
    (account,) = await rememora.operator(acting="root").analytics()

    assert (None, 0, 0.0, ()) == (account.tenant, account.attempts, account.rejected_share, account.weeks)


async def filled(folder: Path) -> str:
    clock = SetClock()
    settings = Settings.load({"store.url": str(folder / "store")}, environ={})
    async with Rememora.open(settings=settings, clock=clock, background=False) as rememora:
        await fill(rememora, clock)
    return str(folder / "store")


def ask(*words: str) -> str:
    answer = CliRunner().invoke(app, ["analytics", *words], catch_exceptions=False)
    assert 0 == answer.exit_code
    return answer.output


async def test_at_the_terminal(tmp_path: Path) -> None:
    """Tables for people, JSON for machines, a picture for a report."""
    url = await filled(tmp_path)

    async def run(*words: str) -> str:
        return await asyncio.to_thread(ask, *words, "--url", url)

    shown, process = await run("--tenant", "acme"), await run("--json")
    await run("--plot", str(tmp_path / "gate.svg"))

    assert "because_quarantine" in shown
    assert "50.0%" in shown
    assert [None, "acme", "other"] == [item["tenant"] for item in msgspec.json.decode(process)]
    assert "</svg>" in (tmp_path / "gate.svg").read_text()


def test_a_picture_of_another_kind_is_refused(tmp_path: Path) -> None:
    """Only what can be drawn is promised."""
    answer = CliRunner().invoke(app, ["analytics", "--plot", str(tmp_path / "gate.gif")])

    assert 2 == answer.exit_code
