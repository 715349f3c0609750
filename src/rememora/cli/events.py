"""`rememora events`: what is told outside, and in which form."""

from __future__ import annotations

import json

import typer

from rememora.domain.event import events_schema

app = typer.Typer(help="What is told to subscribers.", no_args_is_help=True)


@app.callback()
def events() -> None:
    """What is told to subscribers."""


@app.command()
def schema() -> None:
    """Print the JSON Schema that every event follows."""
    print(json.dumps(events_schema(), indent=2))
