"""`rememora audit`: read the chain of changes, and check that nobody has touched it."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from rememora.app import Rememora
from rememora.cli.opened import ACTING, Json, TenantName, Url, Yes, of_tenant, print_json, run, settings_of
from rememora.domain.audit import ChainReport

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
    reports = run(url, lambda rememora: _verify(rememora, tenant, anchor))
    if as_json:
        print_json(reports)
    else:
        _show(reports)
    if not all(report.intact for report in reports):
        raise typer.Exit(EXIT_BROKEN)


@app.command("show")
def show(
    tenant: TenantName = None,
    after: Annotated[int, typer.Option(help="From after this place on.")] = 0,
    limit: Annotated[int, typer.Option(help="Maximum number of entries.")] = 100,
    reason: Annotated[str | None, typer.Option(help="Reason for reading personal data; goes on record.")] = None,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Print a tenant's entries as JSON, one a line; with `--json` as one list."""
    found = of_tenant(url, tenant, lambda company: company.audit.list(after=after, limit=limit, reason=reason))
    for line in [found] if as_json else found:
        print_json(line)


@app.command()
def rekey(
    why: Annotated[str, typer.Option(help="Reason for the change of key; goes on record.")] = "",
    url: Url = None,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Accept the present signing key, or a new one, for chains that another key signed.

    Older signatures can be verified only with the old key; an entry in each chain says so.
    """
    settings = settings_of(url)
    if not yes:
        typer.confirm("Go on under another signing key, on record in every chain?", abort=True)
    tenants = asyncio.run(Rememora.rekey(settings=settings, acting=ACTING, why=why))
    if as_json:
        print_json(tenants)
    elif tenants:
        print(f"Accepted for {', '.join(tenants)}; an entry in each chain says so.")
    else:
        print("Every chain is signed with the key that is here.")


async def _verify(rememora: Rememora, tenant: str | None, anchor: str | None) -> list[ChainReport]:
    if tenant is None:
        return await rememora.health.verify_audit(acting=ACTING)
    return [await rememora.tenant(tenant, acting=ACTING).audit.verify(anchor=anchor)]


def _show(reports: list[ChainReport]) -> None:
    for report in reports:
        print(
            f"{report.tenant}: {report.entries} entries, {'intact' if report.intact else 'BROKEN'}, {report.head}"
        )
        for fault in report.faults:
            print(f"  at {fault.position}: {fault.what}")
