"""A `MemoryStore` for the memory capability of `pydantic-ai-harness`: versioned files of one person."""

from __future__ import annotations

import re
from collections.abc import Mapping

from rememora.app import Rememora
from rememora.domain.document import StoredDocument
from rememora.domain.ids import new_id
from rememora.errors import ChangedMeanwhile, MissingExtra
from rememora.integrations.langgraph_match import shared_words

try:
    from pydantic_ai_harness.memory import (
        MemoryConflictError,
        MemoryFile,
        MemoryMutation,
        MemoryOperation,
        MemoryOperationConflictError,
        MemorySearchMatch,
        MemorySearchResult,
    )
except ImportError:
    raise MissingExtra("pydantic-ai") from None

FILES, RECEIPTS = "pydantic-memory", "pydantic-receipts"
_SEGMENT = re.compile(r"[A-Za-z0-9_.-]{1,200}")


class RememoraMemoryStore:
    """Files for `Memory(store=RememoraMemoryStore(…))`, with versions, metadata and repeatable operations.

    Files are the agent's own notes: the gate does not read them, recall does not tell them, and export and erasure
    of the person reach them. A change is made only over the version that was read.
    """

    def __init__(self, memory: Rememora, *, tenant: str, user: str) -> None:
        person = memory.user(user, tenant=tenant)
        self._files, self._receipts = person.documents(FILES), person.documents(RECEIPTS)

    async def read(self, path: str, *, max_chars: int) -> MemoryFile | None:
        """Return a file, cut to so many characters, or None."""
        _check_path(path)
        if max_chars <= 0:
            raise ValueError("max_chars must be positive")
        found = await self._files.get(path)
        if found is None:
            return None
        file, text = found.value, str(found.value["content"])
        return MemoryFile(
            content=text[:max_chars],
            version=file["version"],
            operation_id=file["operation"],
            truncated=len(text) > max_chars,
            metadata=file["metadata"],
        )

    async def get_operation(self, operation: MemoryOperation) -> MemoryMutation | None:
        """Return what an operation came to earlier; one with other arguments is refused."""
        found = await self._receipts.get(operation.id)
        if found is None:
            return None
        if found.value["fingerprint"] != operation.fingerprint:
            raise MemoryOperationConflictError(
                f"operation id {operation.id!r} was reused with different arguments"
            )
        return MemoryMutation(version=found.value["version"], replayed=True, existed=found.value["existed"])

    async def write(
        self, path: str, content: str, *, expected_version: str | None, operation: MemoryOperation | None = None
    ) -> MemoryMutation:
        """Write a file over the version that is expected."""
        return await self.write_with_metadata(
            path, content, expected_version=expected_version, metadata=None, operation=operation
        )

    async def write_with_metadata(
        self,
        path: str,
        content: str,
        *,
        expected_version: str | None,
        metadata: Mapping[str, str] | None,
        operation: MemoryOperation | None = None,
    ) -> MemoryMutation:
        """Write a file over the version that is expected, with what is said of the write."""
        _check_path(path)
        if operation is not None and (earlier := await self.get_operation(operation)) is not None:
            return earlier
        before = await self._expected(path, expected_version)
        version = new_id()
        kept = {
            "content": content,
            "version": version,
            "operation": None if operation is None else operation.id,
            "metadata": dict(metadata) if metadata else None,
        }
        try:
            await self._files.put(path, kept, over=0 if before is None else before.version)
        except ChangedMeanwhile:
            raise _conflict(path) from None
        mutation = MemoryMutation(version=version, replayed=False, existed=before is not None)
        return await self._done(mutation, operation)

    async def delete(
        self, path: str, *, expected_version: str | None, operation: MemoryOperation | None = None
    ) -> MemoryMutation:
        """Delete a file in the version that is expected."""
        _check_path(path)
        if operation is not None and (earlier := await self.get_operation(operation)) is not None:
            return earlier
        before = await self._expected(path, expected_version)
        try:
            await self._files.delete(path, over=0 if before is None else before.version)
        except ChangedMeanwhile:
            raise _conflict(path) from None
        return await self._done(
            MemoryMutation(version=None, replayed=False, existed=before is not None), operation
        )

    async def list_paths(self, prefix: str = "", *, limit: int) -> list[str]:
        """List the paths that begin so, sorted."""
        _check_prefix(prefix)
        if limit <= 0:
            raise ValueError("limit must be positive")
        return sorted(each.key for each in await self._files.all(prefix=prefix))[:limit]

    async def search(
        self, prefix: str, query: str, *, limit: int, max_files: int, max_chars: int, max_file_chars: int
    ) -> MemorySearchResult:
        """Find the files directly below a prefix that share words with a query, best first."""
        _check_prefix(prefix)
        if min(limit, max_files, max_chars, max_file_chars) <= 0:
            raise ValueError("limits must be positive")
        below = [
            (each.key, str(each.value["content"])[:max_file_chars])
            for each in await self._files.all(prefix=prefix)
            if "/" not in each.key.removeprefix(prefix)
        ]
        read = sorted(below)[:max_files]
        scored = [(shared_words(query, {"path": name, "text": text}), name, text) for name, text in read]
        found = sorted((each for each in scored if each[0]), key=lambda each: (-each[0], each[1]))
        matches: list[MemorySearchMatch] = []
        left = max_chars
        for score, name, text in found[:limit]:
            room = left - len(name.removeprefix(prefix))
            if room <= 0:
                break
            matches.append(MemorySearchMatch(path=name, snippet=text[:room], score=score))
            left = room - len(text[:room])
        truncated = len(below) > len(read) or len(found) > len(matches)
        return MemorySearchResult(matches=matches, scanned=len(read), truncated=truncated)

    async def _expected(self, path: str, expected: str | None) -> StoredDocument | None:
        """Return a file as it stands; one in another version than expected is refused."""
        found = await self._files.get(path)
        if (None if found is None else found.value["version"]) != expected:
            raise _conflict(path)
        return found

    async def _done(self, mutation: MemoryMutation, operation: MemoryOperation | None) -> MemoryMutation:
        if operation is not None:
            receipt = {
                "fingerprint": operation.fingerprint,
                "version": mutation.version,
                "existed": mutation.existed,
            }
            await self._receipts.put(operation.id, receipt)
        return mutation


def _conflict(path: str) -> MemoryConflictError:
    return MemoryConflictError(f"memory path {path!r} changed before it could be written")


def _check_path(path: str) -> None:
    """Refuse what the stores of the harness refuse: odd names, and ways out of a folder."""
    for segment in path.split("/"):
        if not _SEGMENT.fullmatch(segment) or ".." in segment or segment == ".":
            raise ValueError(f"invalid memory path: {path!r}")


def _check_prefix(prefix: str) -> None:
    if prefix:
        _check_path(prefix.removesuffix("/"))
