"""Worker processes are kept: one that dies is replaced, and where none can live it is said."""

from __future__ import annotations

import math
import os
import signal
import time
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from multiprocessing.synchronize import Event
from pathlib import Path

import pytest
from tests.doors.conftest import settings_of

from rememora.errors import Unavailable
from rememora.server.serve import StopSignals, cautions, is_loopback
from rememora.server.supervise import DEATHS, LONGEST_PAUSE_SECONDS, keep, pause_after

PACE = 0.01


class Beginning:
    """Begins processes that end at once, and notes how many; after so many lives it is time to stop."""

    def __init__(self, *, lives: float = math.inf) -> None:
        self.begun = 0
        self.ended: list[BaseProcess] = []
        self._lives = lives

    def over(self) -> bool:
        return self.begun > self._lives

    def __call__(self) -> BaseProcess:
        self.begun += 1
        process = get_context("fork").Process(target=os._exit, args=(7,))
        process.start()
        return process


def test_a_worker_that_always_dies_is_given_up() -> None:
    """After so many in a row it says so, with the exit code, instead of going on."""
    beginning = Beginning()
    with pytest.raises(Unavailable, match=f"{DEATHS} in a row, the last with exit code 7"):
        keep(beginning, 1, on_exit=beginning.ended.append, stop_requests=beginning.over, pace=PACE)

    assert DEATHS == beginning.begun == len(beginning.ended)


def test_a_worker_that_dies_is_replaced_until_told_to_stop() -> None:
    """And ends without an error."""
    beginning = Beginning(lives=2)
    keep(beginning, 1, on_exit=beginning.ended.append, stop_requests=beginning.over, pace=PACE)

    assert 3 == beginning.begun


class Interrupting:
    """Has the process asked to stop while it is thrown away itself, where what is raised is lost."""

    def __init__(self, how: signal.Signals) -> None:
        self._how = how

    def __del__(self) -> None:
        os.kill(os.getpid(), self._how)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_is_heard_in_whatever_moment_it_comes(how: signal.Signals) -> None:
    """Python throws away what is raised while an object goes: the supervisor went on as if nobody had asked."""
    beginning = Beginning()

    def begin() -> BaseProcess:
        Interrupting(how)
        return beginning()

    with StopSignals().caught() as ending:
        keep(begin, 1, on_exit=beginning.ended.append, stop_requests=lambda: ending.signals, pace=PACE)

    assert 1 == beginning.begun


def deaf(ready: Event) -> None:
    """A worker that will not be told, once it is ready."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    ready.set()
    time.sleep(600)


def test_who_is_asked_twice_waits_for_nobody() -> None:
    """A worker that hangs is killed; asked once, it is waited for."""
    forked = get_context("fork")
    ready = forked.Event()
    worker = forked.Process(target=deaf, args=(ready,))
    times = iter([0, 0, 1, 1, 1])

    def begin() -> BaseProcess:
        worker.start()
        assert ready.wait(60), "a signal that comes before it is deaf would end it"
        return worker

    keep(begin, 1, on_exit=lambda _: None, stop_requests=lambda: next(times, 2), pace=PACE)

    assert -signal.SIGKILL == worker.exitcode
    assert 2 == next(times, 2)


def test_who_is_asked_before_anything_begins_begins_nothing() -> None:
    """A signal may come while the store is still being opened."""
    beginning = Beginning()
    keep(beginning, 2, on_exit=beginning.ended.append, stop_requests=lambda: 1, pace=PACE)

    assert 0 == beginning.begun


def test_each_death_is_followed_by_a_longer_pause() -> None:
    """Doubling up to a limit, and no further."""
    pauses = [pause_after(deaths) for deaths in range(3 * DEATHS)]

    assert 0.0 == pauses[0]
    assert sorted(pauses) == pauses
    assert sorted(set(pauses[:DEATHS])) == pauses[:DEATHS]
    assert LONGEST_PAUSE_SECONDS == pauses[-1] == max(pauses)


def test_one_that_always_dies_does_not_end_those_that_live() -> None:
    """At one of two places every process dies at once: the other goes on serving, and the first is tried again."""
    forked = get_context("fork")
    living = forked.Process(target=time.sleep, args=(600,))
    beginning = Beginning(lives=DEATHS + 3)
    begun: list[BaseProcess] = []

    def begin() -> BaseProcess:
        if not begun:
            living.start()
        begun.append(beginning() if begun else living)
        return begun[-1]

    alive: list[bool] = []

    def asked() -> bool:
        # It is asked again, and any number of times, while the processes are being stopped.
        if begun and not beginning.over():
            alive.append(living.is_alive())
        return beginning.over()

    keep(begin, 2, on_exit=beginning.ended.append, stop_requests=asked, pace=PACE)

    assert beginning.begun > DEATHS + 3
    assert alive
    assert all(alive)
    assert -signal.SIGTERM == living.exitcode


def test_where_nobody_can_live_the_server_gives_up() -> None:
    """At two places every process dies at once: there is no hope left, and it says so."""
    beginning = Beginning()
    with pytest.raises(Unavailable, match="exit code 7"):
        keep(beginning, 2, on_exit=beginning.ended.append, stop_requests=beginning.over, pace=PACE)


@pytest.mark.parametrize(
    ("host", "only_here"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.0.7", False),
        ("memory.example", False),
    ],
)
def test_whoever_opens_the_server_to_a_network_is_told(tmp_path: Path, host: str, only_here: bool) -> None:
    """Anything but the loopback is worth a word at the start."""
    reply = cautions(settings_of(tmp_path, **{"server.host": host}))

    assert only_here == is_loopback(host)
    assert only_here == (reply == [])
    assert all("TLS" in text for text in reply)


def test_a_signing_key_from_where_one_stands_is_worth_a_word(tmp_path: Path) -> None:
    """A store on a server has no folder: without `store.key_folder` every process may find another key."""
    away = {"store.url": "postgresql://db/memory"}
    reply = cautions(settings_of(tmp_path, **away))

    assert 1 == len(reply)
    assert "store.key_folder" in reply[0]
    assert [] == cautions(settings_of(tmp_path, **away, **{"store.key_folder": str(tmp_path)}))
