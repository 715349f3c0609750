"""`rememora recall` and `rememora reembed`: search a user's memory, and make its vectors anew."""

from __future__ import annotations

import asyncio
from typing import Annotated

import msgspec
import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from rememora.app import Rememora
from rememora.cli.knowledge import Json, Url
from rememora.domain.hit import Hit

console = Console()


def recall(
    query: Annotated[str, typer.Argument(help="What to look for, in your own words.")],
    tenant: Annotated[str, typer.Option(help="Whose company.")],
    user: Annotated[str, typer.Option(help="Whose memory.")],
    url: Url = None,
    limit: Annotated[int, typer.Option(help="Hits at the most.")] = 5,
    as_json: Json = False,
) -> None:
    """Search a user's memory, by words and by meaning."""
    hits = asyncio.run(_recall(url, tenant, user, query, limit))
    if as_json:
        print(msgspec.json.encode(hits).decode())
    elif hits:
        _show(hits)
    else:
        print(f"Nothing in the memory of {user} at {tenant} answers that.")


def reembed(url: Url = None, as_json: Json = False) -> None:
    """Make every vector anew with the embedder of the settings, while servers go on with the model in use.

    At the end one transaction switches to it; then roll the servers. Broken off, it goes on where it was.
    """
    total = asyncio.run(_reembed(url, quiet=as_json))
    print(msgspec.json.encode({"embedded": total}).decode() if as_json else f"{total} items embedded anew.")


async def _recall(url: str | None, tenant: str, user: str, query: str, limit: int) -> list[Hit]:
    async with Rememora.open(url, background=False) as rememora:
        await rememora.settle()
        return await rememora.user(user, tenant=tenant).recall(query, limit=limit)


async def _reembed(url: str | None, *, quiet: bool) -> int:
    with Progress(console=Console(stderr=True), disable=quiet) as bars:
        bar = bars.add_task("embedding", total=None)
        return await Rememora.reembed(
            url, progress=lambda done, total: bars.update(bar, completed=done, total=total)
        )


def _show(hits: list[Hit]) -> None:
    table = Table("score", "kind", "said", "content", "why")
    for hit in hits:
        why = ", ".join(f"{name} {value:.2f}" for name, value in hit.parts.items())
        table.add_row(f"{hit.score:.2f}", hit.kind, hit.created_at.date().isoformat(), hit.content, why)
    console.print(table)
