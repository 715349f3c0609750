"""The door for the terminal: `rememora …`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from rememora.cli import audit, demo, erase, events, knowledge, migrate, recall, serve
from rememora.errors import RememoraError

app = typer.Typer(
    name="rememora",
    help="The memory of AI agents: what was said, what is known, and what is going on right now.",
    no_args_is_help=True,
    add_completion=True,
)
app.add_typer(events.app, name="events")
app.add_typer(audit.app, name="audit")
app.add_typer(erase.app, name="erase")
app.command("demo")(demo.demo)
app.command("migrate")(migrate.migrate)
app.command("recall")(recall.recall)
app.command("reembed")(recall.reembed)
app.command("serve")(serve.serve)
app.command("remember")(knowledge.remember)
app.command("memories")(knowledge.memories)
app.command("correct")(knowledge.correct)
app.command("forget")(knowledge.forget)
app.command("export")(knowledge.export)
app.command("import")(knowledge.import_)

EXIT_REFUSED = 1


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        print(version("rememora"))
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """The memory of AI agents."""


def main() -> None:
    """Run the command line; what Rememora refuses is one line on standard error and exit code 1."""
    try:
        app()
    except RememoraError as error:
        refusal = f"[red]{error.code}[/]: {escape(error.message)}"
        Console(stderr=True).print(refusal, highlight=False, soft_wrap=True)
        sys.exit(EXIT_REFUSED)
