"""A server that is killed loses nothing it acknowledged; one that is asked to stop answers what it took on."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.doors.process import Served, Writer

WRITERS = 3


def writers(served: Served, label: str) -> list[Writer]:
    """Several writers at work."""
    items = [Writer(served, "ana", f"{label}-{number}") for number in range(WRITERS)]
    for item in items:
        item.start()
    return items


def until_acknowledged(at_work: list[Writer]) -> None:
    """Wait for the first answer: a server that has not begun to serve has nothing to lose."""
    for _ in range(6000):
        if any(task.acknowledged for task in at_work):
            return
        time.sleep(0.01)


def rest(at_work: list[Writer]) -> list[str]:
    """Stop the writers; returns what was acknowledged to them."""
    for task in at_work:
        task.stopped.set()
    for task in at_work:
        task.join(60)
    return [id for item in at_work for id in item.acknowledged]


def kill_often(folder: Path, times: int, *, seed: int = 11) -> tuple[int, int]:
    """Kill the server under load, again and again; returns how much was acknowledged, and lost."""
    served = Served(folder)
    chance = random.Random(seed)
    acknowledged: list[str] = []
    for number in range(times):
        served.start()
        at_work = writers(served, f"r{number}")
        until_acknowledged(at_work)
        time.sleep(chance.uniform(0, 0.5))
        served.end(signal.SIGKILL)
        acknowledged += rest(at_work)
    kept = served.stored("ana")

    assert len(kept) == len(set(kept))
    return len(acknowledged), len(set(acknowledged) - set(kept))


def test_a_killed_server_loses_nothing_it_acknowledged(tmp_path: Path) -> None:
    """Killed a few times under load: every acknowledged message is there, once."""
    acknowledged, lost = kill_often(tmp_path, 2)

    assert acknowledged > 0
    assert 0 == lost


@pytest.mark.slow
def test_a_server_killed_a_hundred_times_loses_nothing(tmp_path: Path) -> None:
    """The same, a hundred times on one store."""
    acknowledged, lost = kill_often(tmp_path, 100)

    assert acknowledged > 100
    assert 0 == lost


@pytest.mark.parametrize("processes", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_server_asked_to_stop_answers_what_it_took_on(tmp_path: Path, processes: int) -> None:
    """After SIGTERM under load nothing is stored that was not acknowledged, and the process ends well."""
    served = Served(tmp_path, processes=processes)
    served.start()
    at_work = writers(served, "w")
    until_acknowledged(at_work)
    time.sleep(0.5)
    code = served.end(signal.SIGTERM)
    acknowledged = rest(at_work)

    assert acknowledged
    assert set(acknowledged) == set(served.stored("ana"))
    assert 0 == code


def codes_of(served: Served, how: signal.Signals, delays: Sequence[float]) -> list[int]:
    """The exit codes of a server that gets a signal so long after it told its address."""
    codes = []
    for delay in delays:
        served.start()
        time.sleep(delay)
        codes.append(served.end(how))
    return codes


@pytest.mark.parametrize(("processes", "how"), [(1, signal.SIGINT), (2, signal.SIGTERM)])
def test_a_server_that_is_asked_to_stop_before_it_serves_ends_well(
    tmp_path: Path, how: signal.Signals, processes: int
) -> None:
    """Its address is told before its memory is open: whenever a signal comes after that, it is heard."""
    assert [0, 0] == codes_of(Served(tmp_path, processes=processes), how, (0.0, 0.3))


@pytest.mark.slow
@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_server_asked_to_stop_at_any_moment_ends_well(
    tmp_path: Path, how: signal.Signals, processes: int
) -> None:
    """The same for both signals at more moments."""
    assert [0, 0, 0, 0] == codes_of(Served(tmp_path, processes=processes), how, (0.0, 0.1, 0.3, 0.6))
