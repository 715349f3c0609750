"""A thousand changes behind the back of the audit chain: every one is found."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.attacks.counts import Probe
from tests.endurance.conftest import Campaign
from tests.scenarios.test_audit import TAMPERINGS, filled, opened, report_of

from rememora import Rememora, Settings

TRIES = 1_000


@pytest.mark.slow
@pytest.mark.embedded
async def test_tampering_with_the_audit_chain(
    rememora: Rememora, settings: Settings, campaign: Campaign, probe: Probe
) -> None:
    """One to three changes at once, of every kind; the chain is put back as it was after each."""
    await filled(rememora, rounds=6)
    file = Path(settings.store.url) / "rememora.db"
    with opened(file) as connection:
        tables = {
            name: connection.execute(f"SELECT * FROM {name}").fetchall() for name in ("audit", "audit_heads")
        }
    for seed in campaign.seeds(TRIES):
        chance = random.Random(seed)
        tamper = chance.choice(TAMPERINGS)
        with opened(file) as connection:
            tamper(connection, chance)
            changed = any(
                connection.execute(f"SELECT * FROM {name}").fetchall() != rows for name, rows in tables.items()
            )
        probe(not changed or not (await report_of(rememora)).intact, f"seed {seed}: {tamper.__name__}")
        assert changed, f"seed {seed}: {tamper.__name__} changed nothing, and so tries nothing"
        with opened(file) as connection:
            for name, rows in tables.items():
                connection.execute(f"DELETE FROM {name}")
                marks = ", ".join("?" * len(rows[0]))
                connection.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)

    assert (await report_of(rememora)).intact
