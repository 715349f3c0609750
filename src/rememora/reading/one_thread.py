"""Keeps small matrix products on the thread that asks for them.

OpenBLAS hands a product of some 60 by 288 by 192 numbers to every core, and lets their threads spin for
milliseconds afterwards. The networks that read a message and compare statements are of that size: more cores made
no reply faster, and on two cores each cost twice the CPU (`bench/reply.py`, `bench/proxy.py`).
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from threadpoolctl import ThreadpoolController

_turn = threading.RLock()


@contextmanager
def one_thread() -> Iterator[None]:
    """Let matrix products use one thread, and put the host's setting back; callers of other threads take turns.

    The setting is the process's. Threads that overlapped would each put back what the other had set, and the
    library lets only the thread that set a limit lift it. A thread may enter again: a comparison reads messages.
    """
    with _turn, _controller().limit(limits=1, user_api="blas"):
        yield


@cache
def _controller() -> ThreadpoolController:
    """The libraries of matrix products that this process has loaded."""
    return ThreadpoolController()
