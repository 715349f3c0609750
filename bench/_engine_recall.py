"""Recall and the nearest vectors on each engine, beside PostgresStore's search and pgvector asked by hand."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
from bench._engine_peers import CHUNK, TENANT
from bench._rounds import Clocks, sentence
from langgraph.store.base import PutOp
from langgraph.store.postgres import PostgresStore
from numpy.typing import NDArray

from rememora import Rememora, Settings, UserMemory
from rememora.adapters.sql.postgres.near import index_vectors
from rememora.adapters.sql.postgres.vectors import PostgresVectors
from rememora.domain.scope import Scope
from rememora.engines import open_database, open_index, open_store, open_vectors
from rememora.ports.index import EmbeddingModel
from rememora.ports.vectors import Vectors
from rememora.recall.vector_choice import NEAREST

DIMENSION, CLUSTERS, SPREAD, LIMIT, TRUE = 512, 200, 0.9, 5, 10
Vector = NDArray[np.float32]
Ask = Callable[[int], Awaitable[Any]]
RAW_TABLE = """
CREATE TABLE notes (tenant_id text, user_id text, id bigint, content text, vector vector({dimension}));
CREATE INDEX notes_of ON notes (tenant_id, user_id)
"""
RAW_NEAREST = b"""
SELECT id, content, 1 - (vector <=> %(vector)s::vector) FROM notes
WHERE tenant_id = %(tenant)s AND user_id = %(user)s ORDER BY vector <=> %(vector)s::vector LIMIT %(limit)s
"""


class ClusterEmbedder:
    """Vectors in clusters that cost next to nothing: the same text, the same vector."""

    name, dimension = "clusters", DIMENSION

    def __init__(self) -> None:
        self._centres = np.random.default_rng(7).standard_normal((CLUSTERS, DIMENSION), dtype=np.float32)
        self._centres /= np.linalg.norm(self._centres, axis=1, keepdims=True)

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[Vector]:
        return [self.vector(text) for text in texts]

    def vector(self, text: str) -> Vector:
        seed = zlib.crc32(text.encode())
        noise = np.random.Generator(np.random.PCG64(seed)).standard_normal(DIMENSION, dtype=np.float32)
        centre = self._centres[seed % CLUSTERS] + noise * np.float32(SPREAD / DIMENSION**0.5)
        return np.asarray(centre / np.linalg.norm(centre), dtype=np.float32)


EMBEDDER = ClusterEmbedder()
MODEL = EmbeddingModel(EMBEDDER.name, EMBEDDER.dimension).key


def question(number: int) -> str:
    return f"Qual pedido segue para o fornecedor {number}?"


def user_of(count: int) -> str:
    return f"reader{count}"


def settings_for(url: str, **more: object) -> Settings:
    """A store whose layers beside recall keep out of the way."""
    quiet = {"layers.summarization": False, "layers.patterns": False, "episodes.threshold": 1000}
    return Settings.load({"store.url": url, **quiet, **more}, environ={})


async def fill(settings: Settings, sizes: Sequence[int]) -> None:
    """A user of each size, with all vectors made."""
    async with Rememora.open(settings=settings, embedder=EMBEDDER, background=False) as rememora:
        for count in sizes:
            for start in range(0, count, 200):
                chat = rememora.user(user_of(count), tenant=TENANT).conversation(f"c{start}")
                texts = map(sentence, range(start, start + 200))
                await chat.append_many({"role": "user", "content": text} for text in texts)
        await rememora.settle()


async def said(settings: Settings, scope: Scope) -> list[tuple[str, str]]:
    """What a user said, by id."""
    items: list[tuple[str, str]] = []
    async with Rememora.open(settings=settings, embedder=EMBEDDER, background=False) as rememora:
        memory = rememora.user(scope.user, tenant=scope.tenant)
        for record in (await memory.conversations.list(limit=1000)).items:
            page = await memory.conversation(record.id).messages(limit=1000)
            items += [(message.id, message.content) for message in page.items]
    return items


class Recall:
    """The rows of recall, peer by peer; what is found first comes from caches that are warm."""

    def __init__(self, clocks: Clocks, sizes: Sequence[int], *, rounds: int, count: int) -> None:
        self._clocks, self._sizes, self._rounds, self._asked = clocks, sizes, rounds, count
        self.found: dict[str, float] = {}

    async def ours(self, name: str, settings: Settings) -> None:
        """Through the front door."""
        async with Rememora.open(settings=settings, embedder=EMBEDDER, background=False) as rememora:
            for count in self._sizes:
                memory = rememora.user(user_of(count), tenant=TENANT)

                async def ask(item: int, memory: UserMemory = memory) -> None:
                    assert len(await memory.recall(question(item), limit=LIMIT)) == LIMIT

                await self._ask(f"recall {count}", name, ask)

    async def store(self, url: str) -> None:
        """PostgresStore with vectors compared one by one, as the others do at these sizes."""
        index: Any = {
            "dims": DIMENSION,
            "embed": lambda texts: [EMBEDDER.vector(text).tolist() for text in texts],
            "fields": ["content"],
            "ann_index_config": {"kind": "flat", "vector_type": "vector"},
        }
        with PostgresStore.from_conn_string(url, index=index) as store:
            store.setup()
            for count in self._sizes:
                space = (TENANT, user_of(count))
                for start in range(0, count, CHUNK):
                    piece = range(start, min(start + CHUNK, count))
                    store.batch([PutOp(space, f"{item:08}", {"content": sentence(item)}) for item in piece])

                async def ask(item: int, space: tuple[str, str] = space) -> None:
                    assert len(store.search(space, query=question(item), limit=LIMIT)) == LIMIT

                await self._ask(f"recall {count}", "PostgresStore", ask)

    async def raw(self, url: str) -> None:
        """One statement by hand over a table of texts and vectors."""
        with psycopg.connect(url, autocommit=True, prepare_threshold=0) as line:
            for statement in RAW_TABLE.format(dimension=DIMENSION).split(";"):
                line.execute(statement.encode())
            for count in self._sizes:
                rows = "COPY notes (tenant_id, user_id, id, content, vector) FROM STDIN"
                with line.cursor() as cursor, cursor.copy(rows) as copy:
                    for number in range(count):
                        text = sentence(number)
                        copy.write_row((TENANT, user_of(count), number, text, text_of(EMBEDDER.vector(text))))
            line.execute("VACUUM ANALYZE notes")

            for count in self._sizes:
                await self._ask(f"recall {count}", "raw SQL", partial(by_hand, line, count, LIMIT))
            await self._ask("nearest", "raw SQL", partial(by_hand, line, max(self._sizes), NEAREST))

    async def vectors(self, folder: Path, sqlite: str, postgres: str, owner: str) -> None:
        """The seam of vectors alone, for the largest of these users."""
        settings = settings_for(sqlite)
        store = await open_store(settings, model=MODEL)
        scope = Scope(TENANT, user_of(max(self._sizes)))
        files = open_index(store, settings, EMBEDDER)
        assert files is not None
        await files.build([scope])
        duck = settings_for(sqlite, **{"recall.vectors": f"duckdb:///{folder / 'vectors.duckdb'}"})
        database = await open_database(settings_for(postgres))
        copied = open_vectors(store, database, duck, EMBEDDER)
        assert copied is not None
        await asyncio.to_thread(index_vectors, owner, DIMENSION)
        engines: dict[str, Vectors] = {
            "usearch": files,
            "DuckDB": copied,
            "pgvector, each compared": PostgresVectors(database, model=MODEL, dimension=DIMENSION),
            "pgvector, index": PostgresVectors(database, model=MODEL, dimension=DIMENSION, exact_rows=0),
        }
        texts = [*(await said(settings, scope)), *(await said(settings_for(postgres), scope))]
        for name, engine in engines.items():
            await self._nearest(name, engine, scope, dict(texts))
        await copied.close()
        await database.close()
        await store.close()

    async def _nearest(self, name: str, engine: Vectors, scope: Scope, contents: dict[str, str]) -> None:
        texts = [sentence(number) for number in range(max(self._sizes))]
        matrix = np.stack([EMBEDDER.vector(text) for text in texts])
        shares = []

        async def ask(count: int) -> None:
            vector = EMBEDDER.vector(question(count))
            hits = await engine.nearest(scope, vector, limit=NEAREST)
            expected = {texts[row] for row in np.argsort(matrix @ vector)[-TRUE:]}
            shares.append(len(expected & {contents[hit.key.id] for hit in hits}) / TRUE)

        await self._ask("nearest", name, ask)
        self.found[name] = round(sum(shares) / len(shares), 3)

    async def _ask(self, row: str, name: str, ask: Ask) -> None:
        await ask(-1)
        for turn in range(self._rounds):
            with self._clocks.time(row, name, self._asked):
                for number in range(turn * self._asked, (turn + 1) * self._asked):
                    await ask(number)


async def by_hand(line: psycopg.Connection[Any], count: int, limit: int, item: int) -> None:
    """One question to pgvector, the vector made as for everybody else."""
    query = {"tenant": TENANT, "user": user_of(count), "limit": limit}
    vector = text_of(EMBEDDER.vector(question(item)))
    assert len(line.execute(RAW_NEAREST, {**query, "vector": vector}).fetchall()) == limit


def text_of(vector: Vector) -> str:
    """A vector as pgvector reads it."""
    return "[" + ",".join(map(str, vector.tolist())) + "]"
