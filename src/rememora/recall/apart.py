"""Long computations in a thread, so that the loop goes on serving everybody else."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from rememora.cancellation import run_to_end

T = TypeVar("T")
P = ParamSpec("P")


async def apart(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run `work` in a thread; a caller who is cancelled still waits, because what it works on is not his alone."""
    return await run_to_end(asyncio.to_thread(work, *args, **kwargs))
