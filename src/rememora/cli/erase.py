"""`rememora erase`: gone for good, with a receipt; and the check of a receipt against the store's files."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from rememora.app import Rememora
from rememora.cli.knowledge import Json, Tenant, Url, User, read_json
from rememora.domain.receipt import Erasure, Receipt, ReceiptReport
from rememora.errors import InvalidInput

EXIT_NOT_CLEAN = 2


def erase(
    tenant: Tenant,
    user: User,
    memory: Annotated[str | None, typer.Option(help="One memory, by its id.")] = None,
    topic: Annotated[str | None, typer.Option(help="All keys under these segments, as in `people.tom`.")] = None,
    conversation: Annotated[str | None, typer.Option(help="A conversation and what is bound to it.")] = None,
    person: Annotated[bool, typer.Option("--person", help="The whole person.")] = False,
    history: Annotated[bool, typer.Option(help="Also what was said, not only what is known.")] = True,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    verify: Annotated[Path | None, typer.Option(help="Check this receipt instead of erasing.")] = None,
    suspect: Annotated[list[str] | None, typer.Option(help="With --verify: text to look for as well.")] = None,
    url: Url = "rememora-data",
    as_json: Json = False,
) -> None:
    """Erase for good and print the receipt; or check a receipt (exit code 2 when something is left)."""
    if verify is not None:
        _verify(url, tenant, verify, suspect or [], as_json=as_json)
        return
    what = Erasure(memory=memory, topic=topic, conversation=conversation, person=person, history=history)
    if not yes:
        typer.confirm(f"Erase {what.kind} of {user} at {tenant} for good?", abort=True)
    receipt = asyncio.run(_erase(url, tenant, user, what))
    print(msgspec.json.format(msgspec.json.encode(receipt), indent=0 if as_json else 2).decode())


async def _erase(url: str, tenant: str, user: str, what: Erasure) -> Receipt:
    async with Rememora.open(url, background=False) as rememora:
        return await rememora.user(user, tenant=tenant).erase(
            memory=what.memory,
            topic=what.topic,
            conversation=what.conversation,
            person=what.person,
            history=what.history,
        )


def _verify(url: str, tenant: str, file: Path, suspects: list[str], *, as_json: bool) -> None:
    try:
        receipt = msgspec.convert(read_json(file), Receipt)
    except msgspec.ValidationError as error:
        raise InvalidInput("verify", str(error)) from None
    report = asyncio.run(_check(url, tenant, receipt, suspects))
    if as_json:
        print(msgspec.json.encode(report).decode())
    else:
        _show(report)
    if not (report.clean and report.genuine):
        raise typer.Exit(EXIT_NOT_CLEAN)


async def _check(url: str, tenant: str, receipt: Receipt, suspects: list[str]) -> ReceiptReport:
    async with Rememora.open(url, background=False) as rememora:
        return await rememora.tenant(tenant, acting="operator").verify_receipt(receipt, suspects=suspects)


def _show(report: ReceiptReport) -> None:
    print("The receipt is genuine." if report.genuine else "The receipt is NOT genuine.")
    if report.clean:
        print("Clean: nothing of what was erased is in the store's files.")
    for residue in report.residues:
        print(f"Found in {residue.file} at byte {residue.offset}.")
