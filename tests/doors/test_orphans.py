"""Who ends when whoever began it is gone: worker processes with their supervisor, a server with nobody."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

from tests.doors.process import Served

from rememora.server.serve import ORPHAN_SECONDS


def until(holds: Callable[[], bool]) -> None:
    """Wait for it, but not for good."""
    give_up_at = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < give_up_at
        time.sleep(0.05)


def test_a_server_outlives_the_shell_that_began_it(tmp_path: Path) -> None:
    """Begun in the background of a terminal that is closed then: nobody has asked it to stop."""
    number, closed = tmp_path / "number", tmp_path / "closed"
    shell = f'"$0" "$@" & echo $! > {number}; while [ ! -e {closed} ]; do sleep 0.05; done'
    served = Served(tmp_path)
    served.start(through=("sh", "-c", shell))
    until(served.answers)
    closed.touch()
    time.sleep(2 * ORPHAN_SECONDS + 0.5)
    there = served.answers()
    os.kill(int(number.read_text()), signal.SIGTERM)

    assert there


def test_worker_processes_end_with_the_supervisor_that_was_killed(tmp_path: Path) -> None:
    """Nobody would replace them any more, nor tell them to stop."""
    served = Served(tmp_path, processes=2)
    served.start()
    until(served.answers)
    served.end(signal.SIGKILL)

    until(lambda: not served.answers())
