"""`rememora entities …`: the things a person mentions, listed, forgotten and restored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from rememora.cli.opened import Json, TenantName, Url, UserName, of_user, print_json, print_rows
from rememora.domain.entity import Entity
from rememora.errors import InvalidInput

app = typer.Typer(help="Entities that a person mentions.", no_args_is_help=True)
EntityName = Annotated[str, typer.Argument(help="Key or id of the entity.")]


@app.command("list")
def listed(
    tenant: TenantName = None,
    user: UserName = None,
    limit: Annotated[int, typer.Option(help="Maximum number of entities.")] = 20,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """List what a person mentions most, then most recently."""
    _show(of_user(url, tenant, user, lambda ana: ana.entities.list(limit=limit)), as_json=as_json)


@app.command()
def forget(
    entity: EntityName, tenant: TenantName = None, user: UserName = None, url: Url = None, as_json: Json = False
) -> None:
    """Forget one entity. It can be restored; a later mention starts a new count."""
    _show([of_user(url, tenant, user, lambda ana: ana.entities.forget(entity))], as_json=as_json)


@app.command()
def restore(
    tenant: TenantName = None,
    user: UserName = None,
    entity: Annotated[str | None, typer.Argument(help="Key or id of the entity.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Restore every forgotten entity.")] = False,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Restore forgotten entities with their counts."""
    if every == (entity is not None):
        raise InvalidInput("entity", "name an entity, or use --all")
    if entity is None:
        _show(of_user(url, tenant, user, lambda ana: ana.entities.restore_all()), as_json=as_json)
    else:
        _show([of_user(url, tenant, user, lambda ana: ana.entities.restore(entity))], as_json=as_json)


def _show(entities: Sequence[Entity], *, as_json: bool) -> None:
    if as_json:
        print_json(entities)
        return
    rows = (
        (entity.key, entity.type, entity.value, entity.mentions, entity.updated_at.date().isoformat())
        for entity in entities
    )
    print_rows(("key", "type", "value", "mentions", "last"), rows)
