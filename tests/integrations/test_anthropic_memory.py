"""Anthropic's memory tool on our files, beside Anthropic's own reference on a disk."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest
from anthropic.lib.tools import ToolError
from anthropic.lib.tools._beta_builtin_memory_tool import BetaLocalFilesystemMemoryTool
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rememora import Rememora, Settings, SyncRememora
from rememora.domain.ids import new_id
from rememora.errors import ChangedMeanwhile
from rememora.integrations.anthropic_memory import Files, RememoraAsyncMemoryTool, RememoraMemoryTool, sha_of

PATHS = st.sampled_from(["/memories/a.txt", "/memories/b/c.md", "/memories/b/d.md", "/memories/b", "/memories"])
TEXTS = st.sampled_from(["one\ntwo\nthree\n", "one", "one one", "ção\n\n", ""])
COMMANDS = st.one_of(
    st.builds(lambda path, text: {"command": "create", "path": path, "file_text": text}, PATHS, TEXTS),
    st.builds(lambda path: {"command": "view", "path": path}, PATHS),
    st.builds(lambda path: {"command": "delete", "path": path}, PATHS),
    st.builds(lambda old, new: {"command": "rename", "old_path": old, "new_path": new}, PATHS, PATHS),
    st.builds(
        lambda path, old: {"command": "str_replace", "path": path, "old_str": old, "new_str": "2"},
        PATHS,
        st.sampled_from(["one", "two", "x"]),
    ),
    st.builds(
        lambda path, line: {"command": "insert", "path": path, "insert_line": line, "insert_text": "new\n"},
        PATHS,
        st.integers(-1, 4),
    ),
)


async def done(tool: RememoraAsyncMemoryTool, command: dict[str, Any]) -> str:
    """What a command answers, or refuses."""
    try:
        return str(await tool.call(command))
    except ToolError as error:
        return f"refused: {error}"


def done_on_disk(tool: BetaLocalFilesystemMemoryTool, command: dict[str, Any]) -> str:
    """The same on the reference; a folder in the place of a file fails there in words of the system."""
    try:
        return str(tool.call(command))
    except ToolError as error:
        return f"refused: {error}"
    except OSError:
        return "refused: by the system"


def told(text: str) -> str:
    """An answer without what only a disk has: sizes of folders, and folders that are empty."""
    return re.sub(r"^[\d.]+[BKMG]\t(?=.*(?:/|/memories|/b)$)", "", text, flags=re.MULTILINE)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(commands=st.lists(COMMANDS, max_size=8))
async def test_it_answers_like_the_reference(
    rememora: Rememora, tmp_path: Path, commands: list[dict[str, Any]]
) -> None:
    """Any sequence of commands, until the two differ in what a disk alone can be: an empty folder."""
    user = new_id()
    ours = RememoraAsyncMemoryTool(rememora, user=user, tenant="acme")
    theirs = BetaLocalFilesystemMemoryTool(str(tmp_path / user))
    for command in commands:
        mine, reference = await done(ours, command), done_on_disk(theirs, command)
        folders = [path for path in theirs.memory_root.rglob("*") if path.is_dir() and not any(path.iterdir())]
        if folders or reference == "refused: by the system" or command.get("file_text") == "":
            return
        assert told(reference) == told(mine), command


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "/memories/../etc",
        "/memoriesx/a",
        "memories/a",
        "/memories/a\x00b",
        "/memories/" + "a/" * 30,
    ],
)
async def test_paths_stay_inside(rememora: Rememora, path: str) -> None:
    """No path leads out, and none is longer or stranger than a name may be."""
    tool = RememoraAsyncMemoryTool(rememora, user="ana", tenant="acme")

    assert (await done(tool, {"command": "create", "path": path, "file_text": "x"})).startswith("refused: Path")


async def test_versions_and_hashes(rememora: Rememora) -> None:
    """Each change keeps what was before; one under a wrong hash is refused; a version can be redacted."""
    files = Files(rememora, user="ana", tenant="acme")
    first = await files.write("/memories/a", "one")
    await files.write("/memories/a", "two", expected_sha256=first.sha256)
    with pytest.raises(ChangedMeanwhile):
        await files.write("/memories/a", "three", expected_sha256=first.sha256)
    with pytest.raises(ChangedMeanwhile):
        await files.delete("/memories/a", expected_sha256=first.sha256)
    await files.delete("/memories/a", expected_sha256=sha_of("two"))
    await files.write("/memories/a", "four")
    await files.redact("/memories/a", 1)
    versions = await files.versions("/memories/a")

    assert [(1, "created"), (2, "modified"), (3, "deleted"), (4, "created")] == [
        (version.version, version.operation) for version in versions
    ]
    assert [None, "two", None, "four"] == [version.text for version in versions]
    assert [None, sha_of("two"), None, sha_of("four")] == [version.sha256 for version in versions]


async def test_people_are_apart_and_erased(rememora: Rememora) -> None:
    """Another person has other files; an erasure takes files and versions along."""
    ana, bia = (Files(rememora, user=user, tenant="acme") for user in ("ana", "bia"))
    await ana.write("/memories/a", "zebra-4711")

    assert await bia.read("/memories/a") is None
    await rememora.user("ana", tenant="acme").erase(person=True)
    assert (None, []) == (await ana.read("/memories/a"), await ana.versions("/memories/a"))


async def test_two_writers_at_once(rememora: Rememora) -> None:
    """Of two who create the same file one is refused."""
    tool = RememoraAsyncMemoryTool(rememora, user="ana", tenant="acme")
    command = {"command": "create", "path": "/memories/a", "file_text": "x"}
    answers = await asyncio.gather(done(tool, command), done(tool, command))

    assert 1 == len([answer for answer in answers if answer.startswith("refused")])


async def test_a_text_too_long_is_refused(rememora: Rememora) -> None:
    """With the limit, as the model can read it."""
    tool = RememoraAsyncMemoryTool(rememora, user="ana", tenant="acme")

    assert "65536" in await done(tool, {"command": "create", "path": "/memories/a", "file_text": "x" * 70_000})


def test_without_await(settings: Settings) -> None:
    """The tool for the plain client, and the parameter that the API gets."""
    with SyncRememora.open(settings=settings, background=False) as memory:
        tool = RememoraMemoryTool(memory, user="ana", tenant="acme")
        tool.call({"command": "create", "path": "/memories/a", "file_text": "one\n"})
        shown = tool.call({"command": "view", "path": "/memories/a"})
        tool.clear_all_memory()
        empty = tool.call({"command": "view", "path": "/memories"})

    assert "Here's the content of /memories/a with line numbers:\n     1\tone\n     2\t" == shown
    assert str(empty).endswith("0B\t/memories")
    assert {"type": "memory_20250818", "name": "memory"} == tool.to_dict()
