"""What every command shares: how it names a store, opens it, and answers for people or for machines."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Annotated, Any, TypeVar

import msgspec
import typer
from rich.console import Console
from rich.markup import escape
from rich.measure import Measurement
from rich.table import Table

from rememora import engines
from rememora.app import Opening, Rememora
from rememora.errors import StoreUnavailable
from rememora.handles.tenant import Tenant
from rememora.handles.user import UserMemory
from rememora.settings import Settings

T = TypeVar("T")
console = Console()

TenantName = Annotated[str, typer.Option("--tenant", help="Whose company.")]
UserName = Annotated[str, typer.Option("--user", help="Whose memory.")]
Url = Annotated[str | None, typer.Option(help="The store's folder; without it the settings say where.")]
Json = Annotated[bool, typer.Option("--json", help="Answer as JSON.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]
ACTING = "terminal"
WHOLE, WIDEST = 80, 1000
NEW = "`rememora serve`, `chat`, `remember`, `import` or `tenants create` makes one"


def settings_of(url: str | None, *, new: bool = False) -> Settings:
    """The settings to open a store with; only a command that writes something new may make one."""
    settings = Settings.load({} if url is None else {"store.url": url})
    if not new and not engines.is_there(settings):
        raise StoreUnavailable(f"there is no store at {settings.store.url}; {NEW}")
    return settings


def opening(url: str | None, *, new: bool = False, background: bool = False) -> Opening:
    """A store about to be opened."""
    return Rememora.open(settings=settings_of(url, new=new), background=background)


def run(url: str | None, act: Callable[[Rememora], Awaitable[T]], *, new: bool = False) -> T:
    """What a verb answers, on a store opened for it alone."""

    async def opened() -> T:
        async with opening(url, new=new) as rememora:
            return await act(rememora)

    return asyncio.run(opened())


def of_user(
    url: str | None, tenant: str, user: str, act: Callable[[UserMemory], Awaitable[T]], *, new: bool = False
) -> T:
    """What a verb of one user answers."""
    return run(url, lambda rememora: act(rememora.user(user, tenant=tenant)), new=new)


def of_tenant(url: str | None, tenant: str, act: Callable[[Tenant], Awaitable[T]]) -> T:
    """What a verb of one tenant answers."""
    return run(url, lambda rememora: act(rememora.tenant(tenant, acting=ACTING)))


def print_json(value: object) -> None:
    """One JSON value on standard output."""
    print(msgspec.json.encode(value).decode(), flush=True)


def print_rows(heads: Iterable[str], rows: Iterable[Iterable[Any]]) -> None:
    """A table for people; values are text, never markup."""
    cells = [["" if value is None else str(value) for value in row] for row in rows]
    table = Table()
    for place, head in enumerate(heads):
        # What has no space in it is an id or a number: cut or broken in two it could not be copied.
        words = all(" " not in row[place] and len(row[place]) <= WHOLE for row in cells)
        table.add_column(head, no_wrap=words, overflow="fold")
    for row in cells:
        table.add_row(*map(escape, row))
    least = Measurement.get(console, console.options.update(width=WIDEST), table).minimum
    Console(width=max(console.width, least)).print(table)


def print_line(event: str, **said: object) -> None:
    """One JSON object on a line of its own: what a command that goes on for long says as it goes."""
    print_json({"event": event, **said})
