"""`rememora audit`: read the chain of changes, and check that nobody has touched it."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import msgspec
import typer

from rememora.app import Rememora
from rememora.cli.knowledge import Json, Tenant, Url
from rememora.domain.audit import AuditEntry, ChainReport

app = typer.Typer(help="The chain of changes.", no_args_is_help=True)

EXIT_BROKEN = 2


@app.callback()
def audit() -> None:
    """The chain of changes."""


@app.command()
def verify(
    tenant: Annotated[str | None, typer.Option(help="One tenant; every tenant without it.")] = None,
    anchor: Annotated[
        str | None, typer.Option(help="An end noted earlier, `position:hash`, that the chain must contain.")
    ] = None,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Find any edit, deletion, reorder or truncation (exit code 2 when there is one)."""
    reports = asyncio.run(_verify(url, tenant, anchor))
    if as_json:
        print(msgspec.json.encode(reports).decode())
    else:
        _show(reports)
    if not all(report.intact for report in reports):
        raise typer.Exit(EXIT_BROKEN)


@app.command("show")
def show(
    tenant: Tenant,
    after: Annotated[int, typer.Option(help="From after this place on.")] = 0,
    limit: Annotated[int, typer.Option(help="Entries at the most.")] = 100,
    reason: Annotated[
        str | None, typer.Option(help="Why you read what it says of people; goes on record.")
    ] = None,
    url: Url = None,
) -> None:
    """Print a tenant's entries as JSON, one a line."""
    for entry in asyncio.run(_page(url, tenant, after=after, limit=limit, reason=reason)):
        print(msgspec.json.encode(entry).decode())


async def _verify(url: str | None, tenant: str | None, anchor: str | None) -> list[ChainReport]:
    async with Rememora.open(url, background=False) as rememora:
        if tenant is None:
            return await rememora.verify_audit(acting="operator")
        return [await rememora.tenant(tenant, acting="operator").verify_audit(anchor=anchor)]


async def _page(url: str | None, tenant: str, **wanted: Any) -> list[AuditEntry]:
    async with Rememora.open(url, background=False) as rememora:
        return await rememora.tenant(tenant, acting="operator").audit(**wanted)


def _show(reports: list[ChainReport]) -> None:
    for report in reports:
        print(
            f"{report.tenant}: {report.entries} entries, {'intact' if report.intact else 'BROKEN'}, {report.head}"
        )
        for fault in report.faults:
            print(f"  at {fault.position}: {fault.what}")
