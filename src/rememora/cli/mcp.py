"""`rememora mcp`: one person's memory as an MCP server over standard input and output."""

from __future__ import annotations

import asyncio
from importlib import import_module

from rememora.cli.opened import Json, TenantName, Url, UserName, memory_of, opening, whose


def mcp(tenant: TenantName = None, user: UserName = None, url: Url = None, _as_json: Json = False) -> None:
    """Serve one person's memory to an MCP client, over stdio.

    The person is fixed for the life of the process: no message of the client can name another one.
    """
    asyncio.run(_serve(tenant, user, url))


async def _serve(tenant: str | None, user: str | None, url: str | None) -> None:
    served = import_module("rememora.integrations.mcp")
    async with opening(url, new=True, background=True) as rememora:
        memory = memory_of(rememora, *await whose(rememora, tenant, user))
        await served.create_server(rememora, served.of_one_user(memory)).run_stdio_async()
