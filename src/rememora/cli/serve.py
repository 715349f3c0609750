"""`rememora serve`: the REST server of a store, with a first-run setup."""

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
WEB = ("argon2", "jinja2", "markupsafe", "starlette", "uvicorn")


def serve(
    url: Annotated[str | None, typer.Option(help="The store's folder or URL; defaults to the settings.")] = None,
    host: Annotated[str | None, typer.Option(help="Address to listen on; loopback by default.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on; 0 takes a free one.")] = None,
    processes: Annotated[int | None, typer.Option(help="Number of worker processes.")] = None,
    demo: Annotated[
        bool | None,
        typer.Option("--demo/--no-demo", help="Offer a demo on the front page, with a fictional company."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Serve the REST API and the pages. On a new store, create a tenant and print its keys once."""
    given = {
        "store.url": url,
        "server.host": host,
        "server.port": port,
        "server.processes": processes,
        "server.demo": demo,
    }
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


def owner_link(address: str, token: str) -> str:
    """Return the single-use URL at which the first owner opens their account."""
    return f"{address}/invitation?token={token}"


def _tell(address: str, started: Any) -> None:
    first = started.first
    if first is not None:
        print_line(
            "first_run",
            new=first.new,
            tenant=first.tenant,
            service_key=first.service_key,
            admin_key=first.admin_key,
            operator_key=first.operator_key,
            user=first.user,
            link=f"{address}/me?link={first.link}",
            chat=chat_command(address, first),
        )
    if started.owner:
        print_line("owner_wanted", link=owner_link(address, started.owner))
    print_line("serving", address=address, api=f"{address}/api/v1", docs=f"{address}/docs")


def chat_command(address: str, first: Any, *, message: str = "Moro em Recife.") -> str:
    """Return a command that sends a message with the first key, ready to paste."""
    return (
        f"curl -H 'Authorization: Bearer {first.service_key}' -H 'X-Rememora-User: {first.user}' \\\n"
        "     -H 'Content-Type: application/json' \\\n"
        f'     -d \'{{"message": "{message}"}}\' \\\n'
        f"     {address}/api/v1/chat"
    )


def _tell_warning(text: str) -> None:
    print_line("warning", detail=text)


def _warn(text: str) -> None:
    console.print(f"[yellow]warning[/]: {text}", highlight=False, soft_wrap=True)


def _announce(address: str, started: Any) -> None:
    first = started.first
    if first is not None:
        what = "A new store." if first.new else "This store had no key yet."
        console.print(f"\n{what} Tenant [bold]{first.tenant}[/] is ready; these are shown once:\n")
        secrets = (
            ("service key", first.service_key),
            ("admin key", first.admin_key),
            ("operator key", first.operator_key),
        )
        for label, secret in secrets:
            console.print(f"  {label:<13}", end="")
            console.print(secret, highlight=False, soft_wrap=True)
        console.print(f"  {'client link':<13}", end="")
        console.print(f"{address}/me?link={first.link}", highlight=False, soft_wrap=True)
        console.print(f"  {'':<13}(the page of {first.user}, for a limited time; also a bearer token)")
        console.print(
            "\nTo send a message that is remembered, paste this into another terminal:\n", highlight=False
        )
        console.print(chat_command(address, first), markup=False, highlight=False, soft_wrap=True)
        console.print()
    if started.owner:
        console.print("The operator's desk has no owner yet. This single-use link opens the owner's account:")
        console.print(f"  {owner_link(address, started.owner)}\n", highlight=False, soft_wrap=True)
    console.print(
        f"Open [bold]{address}[/] in a browser: the pages, the chat and the API reference.\n"
        f"Rememora serves {address}/api/v1, described at {address}/docs. Stop it with Ctrl-C.",
        highlight=False,
        soft_wrap=True,
    )
