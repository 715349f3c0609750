"""Addresses beside the API, in the forms of other people's protocols: each where its extra is installed."""

from __future__ import annotations

from rememora.app import Rememora
from rememora.server import mem0
from rememora.server.mcp import McpDoor
from rememora.server.proxy import ProxyDoor
from rememora.server.route import Route


class Doors:
    """What is served beside `/api/v1`."""

    def __init__(self, rememora: Rememora) -> None:
        self._mcp = McpDoor(rememora) if McpDoor.installed() else None
        self._proxy = ProxyDoor(rememora)

    def table(self) -> list[Route]:
        """Return the routes of every door."""
        spoken = [] if self._mcp is None else self._mcp.routes().all
        passed_on = self._proxy.routes().all if self._proxy.open else []
        return [*spoken, *mem0.routes.all, *passed_on]

    async def close(self) -> None:
        """End what the doors keep running."""
        await self._proxy.close()
        if self._mcp is not None:
            await self._mcp.close()
