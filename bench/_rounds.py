"""One round of history's operations on whatever keeps it, and the clocks around them: shared by the benches."""

from __future__ import annotations

import statistics
import time
from collections.abc import Awaitable, Callable, Collection, Iterator
from contextlib import contextmanager
from typing import NamedTuple, Protocol

TURNS, PER_CONVERSATION, TOGETHER, BULK = 10, 100, 64, 10_000
ROWS = ("append", "together", "bulk", "last", "delete", "open")
"""A message alone, from many callers at once, in an import; the last turns; a deletion; a cold open and a read."""


class Size(NamedTuple):
    """How many calls make one round."""

    singles: int = 200
    groups: int = 3
    bulk: int = BULK
    reads: int = 400
    deletes: int = 20
    openings: int = 5


class Peer(Protocol):
    """One way of keeping history."""

    name: str

    async def open(self) -> None: ...
    async def close(self) -> None: ...
    async def append(self, user: str, content: str) -> None: ...
    async def together(self, user: str, contents: list[str]) -> None: ...
    async def bulk(self, user: str, contents: list[str]) -> None: ...
    async def last(self, user: str) -> int: ...
    async def delete(self, user: str) -> None: ...


class Clocks:
    """CPU and wall time of a stretch of calls, in milliseconds for each; `elsewhere` reads the CPU of servers."""

    def __init__(self, elsewhere: Callable[[], float] = lambda: 0.0) -> None:
        self.figures: dict[tuple[str, str], list[tuple[float, float, float]]] = {}
        self._elsewhere = elsewhere

    @contextmanager
    def time(self, row: str, name: str, calls: int) -> Iterator[None]:
        """Time what happens inside, which is so many calls."""
        began = self._now()
        yield
        cpu, wall, server = ((end - start) * 1000 / calls for end, start in zip(self._now(), began, strict=True))
        self.figures.setdefault((row, name), []).append((cpu, wall, server))

    def _now(self) -> tuple[float, float, float]:
        return time.process_time(), time.perf_counter(), self._elsewhere()

    def medians(self) -> dict[str, dict[str, dict[str, float]]]:
        """Row by row, peer by peer: the medians over the rounds."""
        table: dict[str, dict[str, dict[str, float]]] = {}
        for (row, peer), spent in self.figures.items():
            cpu, wall, server = (round(statistics.median(item), 4) for item in zip(*spent, strict=True))
            there = {"server_cpu_ms": server} if server else {}
            table.setdefault(row, {})[peer] = {"cpu_ms": cpu, "wall_ms": wall, **there}
        return table


def sentence(number: int) -> str:
    """Something a user might write, some 110 characters."""
    return f"Mensagem {number}: a reunião com o fornecedor ficou para quinta às 10h, o pedido {number * 7} segue."


async def fill(peer: Peer, users: int) -> None:
    """Every user's conversation, round after round, as they come in life."""
    contents = [sentence(number) for number in range(PER_CONVERSATION)]
    for user in range(users):
        await peer.bulk(f"user{user:05}", contents)


async def each(act: Callable[[str], Awaitable[object]], users: list[str]) -> None:
    """The same act for each of these users."""
    for user in users:
        await act(user)


async def measure(
    peer: Peer, clocks: Clocks, *, users: int, turn: int, size: Size, rows: Collection[str] = ROWS
) -> None:
    """One round of these rows."""
    names = [f"user{number * 37 % users:05}" for number in range(turn * 1000, turn * 1000 + size.reads)]
    if "last" in rows:
        with clocks.time("last", peer.name, size.reads):
            await each(peer.last, names)
    if "append" in rows:
        with clocks.time("append", peer.name, size.singles):
            for number, name in enumerate(names[: size.singles]):
                await peer.append(name, sentence(number))
    if "together" in rows:
        with clocks.time("together", peer.name, TOGETHER * size.groups):
            for _ in range(size.groups):
                await peer.together(f"group{turn}", [sentence(number) for number in range(TOGETHER)])
    if "bulk" in rows:
        with clocks.time("bulk", peer.name, size.bulk):
            await peer.bulk(f"import{turn}", [sentence(number) for number in range(size.bulk)])
    if "delete" in rows:
        lines = [f"doomed{turn}-{number}" for number in range(size.deletes)]
        for name in lines:
            await peer.bulk(name, [sentence(number) for number in range(PER_CONVERSATION)])
        with clocks.time("delete", peer.name, size.deletes):
            await each(peer.delete, lines)
    if "open" in rows:
        await reopen(peer, clocks, names[0], size.openings)


async def reopen(peer: Peer, clocks: Clocks, user: str, times: int) -> None:
    """Opened and read once, again and again; open at the end as before."""
    await peer.close()
    with clocks.time("open", peer.name, times):
        for _ in range(times):
            await peer.open()
            assert await peer.last(user)
            await peer.close()
    await peer.open()
