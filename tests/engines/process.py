"""One engine as a process of the test's own: started, killed and started again on the same port and folder."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.engines.choose import death

PATIENCE_SECONDS = 60.0
UNPRIVILEGED = "nobody"


class Engine:
    """A server process; `ready` says whether it answers."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        log: Path,
        ready: Callable[[], bool],
        user: str | None = None,
        env: dict[str, str] | None = None,
    ) -> None:
        self._env = env
        self._command = list(command)
        self._log = log
        self._ready = ready
        self._user = user
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Returns when it answers."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command, stdout=log, stderr=log, user=self._user, env=self._env, start_new_session=True
            )
        give_up_at = time.monotonic() + PATIENCE_SECONDS
        while not self._ready():
            ended = self._process.poll()
            if ended is not None or time.monotonic() > give_up_at:
                how = "does not answer" if ended is None else death(ended)
                raise AssertionError(f"did not start: {how}\n{self._command[0]}: {self._log.read_text()[-2000:]}")
            time.sleep(0.02)

    def kill(self) -> None:
        """SIGKILL to the server and everything it started."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """An orderly end."""
        self._end(signal.SIGTERM)

    def _signal(self, how: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(how)

    def _end(self, how: signal.Signals) -> None:
        if self._process is None or self._process.poll() is not None:
            return
        if how is signal.SIGKILL:
            os.killpg(self._process.pid, how)
        else:
            self._signal(how)
        self._process.wait(PATIENCE_SECONDS)


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def unprivileged() -> str | None:
    """Whom to run an engine as that refuses to be root; None where we are not root ourselves."""
    return UNPRIVILEGED if os.geteuid() == 0 else None
