"""`rememora serve`: the REST server on a store, with a first-run set-up."""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from typing import Annotated, Any

import typer
from rich.console import Console

from rememora.cli.opened import Json, print_line
from rememora.errors import MissingExtra
from rememora.settings import Settings

console = Console(stderr=True)
WEB = ("fastapi", "starlette", "uvicorn")


def serve(
    url: Annotated[str | None, typer.Option(help="The store's folder.")] = None,
    host: Annotated[str | None, typer.Option(help="Where to listen; loopback unless said.")] = None,
    port: Annotated[int | None, typer.Option(help="Which port; 0 takes a free one.")] = None,
    processes: Annotated[int | None, typer.Option(help="Worker processes on the one store.")] = None,
    as_json: Json = False,
) -> None:
    """Serve the REST API; on a new store, create a tenant and print its keys once."""
    given = {"store.url": url, "server.host": host, "server.port": port, "server.processes": processes}
    settings = Settings.load({name: value for name, value in given.items() if value is not None})
    serving = _serving()
    with suppress(KeyboardInterrupt):
        serving.serve(settings, announce=_tell if as_json else _announce, warn=_tell_warning if as_json else _warn)
    if as_json:
        print_line("stopped")


def _serving() -> Any:
    try:
        return import_module("rememora.server.serve")
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in WEB:
            raise MissingExtra("server") from None
        raise


def _tell(address: str, first: Any) -> None:
    if first is not None:
        print_line(
            "first_run",
            new=first.new,
            tenant=first.tenant,
            admin_key=first.admin_key,
            operator_key=first.operator_key,
            user=first.user,
            link=f"{address}/me?link={first.link}",
        )
    print_line("serving", address=address, api=f"{address}/api/v1")


def _tell_warning(text: str) -> None:
    print_line("warning", detail=text)


def _warn(text: str) -> None:
    console.print(f"[yellow]warning[/]: {text}", highlight=False, soft_wrap=True)


def _announce(address: str, first: Any) -> None:
    if first is not None:
        what = "A new store." if first.new else "This store is in use, and nobody had a key to it."
        console.print(f"\n{what} Tenant [bold]{first.tenant}[/] is ready; these are shown once:\n")
        for label, secret in (("admin key", first.admin_key), ("operator key", first.operator_key)):
            console.print(f"  {label:<13}", end="")
            console.print(secret, highlight=False, soft_wrap=True)
        console.print(f"  {'client link':<13}", end="")
        console.print(f"{address}/me?link={first.link}", highlight=False, soft_wrap=True)
        console.print(f"  {'':<13}(what is known of {first.user}, for a while; also a bearer token)")
        console.print(
            f"\n  curl -H 'Authorization: Bearer {first.admin_key}' -H 'X-Rememora-User: {first.user}' \\\n"
            f"       {address}/api/v1/conversations\n",
            highlight=False,
            soft_wrap=True,
        )
    console.print(
        f"Rememora serves [bold]{address}[/]/api/v1, stop it with Ctrl-C.", highlight=False, soft_wrap=True
    )
