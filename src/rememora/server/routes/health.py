"""Whether the server lives, and whether its store answers."""

from __future__ import annotations

from typing import Literal

import msgspec

from rememora.server.auth import Ask
from rememora.server.route import Routes

routes = Routes("health", right=None)


class Live(msgspec.Struct, frozen=True, kw_only=True):
    """The process answers."""

    status: Literal["ok"] = "ok"


class Ready(msgspec.Struct, frozen=True, kw_only=True):
    """The store answers; `index_lag` items wait for their vector."""

    status: Literal["ok"] = "ok"
    index_lag: int


@routes.get("/health/live")
async def get_live() -> Live:
    """Whether the process answers."""
    return Live()


@routes.get("/health/ready")
async def get_ready(ask: Ask) -> Ready:
    """Whether the store answers."""
    return Ready(index_lag=await ask.rememora.index_lag())
