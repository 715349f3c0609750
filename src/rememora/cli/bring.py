"""`rememora import`: import what this or another product exported, and resume an interrupted import."""

from __future__ import annotations

import asyncio
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
from rememora.cli.bring_mem0 import Mem0Import, Whose
from rememora.cli.knowledge import read_json
from rememora.cli.opened import (
    Json,
    TenantName,
    Url,
    UserName,
    memory_of,
    opening,
    print_json,
    which_tenant,
    whose,
)
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
    all_users: Annotated[
        bool, typer.Option("--all-users", help="Of a mem0 export, import each row for its own user.")
    ] = False,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Import an export, of Rememora or of another product. Importing it again duplicates nothing."""
    form, file = _named_file(files, form)
    if not file.is_file():
        raise InvalidInput("file", f"no such file: {file}")
    chosen = _form(form)
    known = exports.form_of(file) if chosen == "auto" else chosen
    if all_users and (known != "mem0" or user is not None):
        raise UsageError("--all-users is for a mem0 export, and without --user")
    counts = asyncio.run(_bring(file, known, url, (tenant, user, all_users), quiet=as_json))
    if as_json:
        print_json({"form": known, **counts})
    else:
        print(f"{known}: " + ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in counts.items()))


async def _bring(
    file: Path, form: exports.Form, url: str | None, given: tuple[str | None, str | None, bool], *, quiet: bool
) -> dict[str, int]:
    tenant_name, user_name, all_users = given
    async with opening(url, new=True) as rememora:
        if all_users:
            tenant = await which_tenant(rememora, tenant_name)
            with _bar(file, quiet=quiet) as read:
                return await Mem0Import(rememora, tenant, Whose.every(file)).run(file, read)
        tenant, user = await whose(rememora, tenant_name, user_name)
        ana = memory_of(rememora, tenant, user)
        if form == "rememora":
            return dict(msgspec.structs.asdict(await ana.archive.load(read_json(file))))
        with _bar(file, quiet=quiet) as read:
            if form == "mem0":
                return await Mem0Import(rememora, tenant, Whose.of(file, user)).run(file, read)
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
