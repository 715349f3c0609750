"""Liveness of the server, and readiness of its store."""

from __future__ import annotations

from typing import Literal

import msgspec
from starlette.responses import Response

from rememora import telemetry
from rememora.errors import MissingExtra
from rememora.server.auth import ApiRequest
from rememora.server.routing import Routes

routes = Routes("health", right=None)
METRICS = "text/plain; version=0.0.4"


class Live(msgspec.Struct, frozen=True, kw_only=True):
    """State of the process."""

    status: Literal["ok"] = "ok"


class Ready(msgspec.Struct, frozen=True, kw_only=True):
    """State of the store; `index_lag` items wait for their vector."""

    status: Literal["ok"] = "ok"
    index_lag: int


@routes.get("/health/live")
async def get_live() -> Live:
    """Return whether the process answers."""
    return Live()


@routes.get("/metrics", right="operate", answer=METRICS)
async def get_metrics(ask: ApiRequest) -> Response:
    """Return metrics of all worker processes in Prometheus's format, without tenants or content."""
    measures = telemetry.measures()
    if measures is None:
        raise MissingExtra("observe")
    measures.lag.set(await ask.rememora.health.index_lag())
    return Response(measures.text(), media_type=METRICS)


@routes.get("/health/ready")
async def get_ready(ask: ApiRequest) -> Ready:
    """Return whether the store answers."""
    return Ready(index_lag=await ask.rememora.health.index_lag())
