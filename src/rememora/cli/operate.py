"""`rememora work, doctor, bench`: run the background loops, check an installation, measure a machine."""

from __future__ import annotations

import asyncio
import signal
import statistics
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import track

from rememora import telemetry
from rememora.app import Rememora
from rememora.cli.examine import examine
from rememora.cli.finding import Finding
from rememora.cli.opened import Json, Url, console, print_json, print_line, print_rows, settings_of
from rememora.errors import InvalidInput
from rememora.events.drain import Work
from rememora.settings import Settings
from rememora.settings.urls import without_password

FORM = "must be name=package.file:function"


def named_work(option: str) -> tuple[str, Work]:
    """Return a module's name and the function that does its work; the working folder is searched too."""
    name, _, place = option.partition("=")
    path, _, function = place.partition(":")
    if not (name and path and function):
        raise InvalidInput("module", f"{FORM}, not {option!r}")
    # As `python -m` does: a function beside the configuration needs no package.
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        module = import_module(path)
    except ModuleNotFoundError as error:
        # The module exists, but something that it imports does not: that error says more than ours.
        if error.name != path:
            raise
        raise InvalidInput("module", f"no such Python module: {path!r}") from None
    work = getattr(module, function, None)
    if not callable(work):
        raise InvalidInput("module", f"no such function: {function!r} in {path!r}")
    return name, work


EXIT_UNWELL = 4
MARKS = {"ok": "[green]ok[/]", "warn": "[yellow]warn[/]", "fail": "[red]fail[/]"}


def work(
    url: Url = None,
    module: Annotated[
        list[str] | None, typer.Option(help="Do a module's tasks with a function: `name=package.file:function`.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Run the background loops until stopped. Index, fold, relay, sweep, and do the tasks of modules."""
    settings = settings_of(url)
    options = settings.telemetry
    telemetry.log_to(sys.stderr, form=options.log_form, level=options.log_level)
    asyncio.run(_work(settings, [named_work(option) for option in module or ()], as_json=as_json))
    if as_json:
        print_line("stopped")


def doctor(url: Url = None, as_json: Json = False) -> None:
    """Check the installation and the store, and suggest fixes. Exit code 4 if a check fails."""
    findings = asyncio.run(examine(url))
    if as_json:
        print_json(findings)
    else:
        _show(findings)
    if any(finding.state == "fail" for finding in findings):
        raise typer.Exit(EXIT_UNWELL)


def bench(
    messages: Annotated[int, typer.Option(help="Number of messages to append.")] = 2000,
    searches: Annotated[int, typer.Option(help="Number of searches.")] = 200,
    as_json: Json = False,
) -> None:
    """Measure appends and searches on a temporary store."""
    with tempfile.TemporaryDirectory(prefix="rememora-") as folder:
        figures = asyncio.run(_bench(folder, messages, searches, quiet=as_json))
    if as_json:
        print_json(figures)
    else:
        print_rows(("measure", "value"), figures.items())


async def _work(settings: Settings, modules: list[tuple[str, Work]], *, as_json: bool) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for signal_number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(signal_number, stop.set)
    async with Rememora.open(settings=settings) as rememora:
        for name, does in modules:
            await rememora.modules.serve(name, does)
        place = without_password(settings.store.url)
        if as_json:
            print_line("working", store=place, modules=[name for name, _ in modules])
        else:
            console.print(f"Working on {place}; stop with Ctrl-C.", highlight=False)
        await stop.wait()


def _show(findings: list[Finding]) -> None:
    for finding in findings:
        console.print(f"{MARKS[finding.state]:<20} {finding.what}", highlight=False)
        if finding.remedy:
            console.print(f"       → {finding.remedy}", markup=False, highlight=False)


async def _bench(folder: str, messages: int, searches: int, *, quiet: bool) -> dict[str, float]:
    settings = Settings.load({"store.url": folder})
    async with Rememora.open(settings=settings, background=False) as rememora:
        ana = rememora.user("ana", tenant="bench")
        begun = time.perf_counter()
        for number in track(range(messages), "appending", disable=quiet, console=console):
            thread = ana.conversation(f"c{number % 20}")
            await thread.append("user", f"mensagem {number} sobre o fornecedor {number % 97}")
        appended = messages / (time.perf_counter() - begun)
        taken: list[float] = []
        for number in track(range(searches), "searching", disable=quiet, console=console):
            begun = time.perf_counter()
            await ana.recall(f"fornecedor {number % 97}")
            taken.append((time.perf_counter() - begun) * 1000)
    cuts = statistics.quantiles(taken, n=20) if len(taken) > 1 else taken * 19
    return {
        "appends_per_second": round(appended),
        "recall_ms_p50": round(statistics.median(taken), 2),
        "recall_ms_p95": round(cuts[18], 2),
    }
