"""Measures every engine side by side: history, recall and missions, beside raw SQL and LangGraph's PostgresStore.

    python bench/engines.py [--rounds 3] [--users 100] [--only history recall missions]

Servers are started from packages: PostgreSQL with fsync on, Redis, MongoDB. CPU is that of this process, every
thread included, and that of the servers beside it; each figure is the median over the rounds of the mean over the
calls. Raw SQL is a plain INSERT per message in its own transaction; "the same rows" writes by hand what Rememora
writes, in the same schema: the place and counts, the message, its index entry, the usage, under the tenant's lock.
PostgresStore answers 64 callers through its batching async store, and searches vectors in a flat index; raw recall
compares vectors only, where Rememora ranks words, meaning and neighbours.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

import psycopg
from bench import history
from bench._engine_peers import Fair, LangGraph, Raw
from bench._engine_recall import Recall, fill, settings_for
from bench._frame import Run
from bench._rounds import PER_CONVERSATION, ROWS, Clocks, Peer, Size, measure
from bench._rounds import fill as fill_history
from bench.missions import sends
from tests.engines.mongo import fresh_mongo
from tests.engines.postgres import ADMIN, APP, OWNER, Databases, Server
from tests.engines.redis import running

from rememora import Settings
from rememora.engines import open_database, open_missions
from rememora.moving import migrate
from rememora.wiring.parts import utc_now

SIZE = Size(singles=100, groups=2, bulk=2_000, reads=200, deletes=10, openings=3)
SQLITE, POSTGRES = "SQLite", "PostgreSQL"
CACHED_SQLITE, CACHED_POSTGRES = "SQLite + Redis", "PostgreSQL + Redis"
DUCKDB = "DuckDB vectors"
CACHED_ROWS = ("append", "last", "delete")
MESSAGES = (1_000, 10_000)
WITHIN = 2.0
OPTIONS = ("shared_buffers=256MB", "autovacuum=on", "fsync=on", "synchronous_commit=on")
Table = dict[str, dict[str, dict[str, float]]]


class Servers:
    """What is started for one run: PostgreSQL, made safe, and Redis in front of it."""

    def __init__(self, redis: str) -> None:
        self._server = Server(safe=True, options=OPTIONS)
        self._databases = Databases(self._server.url("postgres", ADMIN))
        self.redis = redis

    def migrated(self) -> tuple[str, str]:
        """A store of its own as production has it: where the application opens it, and where its owner does."""
        name = self.empty()
        migrate(self._databases.url(name, OWNER), role=APP)
        return self._databases.url(name), self._databases.url(name, OWNER)

    def empty(self) -> str:
        """A database with nothing but vectors' type."""
        name = self._databases.create()
        with psycopg.connect(self._databases.url(name, ADMIN), autocommit=True) as connection:
            connection.execute("CREATE EXTENSION vector")
        return name

    def owned(self) -> str:
        """A database for a peer to fill as it likes."""
        return self._databases.url(self.empty(), OWNER)

    def version(self) -> str:
        """Which PostgreSQL it is."""
        with psycopg.connect(self._server.url("postgres", ADMIN)) as connection:
            return str(connection.info.server_version)

    def remove(self) -> None:
        """Leave nothing behind."""
        self._server.remove()


def cpu_of_children() -> float:
    """Seconds of CPU that every process beneath this one has taken so far, and those of theirs that ended."""
    parents: dict[int, list[int]] = {}
    spent: dict[int, float] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parts = (entry / "stat").read_text().rpartition(")")[2].split()
                nanoseconds = [int(task.read_text().split()[0]) for task in entry.glob("task/*/schedstat")]
            except (OSError, ValueError):
                continue
            parents.setdefault(int(parts[1]), []).append(int(entry.name))
            waited = (int(parts[13]) + int(parts[14])) / os.sysconf("SC_CLK_TCK")
            spent[int(entry.name)] = sum(nanoseconds) / 1e9 + waited
    below, total = list(parents.get(os.getpid(), [])), 0.0
    while below:
        pid = below.pop()
        total += spent.get(pid, 0.0)
        below += parents.get(pid, [])
    return total


def history_peers(folder: Path, servers: Servers) -> dict[str, Peer]:
    """Each on a file or a database of its own."""

    def ours(name: str, url: str, redis: str = "") -> Peer:
        overrides = {
            "store.url": url,
            "recall.embedder": "none",
            "redis.url": redis,
            "redis.prefix": name[:4].lower(),
        }
        return history.Ours(Settings.load(overrides, environ={}), name)

    return {
        SQLITE: ours(SQLITE, str(folder / "plain")),
        CACHED_SQLITE: ours(CACHED_SQLITE, str(folder / "cached"), servers.redis),
        POSTGRES: ours(POSTGRES, servers.migrated()[0]),
        CACHED_POSTGRES: ours(CACHED_POSTGRES, servers.migrated()[0], servers.redis),
        Fair.name: Fair(servers.migrated()[0]),
        Raw.name: Raw(servers.owned()),
        LangGraph.name: LangGraph(servers.owned()),
    }


async def run_history(folder: Path, servers: Servers, clocks: Clocks, *, rounds: int, users: int) -> None:
    """Every peer in every round, each time another one first."""
    peers = list(history_peers(folder, servers).values())
    for peer in peers:
        if isinstance(peer, Raw | LangGraph):
            await peer.prepare()
        await peer.open()
        await fill_history(peer, users)
    for turn in range(rounds):
        for peer in peers[turn % len(peers) :] + peers[: turn % len(peers)]:
            rows = CACHED_ROWS if peer.name in (CACHED_SQLITE, CACHED_POSTGRES) else tuple(ROWS)
            await measure(peer, clocks, users=users, turn=turn, size=SIZE, rows=rows)
    for peer in peers:
        await peer.close()


async def run_recall(folder: Path, servers: Servers, clocks: Clocks, *, rounds: int) -> dict[str, float]:
    """One user of each size; returns which part of the nearest each engine found."""
    recall = Recall(clocks, MESSAGES, rounds=rounds, count=20)
    sqlite, (postgres, owner) = str(folder / "recall"), servers.migrated()
    for url in (sqlite, postgres):
        await fill(settings_for(url), MESSAGES)
    await recall.ours(SQLITE, settings_for(sqlite))
    await recall.ours(DUCKDB, settings_for(sqlite, **{"recall.vectors": f"duckdb:///{folder / 'recall.duckdb'}"}))
    await recall.ours(POSTGRES, settings_for(postgres))
    await recall.raw(servers.owned())
    await recall.store(servers.owned())
    await recall.vectors(folder, sqlite, postgres, owner)
    return recall.found


async def run_missions(folder: Path, servers: Servers, *, times: int) -> dict[str, dict[str, float]]:
    """A guarded send, and its settlement, where ten calls were made before."""
    result = {}
    sqlite, postgres = str(folder / "missions"), servers.migrated()[0]
    engines = {SQLITE: (sqlite, ""), POSTGRES: (postgres, ""), "Redis": (sqlite, servers.redis)}
    engines["MongoDB"] = (sqlite, fresh_mongo())
    for name, (url, missions) in engines.items():
        settings = Settings.load({"store.url": url, "missions.url": missions}, environ={})
        database = await open_database(settings)
        store = await open_missions(settings, database, clock=utc_now)
        await sends(store, 1, 20)
        began = cpu_of_children()
        measured = await sends(store, 10, times)
        figures = {
            f"{act} {what}": measured[act][what] for act in ("send", "settle") for what in ("cpu_ms", "p50_ms")
        }
        result[name] = figures | {"servers' cpu_ms": round((cpu_of_children() - began) * 1000 / times, 3)}
        await store.close()
        await database.close()
    return result


async def run(only: Sequence[str], *, rounds: int, users: int) -> dict[str, Any]:
    """All that is asked for."""
    report: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="rememora-bench-") as name, running(Path(name) / "redis") as redis:
        servers, folder = Servers(redis.url), Path(name)
        clocks = Clocks(cpu_of_children)
        if "history" in only:
            await run_history(folder, servers, clocks, rounds=rounds, users=users)
        if "recall" in only:
            report["found"] = await run_recall(folder, servers, clocks, rounds=rounds)
        if "missions" in only:
            report["missions"] = await run_missions(folder, servers, times=100)
        report["postgres"] = servers.version()
        servers.remove()
    return {"rows": clocks.medians(), **report}


def verdicts(rows: Table) -> dict[str, bool]:
    """Which aims are met, by the clock: what a caller waits for."""
    met = {}
    for row in [*ROWS, *(f"recall {count}" for count in MESSAGES)]:
        wall = {name: figures["wall_ms"] for name, figures in rows.get(row, {}).items()}
        if not wall:
            continue
        for peer in (Raw.name, Fair.name):
            if peer in wall:
                times = wall[POSTGRES] / wall[peer]
                met[f"{row}: within {WITHIN:g}x of {peer} ({times:.1f}x)"] = times <= WITHIN
        ahead = wall[LangGraph.name] / wall[POSTGRES]
        met[f"{row}: ahead of {LangGraph.name} ({ahead:.1f}x)"] = ahead > 1
    return met


def main() -> None:
    """Measure, show, and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--users", type=int, default=100)
    parser.add_argument("--only", nargs="+", default=["history", "recall", "missions"])
    options = parser.parse_args()
    frame = Run("psycopg", "langgraph-checkpoint-postgres", "redis", "pymongo", "duckdb", "usearch")
    measured = asyncio.run(run(options.only, rounds=options.rounds, users=options.users))
    report = {
        "rounds": options.rounds,
        "size": {"users": options.users, "total": options.users * PER_CONVERSATION, "bulk": SIZE.bulk},
        **measured,
        "aims": verdicts(measured["rows"]),
    }
    frame.write("engines", report)


if __name__ == "__main__":
    main()
