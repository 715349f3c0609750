"""Lives that a test ends with SIGKILL: forked from one warm process, so that each begins in milliseconds.

The test writes one JSON line per life; this process forks, and the life tells what it does on standard output.
Lines are written with one `write` each, so that the pipe holds exactly what happened before the end.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable, Coroutine


def tell(*words: object) -> None:
    """One line, whole or not at all."""
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def fork(live: Callable[..., Coroutine[object, object, None]]) -> None:
    """A life for each line, which names its parameters; told when it has ended."""
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            # By itself, before anything else: whoever is to kill it must know it by its first word.
            tell("pid", os.getpid())
            asyncio.run(live(**json.loads(line)))
            os._exit(0)
        os.waitpid(pid, 0)
        tell("dead", pid)
