"""What every command shares: how it names a store, opens it, and answers for people or for machines."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Annotated, Any, TypeVar

import msgspec
import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from rememora.app import Rememora
from rememora.handles.tenant import Tenant
from rememora.handles.user import UserMemory

T = TypeVar("T")
console = Console()

TenantName = Annotated[str, typer.Option("--tenant", help="Whose company.")]
UserName = Annotated[str, typer.Option("--user", help="Whose memory.")]
Url = Annotated[str, typer.Option(help="The store's folder.")]
Json = Annotated[bool, typer.Option("--json", help="Answer as JSON.")]
ACTING = "terminal"
STORE = "rememora-data"


def run(url: str, act: Callable[[Rememora], Awaitable[T]]) -> T:
    """What a verb answers, on a store opened for it alone."""

    async def opened() -> T:
        async with Rememora.open(url, background=False) as rememora:
            return await act(rememora)

    return asyncio.run(opened())


def of_user(url: str, tenant: str, user: str, act: Callable[[UserMemory], Awaitable[T]]) -> T:
    """What a verb of one user answers."""
    return run(url, lambda rememora: act(rememora.user(user, tenant=tenant)))


def of_tenant(url: str, tenant: str, act: Callable[[Tenant], Awaitable[T]]) -> T:
    """What a verb of one tenant answers."""
    return run(url, lambda rememora: act(rememora.tenant(tenant, acting=ACTING)))


def print_json(value: object) -> None:
    """One JSON value on standard output."""
    print(msgspec.json.encode(value).decode(), flush=True)


def print_rows(heads: Iterable[str], rows: Iterable[Iterable[Any]]) -> None:
    """A table for people; values are text, never markup."""
    table = Table(*heads)
    for row in rows:
        table.add_row(*("" if value is None else escape(str(value)) for value in row))
    console.print(table)
