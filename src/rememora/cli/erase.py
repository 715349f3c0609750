"""`rememora erase`: erase permanently, with a receipt; and verify a receipt against the store's files."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from rememora.app import Rememora
from rememora.cli.knowledge import read_json
from rememora.cli.opened import ACTING, Json, TenantName, Url, UserName, Yes, named, of_user, print_json, run
from rememora.domain.receipt import Receipt, ReceiptReport
from rememora.domain.rights import OPERATOR
from rememora.errors import InvalidInput, UsageError

app = typer.Typer(help="Erase permanently; `forget` can be undone, this cannot.")

EXIT_NOT_CLEAN = 2
# One subcommand each is generated from this table, so that all of them have the same options.
KINDS = {
    "memory": "Erase one memory, by its id or its key.",
    "topic": "Erase all memories under a key prefix, as in `people.tom`.",
    "conversation": "Erase a conversation, by its id. The memories that belong to it go too.",
}
What = Annotated[
    str, typer.Argument(help="Id or key of a memory, key prefix of a topic, or id of a conversation.")
]
History = Annotated[bool, typer.Option(help="Also erase the messages (of a conversation or a person).")]


@app.callback(invoke_without_command=True)
def erase(
    context: typer.Context,
    verify: Annotated[Path | None, typer.Option(help="Check this receipt instead of erasing.")] = None,
    suspect: Annotated[list[str] | None, typer.Option(help="With --verify: more text to search for.")] = None,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Erase permanently and print the receipt; or verify a receipt (exit code 2 when something is left)."""
    if context.invoked_subcommand is not None:
        return
    # `rememora erase` alone erases nothing: it shows what it could erase.
    if verify is None:
        print(context.get_help())
        raise typer.Exit(EXIT_NOT_CLEAN)
    receipt = _receipt(verify)
    report = run(url, lambda rememora: _check(rememora, receipt, suspect or []))
    print_json(report) if as_json else _show(report, receipt)
    if not (report.clean and report.genuine):
        raise typer.Exit(EXIT_NOT_CLEAN)


def _eraser(kind: str) -> Callable[..., None]:
    def command(
        what: What,
        tenant: TenantName = None,
        user: UserName = None,
        history: History = True,
        yes: Yes = False,
        url: Url = None,
        as_json: Json = False,
    ) -> None:
        tenant, user = named(url, tenant, user)
        confirm(f"Erase {kind} {what} of {user} at {tenant} for good?", yes=yes, as_json=as_json)
        show_receipt(_erased(url, tenant, user, **{kind: what}, history=history), as_json=as_json)

    return command


for _kind, _about in KINDS.items():
    app.command(_kind, help=_about)(_eraser(_kind))


@app.command()
def person(
    tenant: TenantName = None,
    user: UserName = None,
    history: History = True,
    yes: Yes = False,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Erase a whole person."""
    tenant, user = named(url, tenant, user)
    confirm(f"Erase {user} at {tenant} for good?", yes=yes, as_json=as_json)
    show_receipt(_erased(url, tenant, user, person=True, history=history), as_json=as_json)


@app.command()
def replay(
    file: Annotated[Path, typer.Argument(help="The erasure ledger (`knowledge.erasures`).")],
    since: Annotated[datetime, typer.Option(help="Time of the restored backup, in UTC.")],
    yes: Yes = False,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Repeat erasures after a restore. The ledger says which were made since the backup."""
    confirm(f"Repeat all erasures of {file} since {since:%Y-%m-%d %H:%M} UTC for good?", yes=yes, as_json=as_json)
    moment = since.replace(tzinfo=UTC)
    done = run(url, lambda opened: opened.operator(acting=ACTING).replay_erasures(str(file), since=moment))
    print_json(done) if as_json else print(
        f"{done.lines} erasures recorded, {done.erased} found something to erase."
    )


def confirm(question: str, *, yes: bool, as_json: bool) -> None:
    """Ask a person to confirm; a program has to pass `--yes`."""
    if not yes and as_json:
        raise UsageError("--json cannot ask for confirmation: add --yes")
    if not yes:
        typer.confirm(question, abort=True)


def show_receipt(receipt: Receipt, *, as_json: bool) -> None:
    """A receipt, to be stored by the caller."""
    if as_json:
        print_json(receipt)
    else:
        print(msgspec.json.format(msgspec.json.encode(receipt), indent=2).decode())


def _erased(url: str | None, tenant: str, user: str, **what: Any) -> Receipt:
    return of_user(url, tenant, user, lambda ana: ana.erase(**what))


def _receipt(file: Path) -> Receipt:
    try:
        return msgspec.convert(read_json(file), Receipt)
    except msgspec.ValidationError as error:
        raise InvalidInput("verify", str(error)) from None


async def _check(rememora: Rememora, receipt: Receipt, suspects: list[str]) -> ReceiptReport:
    tenant = rememora.tenant(receipt.tenant, acting=ACTING, rights=OPERATOR)
    return await tenant.audit.verify_receipt(receipt, suspects=suspects)


def _elsewhere(pieces: int, hidden: int) -> str:
    """Describe other rows with the same text: the receipt counts them, and says nothing of their content."""
    turns = f" {hidden} of the messages are hidden now." if hidden else ""
    return (
        f"Erased as requested; {pieces} piece(s) of the same text remain in what was not erased: "
        f"messages, and what was made of them.{turns} Erase the conversation or the person to remove them too."
    )


def _show(report: ReceiptReport, receipt: Receipt) -> None:
    print("The receipt is genuine." if report.genuine else "The receipt is NOT genuine.")
    if report.elsewhere:
        print(_elsewhere(report.elsewhere, receipt.counts.get("hidden", 0)))
    elif report.clean:
        print("Clean: nothing of what was erased is in the store's files.")
    for residue in report.residues:
        print(f"Found in {residue.file} at byte {residue.offset}.")
