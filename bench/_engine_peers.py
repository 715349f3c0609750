"""What PostgreSQL is measured beside, on the same server: SQL written by hand, in two ways, and PostgresStore."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from typing import Any

import psycopg
from bench._langgraph import LangGraphPeer
from bench._rounds import TURNS
from langgraph.store.postgres import AsyncPostgresStore, PostgresStore

from rememora.adapters.sql.postgres.texts import spelled
from rememora.adapters.sql.queries import queries
from rememora.domain.event import SCHEMA
from rememora.domain.ids import new_id
from rememora.domain.window import new_stamp

TENANT, CONVERSATION, CHUNK, CONNECTIONS = "acme", "c1", 500, 8
TABLE = """
CREATE TABLE IF NOT EXISTS messages (
    tenant_id text NOT NULL, user_id text NOT NULL, conversation_id text NOT NULL,
    seq bigint GENERATED ALWAYS AS IDENTITY, id text NOT NULL, role text NOT NULL, content text NOT NULL,
    modality text NOT NULL, created_at bigint NOT NULL,
    PRIMARY KEY (tenant_id, user_id, conversation_id, seq))
"""
INSERT = b"""
INSERT INTO messages (tenant_id, user_id, conversation_id, id, role, content, modality, created_at)
VALUES (%(tenant)s, %(user)s, %(conversation)s, %(id)s, 'user', %(content)s, 'chat', %(now)s)
"""
LAST = b"""
SELECT seq, id, role, content, modality, created_at FROM messages
WHERE tenant_id = %(tenant)s AND user_id = %(user)s AND conversation_id = %(conversation)s
ORDER BY seq DESC LIMIT %(limit)s
"""
DELETE = b"""
DELETE FROM messages WHERE tenant_id = %(tenant)s AND user_id = %(user)s AND conversation_id = %(conversation)s
"""


def now_micros() -> int:
    return time.time_ns() // 1000


def place_of(user: str) -> dict[str, Any]:
    return {"tenant": TENANT, "user": user, "conversation": CONVERSATION}


class Lines:
    """A connection for each thread that asks, every statement prepared."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._own = threading.local()
        self._all: list[psycopg.Connection[Any]] = []

    def __call__(self) -> psycopg.Connection[Any]:
        if not hasattr(self._own, "line"):
            self._own.line = psycopg.connect(self._url, autocommit=True, prepare_threshold=0)
            self._all.append(self._own.line)
        line: psycopg.Connection[Any] = self._own.line
        return line

    def close(self) -> None:
        for line in self._all:
            line.close()


class Raw:
    """A row for each message, a statement for each row, in its own transaction: nothing can do less durably."""

    name = "raw SQL"

    def __init__(self, url: str) -> None:
        self._url = url

    async def open(self) -> None:
        self._lines = Lines(self._url)
        self._threads = ThreadPoolExecutor(CONNECTIONS)

    async def prepare(self) -> None:
        """The table, once."""
        with psycopg.connect(self._url, autocommit=True) as connection:
            connection.execute(TABLE.encode())

    async def close(self) -> None:
        self._threads.shutdown()
        self._lines.close()

    def write(self, user: str, content: str) -> None:
        """One message, durable when this returns."""
        self._lines().execute(INSERT, {**place_of(user), "id": new_id(), "content": content, "now": now_micros()})

    async def append(self, user: str, content: str) -> None:
        self.write(user, content)

    async def together(self, user: str, contents: list[str]) -> None:
        loop = asyncio.get_running_loop()
        await asyncio.gather(*(loop.run_in_executor(self._threads, self.write, user, item) for item in contents))

    async def bulk(self, user: str, contents: list[str]) -> None:
        place, line = place_of(user), self._lines()
        for start in range(0, len(contents), CHUNK):
            piece = contents[start : start + CHUNK]
            rows = [{**place, "id": new_id(), "content": item, "now": now_micros()} for item in piece]
            with line.transaction(), line.cursor() as cursor:
                cursor.executemany(INSERT, rows)

    async def last(self, user: str) -> int:
        return len(self._lines().execute(LAST, {**place_of(user), "limit": TURNS}).fetchall())

    async def delete(self, user: str) -> None:
        self._lines().execute(DELETE, place_of(user))


class Fair(Raw):
    """By hand what Rememora writes: counts, message, index entry, usage; for one tenant under its lock."""

    name = "raw SQL, the same rows"

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self._sql = {name: spelled(query.sql).encode() for name, query in queries("postgres").items()}

    async def prepare(self) -> None:
        """The schema is there already."""

    def write(self, user: str, content: str) -> None:
        self._write(user, [content])

    def _write(self, user: str, contents: list[str]) -> None:
        line, now, place, count = self._lines(), now_micros(), place_of(user), len(contents)
        with line.transaction(), line.cursor() as cursor:
            self._begin(cursor)
            cursor.execute(self._sql["take_usage"], {**place, **self._meter(now), "amount": count})
            counts = {"messages": count, "turns": count, "counted": count, "first": now, "last": now}
            counts["edition"] = new_stamp()
            cursor.execute(self._sql["reserve_places"], {**place, **counts, "channel": "chat"})
            [row] = cursor.fetchall()
            first = row[2] - count + 1
            rest = {"role": "user", "modality": "chat", "attachments": None, "metadata": None, "created_at": now}
            rest |= {"hidden": None, "shown": None}
            rows = [
                {**place, **rest, "seq": seq, "id": new_id(), "content": content}
                for seq, content in enumerate(contents, first)
            ]
            cursor.executemany(self._sql["add_message"], rows)
            [[newest]] = cursor.execute(self._sql["newest_change"], place).fetchall()
            span = {"first": first, "last": row[2], "newest": newest}
            cursor.execute(self._sql["put_messages"], {**place, **span})

    def _begin(self, cursor: psycopg.Cursor[Any]) -> None:
        lock = "pg_advisory_xact_lock(hashtextextended(%(tenant)s, 7))"
        begin = f"SELECT set_config('rememora.tenant', %(tenant)s, true), {lock}".encode()
        cursor.execute(begin, {"tenant": TENANT})

    def _meter(self, now: int) -> dict[str, Any]:
        day = 86_400_000_000
        return {"meter": "messages", "since": now - now % day}

    async def bulk(self, user: str, contents: list[str]) -> None:
        for start in range(0, len(contents), CHUNK):
            self._write(user, contents[start : start + CHUNK])

    async def last(self, user: str) -> int:
        line = self._lines()
        with line.transaction(), line.cursor() as cursor:
            cursor.execute(b"SELECT set_config('rememora.tenant', %(tenant)s, true)", {"tenant": TENANT})
            return len(cursor.execute(self._sql["newest_turns"], {**place_of(user), "limit": TURNS}).fetchall())

    async def delete(self, user: str) -> None:
        line, now, place = self._lines(), now_micros(), place_of(user)
        with line.transaction(), line.cursor() as cursor:
            self._begin(cursor)
            cursor.execute(self._sql["remove_messages"], place)
            [[newest]] = cursor.execute(self._sql["newest_change"], place).fetchall()
            cursor.execute(self._sql["drop_conversation_entries"], place)
            gone = {"kind": "conversation", "number": newest + 1}
            cursor.execute(self._sql["mark_gone"], {**place, **gone})
            cursor.execute(self._sql["remove_conversation"], place)
            [[position]] = cursor.execute(
                self._sql["next_position"], {"tenant": TENANT, "at": now, "places": 1}
            ).fetchall()
            event = {"position": position, "id": new_id(), "type": "conversation.deleted", "payload": "{}"}
            event |= {"version": SCHEMA, "subject": ""}
            cursor.execute(self._sql["add_event"], {**place, **event, "occurred_at": now})


class LangGraph(LangGraphPeer):
    """LangGraph's PostgresStore; for callers at once, its async store."""

    name = "PostgresStore"

    def __init__(self, url: str) -> None:
        self._url = url

    async def prepare(self) -> None:
        """Its tables, once."""
        with PostgresStore.from_conn_string(self._url) as store:
            store.setup()

    async def open(self) -> None:
        self._stack = AsyncExitStack()
        self._store = self._stack.enter_context(PostgresStore.from_conn_string(self._url))
        self._many: AsyncPostgresStore | None = None

    async def close(self) -> None:
        await self._stack.aclose()

    async def together(self, user: str, contents: list[str]) -> None:
        if self._many is None:
            self._many = await self._stack.enter_async_context(AsyncPostgresStore.from_conn_string(self._url))
        many, space = self._many, self.space(user)
        assert many is not None
        await asyncio.gather(*(many.aput(space, new_id(), self.value(content)) for content in contents))
