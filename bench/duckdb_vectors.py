"""DuckDB's exact cosines within one user, beside its HNSW index: `python bench/duckdb_vectors.py`.

The index is that of the `vss` extension (`duckdb-extension-vss`, in the `bench` group), loaded from its wheel.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

import duckdb
import numpy as np
from bench._frame import Run
from numpy.typing import NDArray

from rememora.adapters.duckdb.file import Cursor, VectorFile
from rememora.domain.hit import IndexItem, ItemKey
from rememora.domain.scope import Scope
from rememora.ports.index import IndexChanges
from rememora.wiring.parts import utc_now

DIMENSION, ASKED, LIMIT, PAGE = 512, 20, 10, 2_000
INDEXED, TENANTS = 2_000, 20
Vectors = NDArray[np.float32]


def drawn(count: int, seed: int = 0) -> Vectors:
    vectors = np.random.default_rng(seed).standard_normal((count, DIMENSION)).astype(np.float32)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def page_of(vectors: Vectors, first: int) -> IndexChanges:
    items = tuple(
        IndexItem(key=ItemKey("message", f"m{first + place}", "c1"), number=first + place, text="", at=utc_now(),
             vector=vector.tobytes(), embedded=True)
        for place, vector in enumerate(vectors, 1)
    )  # fmt: skip
    return IndexChanges(
        items=items, gone=(), gone_conversations=(), reset=0, newest=first + len(vectors), more=False
    )


def exact(rows: int, folder: Path) -> dict[str, Any]:
    """A file with a user of so many items beside another of as many: milliseconds to take one in, and to ask."""
    file = VectorFile(folder / f"{rows}.duckdb", dimension=DIMENSION)
    ana, bia = Scope("acme", "ana"), Scope("acme", "bia")
    begun = time.process_time()
    for owner in (ana, bia):
        for first in range(0, rows, PAGE):
            page = drawn(min(PAGE, rows - first), seed=first)
            file.take_in(owner, page_of(page, first), Cursor(seen=first + len(page)))
    laid = (time.process_time() - begun) * 1000 / (2 * rows)
    taken = []
    for vector in drawn(ASKED, seed=1):
        begun = time.process_time()
        file.nearest([ana, ana.shared()], vector, LIMIT)
        taken.append((time.process_time() - begun) * 1000)
    file.close()
    return {
        "items": rows,
        "laid down, ms of CPU an item": round(laid, 2),
        "p50 ms of CPU": round(statistics.median(taken), 1),
    }


def indexed() -> dict[str, Any]:
    """The same question to an HNSW index over every tenant: what it costs to build, and what it finds."""
    spec = find_spec("duckdb_extension_vss")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    folder = Path(next(iter(spec.submodule_search_locations)))
    db = duckdb.connect()
    db.execute("SET threads = 1")
    db.execute(f"LOAD '{next(folder.rglob('vss.duckdb_extension'))}'")
    db.execute(f"CREATE TABLE v (tenant INTEGER, id INTEGER, vector FLOAT[{DIMENSION}])")
    vectors = drawn(INDEXED)
    columns = {
        "place": np.repeat(np.arange(INDEXED, dtype=np.int32), DIMENSION),
        "nth": np.tile(np.arange(DIMENSION, dtype=np.int32), INDEXED),
        "number": vectors.ravel(),
    }
    db.register("numbers", columns)
    vector = f"list(number ORDER BY nth)::FLOAT[{DIMENSION}]"
    db.execute(f"INSERT INTO v SELECT place % {TENANTS}, place, {vector} FROM numbers GROUP BY place")
    begun = time.process_time()
    db.execute("CREATE INDEX near ON v USING HNSW (vector) WITH (metric = 'cosine')")
    built = time.process_time() - begun
    items, filtered = [], []
    for query in drawn(ASKED, seed=1):
        # Only a literal lets the planner use the index.
        near = f"ORDER BY array_cosine_distance(vector, {query.tolist()}::FLOAT[{DIMENSION}]) LIMIT {LIMIT}"
        best = set(np.argsort(-(vectors @ query))[:LIMIT].tolist())
        items.append(len(best & {row[0] for row in db.execute(f"SELECT id FROM v {near}").fetchall()}) / LIMIT)
        filtered.append(len(db.execute(f"SELECT id FROM v WHERE tenant = 7 {near}").fetchall()))
    return {
        "items": INDEXED,
        "build, s of CPU": round(built, 1),
        "recall@10": round(statistics.mean(items), 2),
        f"hits of {LIMIT} asked for within a tenant of {INDEXED // TENANTS}": round(statistics.mean(filtered), 1),
    }


def main() -> None:
    run = Run("duckdb")
    with tempfile.TemporaryDirectory() as folder:
        exactly = {f"{rows:,} items": exact(rows, Path(folder)) for rows in (1_000, 10_000, 50_000)}
    rows = {"exact, within one user": exactly, "HNSW, over every tenant": {f"{INDEXED:,} items": indexed()}}
    print(rows)
    run.write("duckdb_vectors", {"rows": rows})


if __name__ == "__main__":
    main()
