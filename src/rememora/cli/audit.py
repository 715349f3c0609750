"""`rememora audit`: read the audit chain, and verify that nobody changed it."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from rememora.app import Rememora
from rememora.cli.opened import ACTING, Json, TenantName, Url, Yes, of_tenant, print_json, run, settings_of
from rememora.domain.audit import ChainReport

app = typer.Typer(help="Read and verify the audit chain.", no_args_is_help=True)

EXIT_BROKEN = 2


@app.callback()
def audit() -> None:
    """Read and verify the audit chain."""


@app.command()
def verify(
    tenant: Annotated[str | None, typer.Option(help="Tenant; by default every tenant.")] = None,
    anchor: Annotated[
        str | None, typer.Option(help="An earlier head of the chain, `position:hash`, that it must still contain.")
    ] = None,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Verify the chain. An edit, deletion, reordering or truncation gives exit code 2."""
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
    after: Annotated[int, typer.Option(help="Start after this position.")] = 0,
    limit: Annotated[int, typer.Option(help="Maximum number of entries.")] = 100,
    reason: Annotated[str | None, typer.Option(help="Reason for reading personal data; it is recorded.")] = None,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Print a tenant's entries as JSON, one per line. With `--json`, print them as one list."""
    entries = of_tenant(url, tenant, lambda company: company.audit.list(after=after, limit=limit, reason=reason))
    for line in [entries] if as_json else entries:
        print_json(line)


@app.command()
def rekey(
    why: Annotated[str, typer.Option(help="Reason for the change of key; it is recorded.")] = "",
    url: Url = None,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Accept a new signing key for chains that another key signed.

    Older signatures can be verified only with the old key; an entry in each chain says so.
    """
    settings = settings_of(url)
    if not yes:
        typer.confirm("Continue with another signing key, and record that in every chain?", abort=True)
    tenants = asyncio.run(Rememora.rekey(settings=settings, acting=ACTING, why=why))
    if as_json:
        print_json(tenants)
    elif tenants:
        print(f"Accepted for {', '.join(tenants)}; an entry in each chain says so.")
    else:
        print("Every chain is signed with the current key.")


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
