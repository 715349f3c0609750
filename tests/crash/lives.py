"""Forks lives from a warm process and ends them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
Lines = list[list[str]]


class Lives:
    """Forks lives from a warm process and ends them."""

    def __init__(self, child: str) -> None:
        pipe, command = subprocess.PIPE, [sys.executable, "-m", f"tests.children.{child}"]
        self._process = subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True)

    def live(self, *, seconds: float = 0, lines: int | None = None, **order: Any) -> Lines:
        """What one life told before it was killed, so long after so many lines; None lets it end by itself."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        reply: Lines = []
        pid = 0
        killer: threading.Timer | None = None
        for line in self._process.stdout:
            words = line.split()
            if words[0] == "pid":
                pid = int(words[1])
            elif words[0] == "dead":
                break
            else:
                reply.append(words)
            if killer is None and lines is not None and len(reply) >= lines:
                killer = threading.Timer(seconds, kill, (pid,))
                killer.start()
        if killer is not None:
            killer.cancel()
        return reply

    def close(self) -> None:
        """End the warm process."""
        self._process.communicate(timeout=10)


def kill(pid: int) -> None:
    """End a life, unless it has ended by itself."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
