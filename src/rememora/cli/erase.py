"""`rememora erase`: gone for good, with a receipt; and the check of a receipt against the store's files."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from rememora.app import Rememora
from rememora.cli.knowledge import Json, Tenant, Url, User, read_json
from rememora.domain.receipt import Receipt, ReceiptReport
from rememora.domain.rights import OPERATOR
from rememora.errors import InvalidInput

app = typer.Typer(help="Erase for good; `forget` can be undone, this cannot.")

EXIT_NOT_CLEAN = 2
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]
History = Annotated[bool, typer.Option(help="Also what was said, not only what is known.")]


@app.callback(invoke_without_command=True)
def erase(
    context: typer.Context,
    verify: Annotated[Path | None, typer.Option(help="Check this receipt instead of erasing.")] = None,
    suspect: Annotated[list[str] | None, typer.Option(help="With --verify: text to look for as well.")] = None,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Erase for good and print the receipt; or check a receipt (exit code 2 when something is left)."""
    if context.invoked_subcommand is not None:
        return
    if verify is None:
        print(context.get_help())
        raise typer.Exit(EXIT_NOT_CLEAN)
    report = asyncio.run(_check(url, _receipt(verify), suspect or []))
    print(msgspec.json.encode(report).decode()) if as_json else _show(report)
    if not (report.clean and report.genuine):
        raise typer.Exit(EXIT_NOT_CLEAN)


@app.command()
def memory(
    id: Annotated[str, typer.Argument(help="The memory's id.")],
    tenant: Tenant,
    user: User,
    yes: Yes = False,
    url: Url = None,
) -> None:
    """Erase one memory."""
    _erase(url, tenant, user, yes=yes, memory=id)


@app.command()
def topic(
    prefix: Annotated[str, typer.Argument(help="The first segments of the keys, as in `people.tom`.")],
    tenant: Tenant,
    user: User,
    yes: Yes = False,
    url: Url = None,
) -> None:
    """Erase all memories under a prefix of keys."""
    _erase(url, tenant, user, yes=yes, topic=prefix)


@app.command()
def conversation(
    id: Annotated[str, typer.Argument(help="The conversation's id.")],
    tenant: Tenant,
    user: User,
    history: History = True,
    yes: Yes = False,
    url: Url = None,
) -> None:
    """Erase a conversation and the memories that are bound to it."""
    _erase(url, tenant, user, yes=yes, conversation=id, history=history)


@app.command()
def person(
    tenant: Tenant,
    user: User,
    history: History = True,
    yes: Yes = False,
    url: Url = None,
) -> None:
    """Erase a whole person."""
    _erase(url, tenant, user, yes=yes, person=True, history=history)


def _erase(url: str | None, tenant: str, user: str, *, yes: bool, **what: Any) -> None:
    if not yes:
        typer.confirm(f"Erase {next(iter(what))} of {user} at {tenant} for good?", abort=True)

    async def run() -> Receipt:
        async with Rememora.open(url, background=False) as rememora:
            return await rememora.user(user, tenant=tenant).erase(**what)

    print(msgspec.json.format(msgspec.json.encode(asyncio.run(run())), indent=2).decode())


def _receipt(file: Path) -> Receipt:
    try:
        return msgspec.convert(read_json(file), Receipt)
    except msgspec.ValidationError as error:
        raise InvalidInput("verify", str(error)) from None


async def _check(url: str | None, receipt: Receipt, suspects: list[str]) -> ReceiptReport:
    async with Rememora.open(url, background=False) as rememora:
        tenant = rememora.tenant(receipt.tenant, acting="operator", rights=OPERATOR)
        return await tenant.verify_receipt(receipt, suspects=suspects)


def _show(report: ReceiptReport) -> None:
    print("The receipt is genuine." if report.genuine else "The receipt is NOT genuine.")
    if report.clean:
        print("Clean: nothing of what was erased is in the store's files.")
    for residue in report.residues:
        print(f"Found in {residue.file} at byte {residue.offset}.")
