"""A backend for Anthropic's memory tool (`memory_20250818`): its files as documents of one person.

Every change keeps the version before it, with its hash; a change can be made on the condition of a hash.
"""

from __future__ import annotations

import hashlib
from collections.abc import Coroutine
from datetime import UTC, datetime
from typing import Any, Literal, TypeVar

import msgspec

from rememora.app import Rememora
from rememora.errors import ChangedMeanwhile, InvalidInput, MissingExtra, NotFound
from rememora.integrations.anthropic_text import (
    ROOT,
    edited,
    inserted,
    listing,
    numbered,
    path_of,
    under,
)
from rememora.integrations.bridge import Bridge
from rememora.sync import SyncRememora

try:
    from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError
    from anthropic.types import beta
except ImportError:
    raise MissingExtra("anthropic") from None

FILES, VERSIONS = "anthropic-memory", "anthropic-versions"
T = TypeVar("T")
Operation = Literal["created", "modified", "deleted"]


class File(msgspec.Struct, frozen=True, kw_only=True):
    """A file: its text, and the number of its version; `written` counts how often it was written."""

    text: str
    version: int
    sha256: str
    written: int = 0


class Version(msgspec.Struct, frozen=True, kw_only=True):
    """One version of a file; of a deletion it holds no text."""

    path: str
    version: int
    operation: Operation
    sha256: str | None
    text: str | None
    at: datetime


class Files:
    """The files of one person, as the memory tool sees them."""

    def __init__(self, memory: Rememora, *, user: str, tenant: str) -> None:
        person = memory.user(user, tenant=tenant)
        self._files, self._versions = person.documents(FILES), person.documents(VERSIONS)

    async def read(self, path: str) -> File | None:
        """Return a file, or None."""
        document = await self._files.get(path)
        return None if document is None else msgspec.convert({**document.value, "written": document.version}, File)

    async def paths(self) -> dict[str, int]:
        """Return every file with its size in bytes."""
        return {document.key: len(str(document.value["text"]).encode()) for document in await self._files.all()}

    async def write(self, path: str, text: str, *, expected_sha256: str | None = None) -> File:
        """Write a file whole; with a hash, only over the text that has it, else `ChangedMeanwhile`."""
        before = await self.read(path)
        _check(before, expected_sha256)
        return await self._put(path, text, before)

    async def create(self, path: str, text: str) -> None:
        """Write a file that is not there yet."""
        if await self.read(path) is not None:
            raise ToolError(f"File {path} already exists")
        await self._put(path, text, None)

    async def change(self, path: str, text: str, before: File) -> None:
        """Write a file over the version that was read."""
        await self._put(path, text, before)

    async def delete(self, path: str, *, expected_sha256: str | None = None) -> None:
        """Remove a file; its versions stay."""
        before = await self.read(path)
        if before is None:
            raise NotFound("file", path)
        _check(before, expected_sha256)
        await self._files.delete(path, over=before.written)
        await self._note(path, before.version + 1, "deleted", None)

    async def versions(self, path: str) -> list[Version]:
        """List every version of a file, oldest first, also of one that is deleted."""
        documents = await self._versions.all(prefix=_name(path, ""))
        kept = (msgspec.convert(document.value, Version) for document in documents)
        return sorted((version for version in kept if version.path == path), key=lambda version: version.version)

    async def redact(self, path: str, version: int) -> None:
        """Take the text and the hash out of one version; who reads it sees that and when there was one."""
        document = await self._versions.get(_name(path, version))
        if document is None:
            raise NotFound("version", _name(path, version))
        gone = msgspec.structs.replace(msgspec.convert(document.value, Version), text=None, sha256=None)
        await self._versions.put(_name(path, version), msgspec.to_builtins(gone))

    async def _put(self, path: str, text: str, before: File | None) -> File:
        number = await self._next(path, before)
        file = {"text": text, "version": number, "sha256": sha_of(text)}
        put = await self._files.put(path, file, over=0 if before is None else before.written)
        await self._note(path, number, "created" if before is None else "modified", text)
        return msgspec.convert({**file, "written": put.version}, File)

    async def _next(self, path: str, before: File | None) -> int:
        if before is not None:
            return before.version + 1
        return max((version.version for version in await self.versions(path)), default=0) + 1

    async def _note(self, path: str, number: int, operation: Operation, text: str | None) -> None:
        sha = None if text is None else sha_of(text)
        now = datetime.now(UTC)
        version = Version(path=path, version=number, operation=operation, sha256=sha, text=text, at=now)
        await self._versions.put(_name(path, number), msgspec.to_builtins(version))


def sha_of(text: str) -> str:
    """Return the hash of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def _name(path: str, version: int | str) -> str:
    return f"{path}#{version}"


def _check(before: File | None, expected: str | None) -> None:
    if expected is not None and (before is None or before.sha256 != expected):
        raise ChangedMeanwhile


class _Commands:
    """The six commands, each on the command object that the tool was called with."""

    def __init__(self, files: Files) -> None:
        self._files = files

    async def view(self, command: beta.BetaMemoryTool20250818ViewCommand) -> str:
        path = path_of(command.path)
        file = None if path == ROOT else await self._files.read(path)
        if file is not None:
            return numbered(command.path, file.text, command.view_range)
        paths = under(path, await self._files.paths())
        if not paths and path != ROOT:
            raise ToolError(f"The path {command.path} does not exist. Please provide a valid path.")
        return listing(command.path, paths)

    async def create(self, command: beta.BetaMemoryTool20250818CreateCommand) -> str:
        path = path_of(command.path)
        await self._check_free(path, f"File {command.path} already exists")
        await self._kept(self._files.create(path, command.file_text))
        return f"File created successfully at: {command.path}"

    async def str_replace(self, command: beta.BetaMemoryTool20250818StrReplaceCommand) -> str:
        path, file = await self._file(command.path)
        text, snippet = edited(command.path, file.text, command.old_str, command.new_str)
        await self._kept(self._files.change(path, text, file))
        return snippet

    async def insert(self, command: beta.BetaMemoryTool20250818InsertCommand) -> str:
        path, file = await self._file(command.path)
        text = inserted(file.text, command.insert_line, command.insert_text)
        await self._kept(self._files.change(path, text, file))
        return f"The file {command.path} has been edited."

    async def delete(self, command: beta.BetaMemoryTool20250818DeleteCommand) -> str:
        path = path_of(command.path)
        if path == ROOT:
            raise ToolError("Cannot delete the /memories directory itself")
        gone = await self._meant(path)
        if not gone:
            raise ToolError(f"The path {command.path} does not exist")
        for text in gone:
            await self._kept(self._files.delete(text))
        return f"Successfully deleted {command.path}"

    async def rename(self, command: beta.BetaMemoryTool20250818RenameCommand) -> str:
        old, new = path_of(command.old_path), path_of(command.new_path)
        if old == ROOT:
            raise ToolError("Cannot rename the /memories directory itself")
        await self._check_free(new, f"The destination {command.new_path} already exists")
        moved = await self._meant(old)
        if not moved:
            raise ToolError(f"The path {command.old_path} does not exist")
        # Created before deleted: a crash in between leaves two copies, never none.
        for text in moved:
            file = await self._files.read(text)
            await self._kept(
                self._files.create(f"{new}{text.removeprefix(old)}", "" if file is None else file.text)
            )
            await self._kept(self._files.delete(text))
        return f"Successfully renamed {command.old_path} to {command.new_path}"

    async def clear(self) -> str:
        for path in await self._files.paths():
            await self._files.delete(path)
        return "All memory cleared"

    async def _file(self, given: str) -> tuple[str, File]:
        path = path_of(given)
        file = await self._files.read(path)
        if file is None:
            is_folder = path == ROOT or bool(under(path, await self._files.paths()))
            what = "is not a file." if is_folder else "does not exist. Please provide a valid path."
            raise ToolError(f"The path {given} {what}")
        return path, file

    async def _check_free(self, path: str, taken: str) -> None:
        """Refuse a path where a file or a folder stands, or that would make a folder of a file."""
        if path == ROOT or await self._meant(path):
            raise ToolError(taken)
        parts = path.split("/")
        for depth in range(3, len(parts)):
            above = "/".join(parts[:depth])
            if await self._files.read(above) is not None:
                raise ToolError(f"The path {above} is a file, not a directory")

    async def _meant(self, path: str) -> list[str]:
        """Return the files that a path means: itself, or all below it."""
        if await self._files.read(path) is not None:
            return [path]
        return [f"{path}/{name}" for name in under(path, await self._files.paths())]

    async def _kept(self, change: Coroutine[Any, Any, T]) -> T:
        """Make a change, and tell the model what was wrong with it."""
        try:
            return await change
        except (ChangedMeanwhile, NotFound):
            raise ToolError("The file was changed meanwhile. View it again.") from None
        except InvalidInput as error:
            raise ToolError(str(error)) from None


class RememoraAsyncMemoryTool(BetaAsyncAbstractMemoryTool):
    """The memory tool of one person, for `AsyncAnthropic`: `run_tools(tools=[…])`."""

    def __init__(self, memory: Rememora, *, user: str, tenant: str, **how: Any) -> None:
        super().__init__(**how)
        self.files = Files(memory, user=user, tenant=tenant)
        self._commands = _Commands(self.files)

    async def view(self, command: beta.BetaMemoryTool20250818ViewCommand) -> str:
        """Show a file with line numbers, or a folder two levels deep."""
        return await self._commands.view(command)

    async def create(self, command: beta.BetaMemoryTool20250818CreateCommand) -> str:
        """Write a new file."""
        return await self._commands.create(command)

    async def str_replace(self, command: beta.BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace a text that occurs in a file once."""
        return await self._commands.str_replace(command)

    async def insert(self, command: beta.BetaMemoryTool20250818InsertCommand) -> str:
        """Insert a text at a line."""
        return await self._commands.insert(command)

    async def delete(self, command: beta.BetaMemoryTool20250818DeleteCommand) -> str:
        """Delete a file, or a folder with all that is in it."""
        return await self._commands.delete(command)

    async def rename(self, command: beta.BetaMemoryTool20250818RenameCommand) -> str:
        """Rename or move a file or a folder."""
        return await self._commands.rename(command)

    async def clear_all_memory(self) -> str:
        """Delete every file; their versions stay."""
        return await self._commands.clear()


class RememoraMemoryTool(BetaAbstractMemoryTool):
    """The same for `Anthropic`, over `SyncRememora`, or from a thread other than the memory's event loop."""

    def __init__(self, memory: Rememora | SyncRememora, *, user: str, tenant: str, **how: Any) -> None:
        super().__init__(**how)
        self._bridge = Bridge(memory)
        self.files = Files(self._bridge.memory, user=user, tenant=tenant)
        self._commands = _Commands(self.files)

    def view(self, command: beta.BetaMemoryTool20250818ViewCommand) -> str:
        """Show a file with line numbers, or a folder two levels deep."""
        return self._bridge.run(self._commands.view(command))

    def create(self, command: beta.BetaMemoryTool20250818CreateCommand) -> str:
        """Write a new file."""
        return self._bridge.run(self._commands.create(command))

    def str_replace(self, command: beta.BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace a text that occurs in a file once."""
        return self._bridge.run(self._commands.str_replace(command))

    def insert(self, command: beta.BetaMemoryTool20250818InsertCommand) -> str:
        """Insert a text at a line."""
        return self._bridge.run(self._commands.insert(command))

    def delete(self, command: beta.BetaMemoryTool20250818DeleteCommand) -> str:
        """Delete a file, or a folder with all that is in it."""
        return self._bridge.run(self._commands.delete(command))

    def rename(self, command: beta.BetaMemoryTool20250818RenameCommand) -> str:
        """Rename or move a file or a folder."""
        return self._bridge.run(self._commands.rename(command))

    def clear_all_memory(self) -> str:
        """Delete every file; their versions stay."""
        return self._bridge.run(self._commands.clear())
