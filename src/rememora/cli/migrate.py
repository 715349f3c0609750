"""`rememora migrate`: migrate a store to the schema of this version, or back."""

from __future__ import annotations

import json
from functools import partial
from typing import Annotated

import typer

from rememora import engines, moving
from rememora.cli.opened import Json, Url, settings_of
from rememora.settings import Settings
from rememora.settings.urls import without_password


def migrate(
    url: Url = None,
    to: Annotated[str, typer.Option(help="A schema version, `head` for the newest, `base` for none.")] = "head",
    role: Annotated[
        str, typer.Option(help="PostgreSQL: role that the application connects as; created if missing.")
    ] = "rememora_app",
    partitions: Annotated[
        int,
        typer.Option(
            min=0, max=1024, help="PostgreSQL: number of partitions of a new store's tables; 0 for none."
        ),
    ] = 8,
    vectors: Annotated[
        bool,
        typer.Option(
            "--vectors", help="PostgreSQL: build the nearest-neighbour index, for users with many items."
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Migrate a store to another schema version. Up or down, its data stays."""
    settings = settings_of(url)
    url = settings.store.url
    notes: list[str] = []
    before, after = moving.migrate(
        url,
        to=to,
        role=role,
        partitions=partitions,
        vectors=vectors,
        dimension=partial(_dimension, settings),
        tell=notes.append,
    )
    # What is printed may end up in a log.
    url = without_password(url)
    if as_json:
        print(json.dumps({"before": before, "after": after, **({"vectors": notes[0]} if notes else {})}))
        return
    if before == after:
        print(f"{url} is at {after} already.")
    else:
        print(f"{url}: {before or 'empty'} → {after or 'empty'}")
    for line in notes:
        print(line)


def _dimension(settings: Settings) -> int | None:
    """Return the vector length of the embedder in the settings."""
    embedder = engines.open_embedder(settings)
    return None if embedder is None else embedder.dimension
