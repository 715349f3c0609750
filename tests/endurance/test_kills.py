"""kill -9 of the library, of workers, of servers, of PostgreSQL and of Redis: nothing acknowledged is lost."""

from __future__ import annotations

import random
from collections.abc import Awaitable
from contextlib import closing
from pathlib import Path

import pytest
from tests.attacks.counts import Probe
from tests.crash.lives import Lives
from tests.crash.test_crash import kill_the_writer
from tests.crash.test_crash_tasks import kill_the_workers
from tests.crash.test_crash_vectors import kill_the_blanking
from tests.doors.test_crash import kill_often
from tests.endurance.conftest import Campaign
from tests.engines.postgres import ADMIN, Databases, Server
from tests.postgres.test_faults import killed
from tests.scenarios.test_redis_faults import kill_redis

EACH = 25
"""Kills of one store, after which all that was acknowledged is looked for."""
LIBRARY, WORKERS, BLANKING, SERVERS, POSTGRES, REDIS = 500, 300, 100, 100, 100, 100


async def wrong(work: Awaitable[object], seed: int) -> str:
    """Return why a round did not hold, or nothing."""
    try:
        await work
    except AssertionError as error:
        return f"seed {seed}: {error}"
    return ""


@pytest.mark.slow
@pytest.mark.embedded
async def test_kills_of_the_library(tmp_path: Path, campaign: Campaign, probe: Probe) -> None:
    """Writers of messages, one by one and in bulk."""
    with closing(Lives("doomed")) as lives:
        for seed in campaign.seeds(LIBRARY // EACH):
            folder = tmp_path / str(seed)
            probe.all(EACH, await wrong(kill_the_writer(lives, folder, kills=EACH, seed=seed), seed))


@pytest.mark.slow
@pytest.mark.embedded
async def test_kills_of_workers(tmp_path: Path, campaign: Campaign, probe: Probe) -> None:
    """Processes that hand tasks over, work on them and relay their events."""
    with closing(Lives("crm")) as lives:
        for seed in campaign.seeds(WORKERS // EACH):
            folder = tmp_path / str(seed)
            probe.all(EACH, await wrong(kill_the_workers(lives, folder, kills=EACH, seed=seed), seed))


@pytest.mark.slow
@pytest.mark.embedded
async def test_kills_while_vectors_are_blanked_out(tmp_path: Path, campaign: Campaign, probe: Probe) -> None:
    """Conversations that come and go in files of vectors: nothing deleted is left, and the others are found."""
    with closing(Lives("blanker")) as lives:
        for seed in campaign.seeds(BLANKING // EACH):
            folder = tmp_path / str(seed)
            probe.all(EACH, await wrong(kill_the_blanking(lives, folder, kills=EACH, seed=seed), seed))


@pytest.mark.slow
@pytest.mark.embedded
def test_kills_of_the_server(tmp_path: Path, campaign: Campaign, probe: Probe) -> None:
    """`rememora serve` under three writers."""
    for seed in campaign.seeds(SERVERS // EACH):
        acknowledged, lost = kill_often(tmp_path / str(seed), EACH, seed=seed)
        probe.all(EACH, f"seed {seed}: {lost} of {acknowledged} are lost" if lost else "")
        assert acknowledged > EACH, f"seed {seed}: a server that acknowledges nothing has nothing to lose"


@pytest.mark.slow
@pytest.mark.embedded
async def test_kills_of_postgres(tmp_path: Path, campaign: Campaign, probe: Probe) -> None:
    """The database under four writers and two that change what is known."""
    server = Server(safe=True)
    try:
        databases = Databases(server.url("postgres", ADMIN))
        for seed in campaign.seeds(POSTGRES // EACH):
            folder = tmp_path / str(seed)
            folder.mkdir()
            round_ = killed(server, databases.take(), folder, kills=EACH, seed=seed)
            probe.all(EACH, await wrong(round_, seed))
    finally:
        server.remove()


@pytest.mark.slow
@pytest.mark.embedded
async def test_kills_of_redis(tmp_path: Path, campaign: Campaign, probe: Probe) -> None:
    """A Redis that comes back empty or from its disk, asked at each read or trusted for a while."""
    for seed in campaign.seeds(REDIS // EACH):
        chance = random.Random(seed)
        persistent, trust_ms = chance.random() < 0.5, chance.choice([0, 50])
        round_ = kill_redis(tmp_path / str(seed), rounds=2 * EACH, persistent=persistent, trust_ms=trust_ms)
        probe.all(EACH, await wrong(round_, seed))
