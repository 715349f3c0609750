"""A `MemoryStore` for the memory capability of `pydantic-ai-harness`: versioned files of one person."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Self

from rememora.app import Rememora
from rememora.domain.document import StoredDocument
from rememora.domain.ids import new_id
from rememora.errors import ChangedMeanwhile, MissingExtra
from rememora.language.folding import fold

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

    Files are the agent's own notes: the gate does not read them, recall does not find them, and export and erasure
    of the person reach them. A change is made only over the version that was read.
    """

    def __init__(self, memory: Rememora, *, tenant: str, user: str) -> None:
        person = memory.user(user, tenant=tenant)
        self._files, self._receipts = person.documents(FILES), person.documents(RECEIPTS)

    async def read(self, path: str, *, max_chars: int) -> MemoryFile | None:
        """Return a file, cut to that many characters, or None."""
        _check_path(path)
        if max_chars <= 0:
            raise ValueError("max_chars must be positive")
        document = await self._files.get(path)
        if document is None:
            return None
        file, text = document.value, str(document.value["content"])
        return MemoryFile(
            content=text[:max_chars],
            version=file["version"],
            operation_id=file["operation"],
            truncated=len(text) > max_chars,
            metadata=file["metadata"],
        )

    async def get_operation(self, operation: MemoryOperation) -> MemoryMutation | None:
        """Return an operation's earlier result; one with other arguments is refused."""
        receipt = await self._receipts.get(operation.id)
        if receipt is None:
            return None
        if receipt.value["fingerprint"] != operation.fingerprint:
            raise MemoryOperationConflictError(
                f"operation id {operation.id!r} was reused with different arguments"
            )
        return MemoryMutation(version=receipt.value["version"], replayed=True, existed=receipt.value["existed"])

    async def write(
        self, path: str, content: str, *, expected_version: str | None, operation: MemoryOperation | None = None
    ) -> MemoryMutation:
        """Write a file over the version that is expected."""
        return await self.write_with_metadata(
            path, content, expected_version=expected_version, metadata=None, operation=operation
        )

    # An operation that is repeated after its answer got lost returns its first result, here and in `delete`.
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
        return sorted(file.key for file in await self._files.all(prefix=prefix))[:limit]

    async def search(
        self, prefix: str, query: str, *, limit: int, max_files: int, max_chars: int, max_file_chars: int
    ) -> MemorySearchResult:
        """Find the files directly below a prefix that hold words of a query, best first; accents do not matter."""
        _check_prefix(prefix)
        words = fold(query).split()
        if not words or min(limit, max_files, max_chars, max_file_chars) <= 0:
            return MemorySearchResult(matches=[], scanned=0, truncated=False)
        below = sorted(
            (file.key, str(file.value["content"]))
            for file in await self._files.all(prefix=prefix)
            if "/" not in file.key.removeprefix(prefix)
        )
        read = [FileMatch.of(name, text[:max_file_chars], prefix, words) for name, text in below[:max_files]]
        ranked = sorted((match for match in read if match.score), key=lambda file: (-file.score, file.path))
        matches = _within(ranked[:limit], prefix, max_chars)
        # Whatever was not looked at is said: a file cut short, files beyond the limit, matches beyond the
        # characters.
        cut = any(len(text) > max_file_chars for _, text in below[:max_files])
        truncated = cut or len(below) > len(read) or len(ranked) > len(matches)
        return MemorySearchResult(matches=matches, scanned=len(read), truncated=truncated)

    async def _expected(self, path: str, expected: str | None) -> StoredDocument | None:
        """Return a file as it stands; one in another version than expected is refused."""
        current = await self._files.get(path)
        if (None if current is None else current.value["version"]) != expected:
            raise _conflict(path)
        return current

    async def _done(self, mutation: MemoryMutation, operation: MemoryOperation | None) -> MemoryMutation:
        if operation is not None:
            receipt = {
                "fingerprint": operation.fingerprint,
                "version": mutation.version,
                "existed": mutation.existed,
            }
            await self._receipts.put(operation.id, receipt)
        return mutation


class FileMatch(NamedTuple):
    """A search result among files: how much of the query it contains, and the position of the first match."""

    path: str
    text: str
    score: float
    first: int

    @classmethod
    def of(cls, path: str, text: str, prefix: str, words: Sequence[str]) -> Self:
        """Count the words of a query in a file; a word in its name counts twice."""
        folded, name = _folded(text), fold(path.removeprefix(prefix))
        score = sum(folded.count(word) + 2 * name.count(word) for word in words)
        places = [place for word in words if (place := folded.find(word)) >= 0]
        return cls(path, text, float(score), min(places, default=0))

    def snippet(self, room: int) -> str:
        """Return that many characters around the first match, with dots for the rest."""
        end = min(len(self.text), max(0, self.first - room // 3) + room)
        begin = max(0, end - room)
        piece = self.text[begin:end]
        if begin:
            piece = ("..." + piece[3:])[: len(piece)]
        if end < len(self.text):
            piece = (piece[:-3] + "...")[-len(piece) :]
        return piece


def _within(file_matches: Sequence[FileMatch], prefix: str, room: int) -> list[MemorySearchMatch]:
    """Return matches as long as their names and snippets fit into `room` characters."""
    matches: list[MemorySearchMatch] = []
    for file_match in file_matches:
        room -= len(file_match.path.removeprefix(prefix))
        if room <= 0:
            break
        snippet = file_match.snippet(room)
        matches.append(MemorySearchMatch(path=file_match.path, snippet=snippet, score=file_match.score))
        room -= len(snippet)
    return matches


def _folded(text: str) -> str:
    """Fold a text without moving a character, so that a place in one is the place in the other."""
    return text.lower() if text.isascii() else "".join((fold(char) or char)[0] for char in text)


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
