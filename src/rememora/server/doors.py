"""Addresses beside the API, in the forms of other people's protocols: each where its extra is installed."""

from __future__ import annotations

from rememora.app import Rememora
from rememora.server import mem0
from rememora.server.mcp import McpDoor
from rememora.server.route import Route


class Doors:
    """What is served beside `/api/v1`."""

    def __init__(self, rememora: Rememora) -> None:
        self._mcp = McpDoor(rememora) if McpDoor.installed() else None

    def table(self) -> list[Route]:
        """Return the routes of every door."""
        spoken = [] if self._mcp is None else self._mcp.routes().all
        return [*spoken, *mem0.routes.all]

    async def close(self) -> None:
        """End what the doors keep running."""
        if self._mcp is not None:
            await self._mcp.close()
