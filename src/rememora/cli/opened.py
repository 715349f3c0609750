"""Shared code of all commands: naming a store, opening it, and output for people or machines."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Annotated, Any, TypeVar

import msgspec
import typer
from rich.console import Console

from rememora import engines
from rememora.app import Opening, Rememora
from rememora.cli.tables import laid_out
from rememora.domain.scope import split_owner
from rememora.errors import StoreUnavailable, UsageError
from rememora.handles.tenant import Tenant
from rememora.handles.user import UserMemory
from rememora.settings import Settings

T = TypeVar("T")
console = Console()

# Options that many commands share, so that they read alike everywhere.
TenantName = Annotated[
    str | None, typer.Option("--tenant", help="Tenant; defaults to REMEMORA_TENANT or the only one in the store.")
]
UserName = Annotated[
    str | None,
    typer.Option(
        "--user",
        help="User, or USER#agent:AGENT for an agent's own memory of them; "
        "defaults to REMEMORA_USER or the only one of the tenant.",
    ),
]
Url = Annotated[str | None, typer.Option(help="The store's folder or URL; defaults to the settings.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Yes = Annotated[bool, typer.Option("--yes", help="Skip the confirmation.")]
ACTING = "terminal"
FIRST_TENANT, FIRST_USER = "home", "me"
LISTED = 10
NEW = "`rememora serve`, `chat`, `remember`, `import` or `tenants create` creates one"


def settings_of(url: str | None, *, new: bool = False) -> Settings:
    """Return the settings to open a store with; only a command that writes something new may create one."""
    settings = Settings.load({} if url is None else {"store.url": url})
    if not new and not engines.is_there(settings):
        raise StoreUnavailable(f"no store at {settings.store.url}; {NEW}")
    return settings


def opening(url: str | None, *, new: bool = False, background: bool = False) -> Opening:
    """A store that is about to be opened."""
    return Rememora.open(settings=settings_of(url, new=new), background=background)


def run(url: str | None, act: Callable[[Rememora], Awaitable[T]], *, new: bool = False) -> T:
    """Open the store, run a verb on it, and return its result."""

    async def opened() -> T:
        async with opening(url, new=new) as rememora:
            return await act(rememora)

    return asyncio.run(opened())


def of_user(
    url: str | None,
    tenant: str | None,
    user: str | None,
    act: Callable[[UserMemory], Awaitable[T]],
    *,
    new: bool = False,
) -> T:
    """Run a verb of one user, and return its result."""

    async def acted(rememora: Rememora) -> T:
        return await act(memory_of(rememora, *await whose(rememora, tenant, user)))

    return run(url, acted, new=new)


def memory_of(rememora: Rememora, tenant: str, owner: str) -> UserMemory:
    """Return the memory of a user, or the one that an agent keeps about them (`ana#agent:support`)."""
    user, agent = split_owner(owner)
    return rememora.user(user, tenant=tenant, agent=agent)


def of_tenant(url: str | None, tenant: str | None, act: Callable[[Tenant], Awaitable[T]]) -> T:
    """Run a verb of one tenant, and return its result."""

    async def acted(rememora: Rememora) -> T:
        return await act(rememora.tenant(await which_tenant(rememora, tenant), acting=ACTING))

    return run(url, acted)


def named(url: str | None, tenant: str | None, user: str | None) -> tuple[str, str]:
    """Return the tenant and the user that a command is about."""
    return (tenant, user) if tenant and user else run(url, lambda rememora: whose(rememora, tenant, user))


async def whose(rememora: Rememora, tenant: str | None, user: str | None) -> tuple[str, str]:
    """Return tenant and user: as given, else from the settings, else the only ones of the store."""
    company = await which_tenant(rememora, tenant)
    given = user or rememora.settings.terminal.user
    if given:
        return company, given
    people = await rememora.operator(acting=ACTING).tenants.people()
    return company, _only("user", {split_owner(name)[0] for where, name in people if where == company}, FIRST_USER)


async def which_tenant(rememora: Rememora, tenant: str | None) -> str:
    """Return the tenant: as given, else from the settings, else the only one of the store."""
    given = tenant or rememora.settings.terminal.tenant
    if given:
        return given
    operator = rememora.operator(acting=ACTING)
    accounts = {account.id for account in (await operator.tenants.list(limit=LISTED)).items}
    return _only("tenant", accounts | {where for where, _ in await operator.tenants.people()}, FIRST_TENANT)


def _only(what: str, names: set[str], otherwise: str) -> str:
    if len(names) > 1:
        listed = ", ".join(sorted(names)[:LISTED]) + (", …" if len(names) > LISTED else "")
        raise UsageError(f"there are several {what}s here ({listed}): name one with --{what}")
    return next(iter(names), otherwise)


def print_json(value: object) -> None:
    """Print one JSON value to standard output."""
    print(msgspec.json.encode(value).decode(), flush=True)


def print_rows(heads: Sequence[str], rows: Iterable[Sequence[Any]], *, spare: Sequence[str] = ()) -> None:
    """Print a table for people, no wider than the terminal; values are text, never markup."""
    print(laid_out(heads, rows, width=shutil.get_terminal_size().columns, spare=spare))


def print_line(event: str, **fields: object) -> None:
    """Print one JSON object on a line of its own, for commands that run for long."""
    print_json({"event": event, **fields})
