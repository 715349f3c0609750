"""`rememora recall` and `rememora reembed`: search a user's memory, and recompute its vectors."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from rememora.app import Rememora
from rememora.cli.opened import (
    Json,
    TenantName,
    Url,
    UserName,
    memory_of,
    named,
    print_json,
    print_rows,
    run,
    settings_of,
)
from rememora.domain.hit import Hit


def recall(
    query: Annotated[str, typer.Argument(help="Query, in your own words.")],
    tenant: TenantName = None,
    user: UserName = None,
    url: Url = None,
    limit: Annotated[int, typer.Option(help="Maximum number of hits.")] = 5,
    as_json: Json = False,
) -> None:
    """Search a user's memory, by words and by meaning."""
    tenant, user = whose = named(url, tenant, user)
    hits = run(url, lambda rememora: _recall(rememora, whose, query, limit))
    if as_json:
        print_json(hits)
    elif hits:
        _show(hits)
    else:
        print(f"No hits in the memory of {user} at {tenant}.")


def reembed(url: Url = None, as_json: Json = False) -> None:
    """Recompute every vector with the embedder of the settings.

    Servers keep using the current model meanwhile. One transaction at the end switches to the new model; restart
    the servers one by one after that. If interrupted, run it again to continue.
    """
    total = asyncio.run(_reembed(url, quiet=as_json))
    print_json({"embedded": total}) if as_json else print(f"{total} items embedded again.")


async def _recall(rememora: Rememora, whose: tuple[str, str], query: str, limit: int) -> list[Hit]:
    await rememora.settle()
    return await memory_of(rememora, *whose).recall(query, limit=limit)


async def _reembed(url: str | None, *, quiet: bool) -> int:
    settings = settings_of(url)
    with Progress(console=Console(stderr=True), disable=quiet) as bars:
        bar = bars.add_task("embedding", total=None)
        return await Rememora.reembed(
            settings=settings, progress=lambda done, total: bars.update(bar, completed=done, total=total)
        )


def _show(hits: list[Hit]) -> None:
    rows = [
        (f"{hit.score:.2f}", hit.kind, hit.created_at.date(), hit.content, ", ".join(_parts(hit))) for hit in hits
    ]
    print_rows(("score", "kind", "said", "content", "why"), rows)


def _parts(hit: Hit) -> list[str]:
    return [f"{name} {value:.2f}" for name, value in hit.parts.items()]
