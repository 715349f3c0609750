"""Failures of a command: one line for people, a problem for programs, and a documented exit code."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NoReturn

import msgspec
import typer
from rich.console import Console
from rich.markup import escape

from rememora.errors import RememoraError

EXIT_REFUSED, EXIT_MISUSED = 1, 2
# What click raises for misuse; typer may bring a click of its own, and exports no name for it.
MISUSE: type[Exception] = typer.BadParameter.__mro__[2]


class CommandProblem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Return a failure in the form of the REST API's problems (RFC 9457)."""

    type: str
    title: str
    code: str
    detail: str
    exit_code: int
    field: str | None = None
    command: str | None = None


def guarded(app: Callable[..., Any], words: list[str]) -> NoReturn:
    """Run the command line; print errors to standard error, as JSON with `--json`."""
    as_json = "--json" in words
    try:
        sys.exit(app(words, standalone_mode=not as_json) or 0)
    except RememoraError as error:
        _refused(error, as_json=as_json)
    except MISUSE as error:
        _say(problem("misused", str(getattr(error, "format_message", error.__str__)()), exit_code=EXIT_MISUSED))
        sys.exit(EXIT_MISUSED)
    except typer.Abort:
        _say(problem("aborted", "nothing was done", exit_code=EXIT_REFUSED))
        sys.exit(EXIT_REFUSED)


def problem(code: str, detail: str, *, exit_code: int, **more: str | None) -> CommandProblem:
    """Return the problem of a code."""
    title = code.replace("_", " ")
    return CommandProblem(
        type=f"urn:rememora:problem:{code}", title=title, code=code, detail=detail, exit_code=exit_code, **more
    )


def _refused(error: RememoraError, *, as_json: bool) -> NoReturn:
    if as_json:
        more = {name: getattr(error, name, None) for name in ("field", "command")}
        _say(problem(error.code, error.message, exit_code=EXIT_REFUSED, **more))
    else:
        refusal = f"[red]{error.code}[/]: {escape(error.message)}"
        Console(stderr=True).print(refusal, highlight=False, soft_wrap=True)
    sys.exit(EXIT_REFUSED)


def _say(problem: CommandProblem) -> None:
    print(msgspec.json.encode(problem).decode(), file=sys.stderr)
