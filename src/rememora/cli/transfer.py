"""`rememora transfer`: copy a whole store into another, and compare the two."""

from __future__ import annotations

import asyncio
from typing import Annotated

import msgspec
import typer
from rich.console import Console
from rich.progress import Progress

from rememora.app import Rememora
from rememora.cli.opened import Json, print_json, print_rows
from rememora.domain.transfer import Transferred


def transfer(
    source: Annotated[str, typer.Option("--from", help="The store to read: its folder or URL.")],
    target: Annotated[str, typer.Option("--to", help="The empty store to fill: its folder or URL.")],
    verify_only: Annotated[bool, typer.Option("--verify-only", help="Copy nothing; compare the two.")] = False,
    as_json: Json = False,
) -> None:
    """Copy a whole store into an empty one, on any engine.

    An interrupted copy resumes. Nobody may write to the source during the copy: the stores are compared at the
    end, and must be equal.
    """
    done = asyncio.run(_transfer(source, target, verify_only=verify_only, quiet=as_json))
    if as_json:
        print_json({**msgspec.to_builtins(done), "rows": done.rows})
        return
    print_rows(("table", "rows", "sha256"), [(table.name, table.rows, table.sha256[:16]) for table in done.tables])
    print(f"{done.copied} rows copied; both stores hold the same {done.rows}.")


async def _transfer(source: str, target: str, *, verify_only: bool, quiet: bool) -> Transferred:
    with Progress(console=Console(stderr=True), disable=quiet) as bars:
        bar = bars.add_task("comparing" if verify_only else "transferring", total=None)
        return await Rememora.transfer(
            source,
            target,
            verify_only=verify_only,
            progress=lambda done, total: bars.update(bar, completed=done, total=total),
        )
