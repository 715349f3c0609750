"""Measures history side by side: Rememora's async API, a bare `sqlite3` loop (the limit), LangGraph's SqliteStore.

    python bench/history.py [--rounds 5] [--users 1000]

All three work on a file of their own with the same pragmas (WAL, synchronous FULL, secure_delete on). CPU is that
of the whole process, every thread included; each figure is the median over the rounds of the mean over the calls.
Rememora has its defaults, but no embedder and no background loops: vectors, summaries and the telling of episodes
come after the write, off its path. On it are the order, the ids, the index of words, and the episodes with their
events.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from bench._frame import Run
from bench._langgraph import LangGraphPeer
from bench._rounds import BULK, PER_CONVERSATION, ROWS, TURNS, Clocks, Peer, Size, fill, measure
from langgraph.store.sqlite import SqliteStore

from rememora import Rememora, Settings
from rememora.adapters.sql.folder import FILE
from rememora.adapters.sql.queries import queries
from rememora.domain.event import SCHEMA
from rememora.domain.ids import new_id
from rememora.domain.window import new_stamp

TENANT = "acme"
PACKAGE = "langgraph-checkpoint-sqlite"
PRAGMAS = ("journal_mode = WAL", "synchronous = FULL", "secure_delete = ON", "temp_store = MEMORY")
AIMS = {"append": 0.3, "last": 0.2}
BULK_AIM, IMPORT_AIM_MS = 3.0, 150.0


class Ours:
    """Rememora, through its async API."""

    name = "Rememora"

    def __init__(self, settings: Settings, name: str = name) -> None:
        self._settings = settings
        self.name = name

    async def open(self) -> None:
        self._rememora = await Rememora.open(settings=self._settings, background=False)

    async def close(self) -> None:
        await self._rememora.close()

    def _chat(self, user: str) -> Any:
        return self._rememora.user(user, tenant=TENANT).conversation("c1")

    async def append(self, user: str, content: str) -> None:
        await self._chat(user).append("user", content)

    async def together(self, user: str, contents: list[str]) -> None:
        chat = self._chat(user)
        await asyncio.gather(*(chat.append("user", content) for content in contents))

    async def bulk(self, user: str, contents: list[str]) -> None:
        await self._chat(user).append_many({"role": "user", "content": content} for content in contents)

    async def last(self, user: str) -> int:
        return len(await self._chat(user).last_turns(TURNS))

    async def delete(self, user: str) -> None:
        await self._chat(user).delete()


class Bare:
    """The same statements into the same schema, with nothing around them: what cannot be beaten."""

    name = "bare sqlite3"

    def __init__(self, folder: Path) -> None:
        self._file = folder / "bare" / FILE
        self._sql = {name: query.sql for name, query in queries("sqlite").items()}

    async def open(self) -> None:
        if not self._file.exists():
            # Born of the same schema: Rememora makes the file, and leaves.
            settings = settings_of(self._file.parent)
            await (await Rememora.open(settings=settings, background=False)).close()
        self._connection = connected(self._file)

    async def close(self) -> None:
        self._connection.close()

    def _write(self, user: str, contents: list[str]) -> None:
        execute, now, place = self._connection.execute, time.time_ns() // 1000, self._place(user)
        execute("BEGIN IMMEDIATE")
        counts = {"messages": len(contents), "turns": len(contents), "first": now, "last": now, "channel": "chat"}
        counts |= {"counted": len(contents), "edition": new_stamp()}
        [row] = execute(self._sql["reserve_places"], place | counts).fetchall()
        first = row[2] - len(contents) + 1
        rest = {"role": "user", "modality": "chat", "attachments": None, "metadata": None, "created_at": now}
        rest |= {"hidden": None, "shown": None}
        self._connection.executemany(
            self._sql["add_message"],
            [
                {**place, **rest, "seq": seq, "id": new_id(), "content": content}
                for seq, content in enumerate(contents, first)
            ],
        )
        execute("COMMIT")

    def _place(self, user: str) -> dict[str, Any]:
        return {"tenant": TENANT, "user": user, "conversation": "c1"}

    async def append(self, user: str, content: str) -> None:
        self._write(user, [content])

    async def together(self, user: str, contents: list[str]) -> None:
        for content in contents:
            self._write(user, [content])

    async def bulk(self, user: str, contents: list[str]) -> None:
        for start in range(0, len(contents), 500):
            self._write(user, contents[start : start + 500])

    async def last(self, user: str) -> int:
        return len(
            self._connection.execute(self._sql["newest_turns"], {**self._place(user), "limit": TURNS}).fetchall()
        )

    async def delete(self, user: str) -> None:
        execute, now, place = self._connection.execute, time.time_ns() // 1000, self._place(user)
        execute("BEGIN IMMEDIATE")
        execute(self._sql["remove_messages"], place)
        execute(self._sql["remove_conversation"], place)
        [row] = execute(self._sql["next_position"], {"tenant": TENANT, "at": now, "places": 1}).fetchall()
        event = {"position": row[0], "id": new_id(), "type": "conversation.deleted", "payload": "{}"}
        event |= {"version": SCHEMA, "subject": ""}
        execute(self._sql["add_event"], place | event | {"occurred_at": now})
        execute("COMMIT")


class LangGraph(LangGraphPeer):
    """LangGraph's SqliteStore."""

    name = "SqliteStore"

    def __init__(self, folder: Path) -> None:
        self._file = folder / "langgraph.db"

    async def open(self) -> None:
        self._connection = connected(self._file)
        self._store = SqliteStore(self._connection)
        self._store.setup()

    async def close(self) -> None:
        self._connection.close()

    async def together(self, user: str, contents: list[str]) -> None:
        for content in contents:
            await self.append(user, content)


def settings_of(folder: Path) -> Settings:
    """The defaults but for the embedder: vectors are made after the write, off its path."""
    return Settings.load({"store.url": str(folder), "recall.embedder": "none"}, environ={})


def connected(file: Path) -> sqlite3.Connection:
    """A connection of a peer, with the pragmas that Rememora sets."""
    connection = sqlite3.connect(file, isolation_level=None, check_same_thread=False, cached_statements=512)
    for pragma in PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")
    return connection


async def run(rounds: int, users: int) -> dict[str, dict[str, dict[str, float]]]:
    """Every peer in every round, side by side."""
    clocks = Clocks()
    with tempfile.TemporaryDirectory(prefix="rememora-bench-") as name:
        peers: list[Peer] = [Ours(settings_of(Path(name) / "rememora")), Bare(Path(name)), LangGraph(Path(name))]
        for peer in peers:
            await peer.open()
            await fill(peer, users)
        for turn in range(rounds):
            for peer in peers[turn % len(peers) :] + peers[: turn % len(peers)]:
                await measure(peer, clocks, users=users, turn=turn, size=Size())
        for peer in peers:
            await peer.close()
    return clocks.medians()


def import_ms(times: int = 9) -> float:
    """How much CPU time a fresh interpreter takes over `import rememora`."""
    code = "import time; t = time.process_time(); import rememora; print((time.process_time() - t) * 1000)"
    # As an installed package is: compiled, by the first run where the environment forbade it before.
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", code]
    _, *taken = [float(subprocess.check_output(command, env=environ)) for _ in range(times + 1)]
    return statistics.median(taken)


def verdicts(table: dict[str, dict[str, dict[str, float]]], imported: float) -> dict[str, bool]:
    """Which aims are met."""
    cpu = {row: {peer: figures["cpu_ms"] for peer, figures in peers.items()} for row, peers in table.items()}
    met = {f"{row} within {limit} ms CPU": cpu[row][Ours.name] <= limit for row, limit in AIMS.items()}
    bulk = cpu["bulk"]
    met[f"bulk within {BULK_AIM:g}x of the bare loop"] = bulk[Ours.name] <= BULK_AIM * bulk[Bare.name]
    for row in ROWS:
        met[f"{row}: ahead of SqliteStore"] = cpu[row][Ours.name] < cpu[row][LangGraph.name]
    met[f"import within {IMPORT_AIM_MS:g} ms CPU"] = imported <= IMPORT_AIM_MS
    return met


def main() -> None:
    """Measure, show, and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--users", type=int, default=1000)
    options = parser.parse_args()
    frame = Run(PACKAGE)
    table = asyncio.run(run(options.rounds, options.users))
    imported = round(import_ms(), 1)
    report = {
        "rounds": options.rounds,
        "size": {"users": options.users, "total": options.users * PER_CONVERSATION, "bulk": BULK},
        "peers": [Ours.name, Bare.name, LangGraph.name],
        "rows": table,
        "import_ms": imported,
        "aims": verdicts(table, imported),
    }
    frame.write("history", report)


if __name__ == "__main__":
    main()
