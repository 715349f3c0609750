"""Recall where nobody was asked lately: first questions, beside LangGraph's SqliteStore and bare SQLite.

    python bench/recall_cold.py             all rows; four to eight minutes
    python bench/recall_cold.py --write     the same, into bench/results/recall_cold.json

Rememora is measured on its embedded store and on a PostgreSQL of its own (the programs that the tests use; left
out where there are none). SqliteStore needs a sqlite3 that loads extensions: Python's own, or `pysqlite3`. Every
peer keeps the same messages, with vectors of 384 numbers made of a hash beforehand, and is measured in turn in one
process. A first question is one after the store was opened anew, about somebody whom nobody asked about before;
after a restart, about somebody whom the process before was asked about. Figures are milliseconds of CPU of the
whole process, every thread included and PostgreSQL's own not, as medians; `wall` stands beside where others may
wait. The limit keeps ids, texts and vectors in one table and ranks by cosine alone: no product can do less.
`context` is the first turn's pack after a restart, and which of its layers were late.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import random
import sqlite3
import statistics
import sys
import tempfile
import time
import zlib
from collections.abc import Awaitable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

import numpy as np
from bench._frame import Run
from numpy.typing import NDArray

from rememora import Rememora, Settings

HERE = Path(__file__).parent
DIMENSION, LIMIT, PER_CONVERSATION = 384, 5, 50
# Users and messages of each, and words of a message.
SIZES = {"100": (30, 100, 14), "500 long turns": (4, 500, 220), "10,000": (2, 10_000, 14)}
WARM, DELETED, APPENDED, BULK = 100, 10, 100, 2_000
Found = dict[str, dict[str, float]]

_ROOTS = "casa loja pedido viagem reunião orçamento projeto cliente contrato entrega budget meeting travel order"
_WORDS = [f"{root}{ending}" for root in _ROOTS.split() for ending in ("", "s", *map(str, range(1, 120)))]
_PLAIN = ["o", "a", "de", "que", "para", "com", "não", "uma", "the", "and", "is", "of", "to", "it", "na", "em"]


@cache
def vector_of(text: str) -> NDArray[np.float32]:
    """A unit vector that is the same for the same text."""
    chance = np.random.Generator(np.random.PCG64(zlib.crc32(text.encode())))
    values = chance.standard_normal(DIMENSION, dtype=np.float32)
    return values / np.float32(np.linalg.norm(values))


class HashEmbedder:
    """Vectors that cost next to nothing."""

    name, dimension = "hash", DIMENSION

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[NDArray[np.float32]]:
        return [vector_of(text) for text in texts]


def line(seed: int, words: int) -> str:
    """Something that somebody might write: half of it words that everybody uses."""
    chance = random.Random(seed)
    return " ".join(chance.choice(_PLAIN if chance.random() < 0.5 else _WORDS) for _ in range(words))


def lines(user: int, count: int, words: int) -> list[str]:
    return [line(user * 1_000_003 + number, words) for number in range(count)]


class Ours:
    """Rememora, on the engine of a URL."""

    def __init__(self, folder: Path, *, name: str = "Rememora", url: str = "") -> None:
        self.name = name
        self._settings = Settings.load(
            {
                "store.url": url or str(folder / "ours"),
                "store.synchronous": "normal",
                "store.key_folder": str(folder / "keys"),
            },
            environ={},
        )
        self._rememora: Any = None

    async def open(self) -> None:
        self._rememora = await Rememora.open(settings=self._settings, embedder=HashEmbedder(), background=False)
        # What the first question of a process loads and compiles is not the person's.
        await self._rememora._parts.turns.gatherer.ready()
        await self.ask("nobody", "aviso")

    async def close(self) -> None:
        await self._rememora.close()

    async def fill(self, user: str, said: Sequence[str]) -> None:
        person = self._rememora.user(user, tenant="bench")
        for start in range(0, len(said), PER_CONVERSATION):
            reply = said[start : start + PER_CONVERSATION]
            chat = person.conversation(f"c{start}")
            await chat.append_many({"role": "user", "content": text} for text in reply)

    async def settle(self) -> None:
        await self._rememora.settle()

    async def ask(self, user: str, question: str) -> None:
        await self._rememora.user(user, tenant="bench").recall(question, limit=LIMIT)

    async def append(self, user: str, text: str) -> None:
        await self._rememora.user(user, tenant="bench").conversation("new").append("user", text)

    async def delete(self, user: str, conversation: str) -> None:
        await self._rememora.user(user, tenant="bench").conversation(conversation).delete()

    async def late(self, user: str, question: str) -> list[str]:
        pack = await self._rememora.user(user, tenant="bench").conversation("now").context(question)
        return [item.layer for item in pack.missing if item.why == "late"]


class SqliteStore:
    """LangGraph's store with its index of vectors."""

    name = "SqliteStore"

    def __init__(self, folder: Path) -> None:
        self._file = folder / "langgraph.db"
        self._store: Any = None

    async def open(self) -> None:
        from langgraph.store.sqlite import SqliteStore as Store

        engine = _extensible()
        self._connection = engine.connect(self._file, isolation_level=None, check_same_thread=False)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        index: Any = {"dims": DIMENSION, "embed": self._embed, "fields": ["text"]}
        self._store = Store(self._connection, index=index)
        self._store.setup()

    def _embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [vector_of(text).tolist() for text in texts]

    async def close(self) -> None:
        self._connection.close()

    async def fill(self, user: str, said: Sequence[str]) -> None:
        from langgraph.store.base import PutOp

        for start in range(0, len(said), PER_CONVERSATION):
            place = ("bench", user, f"c{start}")
            texts = enumerate(said[start : start + PER_CONVERSATION])
            self._store.batch([PutOp(place, str(number), {"text": text}) for number, text in texts])

    async def settle(self) -> None: ...

    async def ask(self, user: str, question: str) -> None:
        self._store.search(("bench", user), query=question, limit=LIMIT)

    async def append(self, user: str, text: str) -> None:
        self._store.put(("bench", user, "new"), str(time.perf_counter_ns()), {"text": text})

    async def delete(self, user: str, conversation: str) -> None:
        place = ("bench", user, conversation)
        for item in self._store.search(place, limit=PER_CONVERSATION):
            self._store.delete(place, item.key)


class Limit:
    """One table and one product."""

    name = "limit"

    def __init__(self, folder: Path) -> None:
        self._file = folder / "bare.db"
        self._held: dict[str, tuple[list[int], NDArray[np.float32]]] = {}

    async def open(self) -> None:
        self._connection = sqlite3.connect(self._file)
        self._held.clear()
        for statement in (
            "PRAGMA journal_mode = WAL",
            "PRAGMA synchronous = NORMAL",
            "CREATE TABLE IF NOT EXISTS said (id INTEGER PRIMARY KEY, user, conversation, text, vector)",
            "CREATE INDEX IF NOT EXISTS of_user ON said (user, conversation)",
        ):
            self._connection.execute(statement)

    async def close(self) -> None:
        self._connection.close()

    def _put(self, user: str, conversation: str, said: Sequence[str]) -> None:
        rows = ((user, conversation, text, vector_of(text).tobytes()) for text in said)
        self._connection.executemany(
            "INSERT INTO said (user, conversation, text, vector) VALUES (?, ?, ?, ?)", rows
        )
        self._connection.commit()

    async def fill(self, user: str, said: Sequence[str]) -> None:
        for start in range(0, len(said), PER_CONVERSATION):
            self._put(user, f"c{start}", said[start : start + PER_CONVERSATION])

    async def settle(self) -> None: ...

    async def ask(self, user: str, question: str) -> None:
        if user not in self._held:
            rows = self._connection.execute("SELECT id, vector FROM said WHERE user = ?", (user,)).fetchall()
            matrix = np.frombuffer(b"".join(row[1] for row in rows), dtype=np.float32).reshape(-1, DIMENSION)
            self._held[user] = [row[0] for row in rows], matrix
        ids, matrix = self._held[user]
        best = np.argsort(-np.vecdot(matrix, vector_of(question)))[:LIMIT]
        for place in best.tolist():
            self._connection.execute("SELECT text FROM said WHERE id = ?", (ids[place],)).fetchone()

    async def append(self, user: str, text: str) -> None:
        self._put(user, "new", [text])

    async def delete(self, user: str, conversation: str) -> None:
        self._connection.execute("DELETE FROM said WHERE user = ? AND conversation = ?", (user, conversation))
        self._connection.commit()


async def spent(act: Awaitable[object], times: int = 1) -> tuple[float, float]:
    """Milliseconds of CPU, and of waiting, for each of so many."""
    cpu, wall = time.process_time(), time.perf_counter()
    await act
    return 1e3 * (time.process_time() - cpu) / times, 1e3 * (time.perf_counter() - wall) / times


def told(figures: Sequence[tuple[float, float]]) -> dict[str, float]:
    cpu, wall = (round(statistics.median(item), 3) for item in zip(*figures, strict=True))
    return {"cpu_ms": cpu, "wall_ms": wall}


async def measure(peer: Any) -> Found:
    """Every row, for one peer."""
    result: Found = {}
    await peer.open()
    for label, (users, item, words) in SIZES.items():
        for user in range(users):
            await peer.fill(f"{label} {user}", lines(user, item, words))
    await peer.settle()
    for label, (users, _, _) in SIZES.items():
        await peer.close()
        await peer.open()
        questions = [line(-user - 1, 6) for user in range(users)]
        list(map(vector_of, questions))
        first = [await spent(peer.ask(f"{label} {user}", questions[user])) for user in range(users)]
        result[f"first question, user of {label}"] = told(first)
    again = [line(-1000 - number, 6) for number in range(WARM)]
    list(map(vector_of, again))
    await peer.ask("10,000 0", again[0])
    await peer.close()
    await peer.open()
    result["first question after a restart, user of 10,000"] = told([await spent(peer.ask("10,000 0", again[1]))])
    result["question to a user of 10,000, warm"] = told(
        [await spent(peer.ask("10,000 0", entry)) for entry in again]
    )
    return result | await _writes(peer)


async def _writes(peer: Any) -> Found:
    result: Found = {}
    gone = [await spent(peer.delete("10,000 1", f"c{number * PER_CONVERSATION}")) for number in range(DELETED)]
    result[f"delete a conversation of {PER_CONVERSATION}"] = told(gone)
    new = [line(-5000 - number, 14) for number in range(APPENDED)]
    list(map(vector_of, new))
    result["append"] = told([await spent(peer.append("100 0", text)) for text in new])
    await peer.settle()

    async def appended() -> None:
        for text in new:
            await peer.append("100 1", text)
        await peer.settle()

    result["append, with background work"] = told([await spent(appended(), APPENDED)])
    many = lines(77, BULK, 14)
    list(map(vector_of, many))

    async def filled() -> None:
        await peer.fill("bulk", many)
        await peer.settle()

    result["bulk append, each, with background work"] = told([await spent(filled(), BULK)])
    await peer.close()
    return result


async def first_turns(peer: Ours) -> dict[str, list[str]]:
    """List the layers that are late in the first turn of a person after a restart."""
    late: dict[str, list[str]] = {}
    for label in SIZES:
        await peer.open()
        late[label] = await peer.late(f"{label} 0", line(-9, 6))
        await peer.close()
    return late


def _missing() -> str | None:
    """Name what SqliteStore needs and this machine lacks."""
    if find_spec("langgraph") is None or find_spec("langgraph.store.sqlite") is None:
        return "it is not installed; the group `bench` has it"
    if _extensible() is None:
        return "this Python's sqlite3 loads no extensions, and it needs sqlite-vec"
    return None


def _extensible() -> Any:
    """A sqlite3 that loads extensions, or None."""
    if hasattr(sqlite3.Connection, "enable_load_extension"):
        return sqlite3
    return import_module("pysqlite3.dbapi2") if find_spec("pysqlite3") else None


@contextmanager
def _postgres() -> Iterator[str | None]:
    """A database of a server of its own, or None where there is no server to start."""
    if find_spec("psycopg") is None:
        yield None
        return
    from tests.engines.postgres import postgres_url

    with postgres_url() as url:
        yield url


async def run(folder: Path, postgres: str | None) -> dict[str, Any]:
    ours = Ours(folder)
    peers: list[Any] = [ours]
    if postgres is not None:
        peers.append(Ours(folder, name="Rememora on PostgreSQL", url=postgres))
    if (away := _missing()) is None:
        peers.append(SqliteStore(folder))
    else:
        print(f"LangGraph's SqliteStore is left out: {away}", file=sys.stderr)
    peers.append(Limit(folder))
    rows: dict[str, dict[str, dict[str, float]]] = {}
    for peer in peers:
        print(peer.name, "…", file=sys.stderr, flush=True)
        for row, figures in (await measure(peer)).items():
            rows.setdefault(row, {})[peer.name] = figures
    machine = f"{os.cpu_count()} cores, {platform.machine()}"
    return {
        "machine": machine,
        "left out": {} if away is None else {"SqliteStore": away},
        "rows": rows,
        "late layers of the first context after a restart": await first_turns(ours),
    }


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--write", action="store_true", help="into bench/results")
    chosen, frame = options.parse_args(), Run("langgraph-checkpoint-sqlite", "psycopg")
    with tempfile.TemporaryDirectory() as folder, _postgres() as url:
        process = asyncio.run(run(Path(folder), url))
    frame.write("recall_cold", process, keep=chosen.write)


if __name__ == "__main__":
    main()
