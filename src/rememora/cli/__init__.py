"""The door for the terminal: `rememora …`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from rememora.cli import (
    analytics,
    audit,
    bring,
    demo,
    entities,
    erase,
    events,
    init,
    knowledge,
    logins,
    mcp,
    migrate,
    operate,
    read,
    recall,
    serve,
    talk,
    tasks,
    tenants,
    transfer,
)
from rememora.cli.failing import guarded
from rememora.cli.opened import Json, print_json

# Shown by `rememora --help`; exit codes are part of what is promised, so they are listed first.
HELP = """The memory of AI agents: what was said, what is known, and what is happening now.

Exit codes: 0 done; 1 refused, with one line saying why; 2 the command was misused, or a check found a fault
(`audit verify`, `erase --verify`); 3 the gate did not keep it (`remember`); 4 `doctor` found something that fails.
With `--json` a failure is a JSON object on standard error: `code`, `detail`, `exit_code`, and `field` if one
field is the cause.
"""

# Without rich markup: square brackets in help texts are brackets.
app = typer.Typer(
    name="rememora",
    help=HELP,
    no_args_is_help=True,
    add_completion=True,
    rich_markup_mode=None,
)
app.add_typer(events.app, name="events")
app.add_typer(audit.app, name="audit")
app.add_typer(erase.app, name="erase")
app.command("demo")(demo.demo)
app.command("init")(init.init)
app.command("migrate")(migrate.migrate)
app.command("transfer")(transfer.transfer)
app.command("recall")(recall.recall)
app.command("reembed")(recall.reembed)
app.command("serve")(serve.serve)
app.command("mcp")(mcp.mcp)
app.command("remember")(knowledge.remember)
app.command("memories")(knowledge.memories)
app.command("correct")(knowledge.correct)
app.command("forget")(knowledge.forget)
app.command("suppress")(knowledge.suppress)
app.command("restore")(knowledge.restore)
app.command("timeline")(knowledge.timeline)
app.command("explain")(knowledge.explain)
app.add_typer(entities.app, name="entities")
app.command("export")(knowledge.export)
app.command("import")(bring.bring)
app.command("chat")(talk.chat)
app.command("context")(talk.context)
app.command("conversations")(talk.conversations)
app.command("gate")(talk.gate)
app.command("read")(read.read)
app.command("policy")(talk.policy)
app.command("missions")(talk.missions)
app.add_typer(tasks.app, name="tasks")
app.add_typer(tenants.tenants, name="tenants")
app.add_typer(tenants.keys, name="keys")
app.add_typer(logins.logins, name="logins")
app.command("analytics")(analytics.analytics)
app.command("work")(operate.work)
app.command("doctor")(operate.doctor)
app.command("bench")(operate.bench)


@app.command("version")
def show_version(as_json: Json = False) -> None:
    """Print the version."""
    from importlib.metadata import version

    installed = version("rememora")
    print_json({"version": installed}) if as_json else print(installed)


def _version(requested: bool) -> None:
    if requested:
        show_version()
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """The memory of AI agents."""


def main() -> None:
    """Run the command line; a refusal is one line on standard error, JSON with `--json`, and an exit code."""
    guarded(app, sys.argv[1:])
