"""`rememora import`: import what this or another product exported, and resume an interrupted import."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, cast, get_args

import msgspec
import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from rememora.adapters import exports
from rememora.adapters.mem0 import as_said
from rememora.cli.knowledge import read_json
from rememora.cli.opened import Json, TenantName, Url, UserName, memory_of, opening, print_json, whose
from rememora.compat.mem0 import put_extras
from rememora.domain.memory import Outcome
from rememora.domain.verdict import Correct, Save
from rememora.errors import InvalidInput, UsageError
from rememora.handles.user import UserMemory


def bring(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="[FORM] FILE",
            help="The file to import; its format may also be given before it.",
        ),
    ],
    tenant: TenantName = None,
    user: UserName = None,
    form: Annotated[
        str, typer.Option(help="Format: auto, rememora, chatgpt, claude, jsonl, messages or mem0.")
    ] = "auto",
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Import an export, of Rememora or of another product. Importing it again duplicates nothing."""
    form, file = _named_file(files, form)
    if not file.is_file():
        raise InvalidInput("file", f"no such file: {file}")
    chosen = _form(form)
    known = exports.form_of(file) if chosen == "auto" else chosen
    counts = asyncio.run(_bring(file, known, url, (tenant, user), quiet=as_json))
    if as_json:
        print_json({"form": known, **counts})
    else:
        print(f"{known}: " + ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in counts.items()))


async def _bring(
    file: Path, form: exports.Form, url: str | None, given: tuple[str | None, str | None], *, quiet: bool
) -> dict[str, int]:
    async with opening(url, new=True) as rememora:
        tenant, user = await whose(rememora, *given)
        ana = memory_of(rememora, tenant, user)
        if form == "rememora":
            return dict(msgspec.structs.asdict(await ana.archive.load(read_json(file))))
        with _bar(file, quiet=quiet) as read:
            if form == "mem0":
                return await _memories(ana, file, read)
            return await _conversations(ana, file, form, read)


async def _conversations(ana: UserMemory, file: Path, form: exports.Form, read: exports.Read) -> dict[str, int]:
    counts = Counter(conversations=0, messages=0)
    for exported in exports.conversations(file, form, read=read):
        if not exported.messages:
            continue
        thread = ana.conversation(exported.id, channel=form)
        counts["messages"] += await thread.append_many(exported.messages)
        counts["conversations"] += 1
        if exported.title:
            await thread.describe(metadata={"title": exported.title})
    return dict(counts)


async def _memories(ana: UserMemory, file: Path, read: exports.Read) -> dict[str, int]:
    """Import another product's memories: each sentence passes the gate, and none that was kept there is lost."""
    counts = Counter(kept=0, kept_whole=0, kept_silent=0, here_already=0, held=0)
    whose = _whose(file, ana.scope.user)
    for row in exports.mem0_memories(file, read=read):
        # One file holds the memories of many users; those of others are counted and left.
        if row.user in whose:
            counts["of_others"] += 1
            continue
        outcome = await ana.archive.load_note(as_said(row.text), ref=f"mem0:{row.id}"[:255], at=row.at, whole=True)
        for memory in outcome.memories:
            await put_extras(ana, memory, row.extras)
        became = _became(outcome)
        counts[became] += 1
        if outcome.verdict is not None and became in ("kept_silent", "held"):
            print(f"{row.id}: {became}: {outcome.verdict.why.en} ({outcome.verdict.reason})", file=sys.stderr)
    return dict(counts)


def _whose(file: Path, user: str) -> frozenset[str]:
    """Return the users of a file whose memories are not imported: all but the one that is named."""
    rows = Counter(row.user for row in exports.mem0_memories(file, read=lambda _: None) if row.user)
    others = {name: count for name, count in rows.items() if name != user}
    # One user in the file: the importing person is meant, whatever the id was there. Several: only the one of
    # the same name, since memories of others must not become theirs.
    if len(rows) > 1 and user not in rows:
        raise InvalidInput("file", f"contains memories of {', '.join(sorted(rows))}, but none of {user}")
    for name, count in sorted(others.items()):
        became = f"are skipped; --user {name} imports them" if len(rows) > 1 else f"come in as memories of {user}"
        print(f"{count} of the user_id {name} {became}", file=sys.stderr)
    return frozenset(others) if len(rows) > 1 else frozenset()


def _became(outcome: Outcome) -> str:
    """Name the result of a row: read as facts, kept verbatim, kept but suppressed, quarantined, or a duplicate."""
    if outcome.verdict is None:
        return "here_already"
    if outcome.quarantined:
        return "held"
    if any(memory.suppressed for memory in outcome.memories):
        return "kept_silent"
    return "kept" if isinstance(outcome.verdict, Save | Correct) else "kept_whole"


@contextmanager
def _bar(file: Path, *, quiet: bool) -> Iterator[exports.Read]:
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), disable=quiet) as progress:
        task = progress.add_task("importing", total=file.stat().st_size)
        yield lambda done: progress.update(task, completed=done)
        progress.update(task, completed=file.stat().st_size)


def _named_file(words: list[str], form: str) -> tuple[str, Path]:
    """Return form and file of `FILE` or of `chatgpt FILE`."""
    *before, file = words
    if not before:
        return form, Path(file)
    if len(before) == 1 and before[0] in get_args(exports.Form) and form in ("auto", before[0]):
        return before[0], Path(file)
    raise UsageError("one file at a time: rememora import FILE --form chatgpt, or rememora import chatgpt FILE")


def _form(text: str) -> exports.Form:
    if text not in get_args(exports.Form):
        raise typer.BadParameter(f"must be one of {', '.join(get_args(exports.Form))}")
    return cast("exports.Form", text)
