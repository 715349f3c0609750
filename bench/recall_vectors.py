"""One user's vectors searched four ways: every cosine, sign bits, and an HNSW index (usearch) mapped from files.

    python bench/recall_vectors.py                        10,000 and 100,000 vectors
    python bench/recall_vectors.py --long --write         a million as well (7 to 10 minutes, 7 GB of memory)
    python bench/recall_vectors.py --real                 the vectors of LoCoMo's turns and questions as well

Vectors have 512 numbers and lie in a thousand clusters: points without any would be equally far from everything.
Questions are points near a cluster. `found` is which part of the twenty nearest is among the five
hundred that are asked for; CPU is that of the search alone. An index is built on every core, which changes only
how long one waits. `--write` puts the figures into bench/results.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

import numpy as np
from bench._frame import Run
from bench.recall import Vectors as Embedded
from bench.recall import locomo
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits
from usearch.index import Index

from rememora.adapters.usearch.vectors import SEGMENT_ROWS, settings_of
from rememora.userindex.vectors import VectorMatrix

Matrix = NDArray[np.float32]
DIMENSION, CLUSTERS, SPREAD, ASKED, WANTED, TRUE = 512, 1_000, 0.9, 100, 500, 20


def points(count: int, *, seed: int) -> Matrix:
    """Unit vectors around a thousand centres, the same ones for every seed."""
    centres = np.random.default_rng(7).standard_normal((CLUSTERS, DIMENSION), dtype=np.float32)
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    chance = np.random.default_rng(seed)
    result = np.empty((count, DIMENSION), dtype=np.float32)
    for start in range(0, count, 10_000):
        part = result[start : start + 10_000]
        noise = chance.standard_normal(part.shape, dtype=np.float32) * np.float32(SPREAD / DIMENSION**0.5)
        part[:] = centres[chance.integers(0, CLUSTERS, len(part))] + noise
        part /= np.linalg.norm(part, axis=1, keepdims=True)
    return result


def asked_of(
    search: Callable[[Matrix], NDArray[np.intp]], questions: Matrix, truth: list[set[int]]
) -> dict[str, Any]:
    """CPU and the part of the truth that is found."""
    spent, items = [], []
    for question, near in zip(questions, truth, strict=True):
        began = time.process_time()
        rows = search(question)
        spent.append(1e3 * (time.process_time() - began))
        items.append(len(near & set(rows.tolist())) / len(near))
    return {
        "CPU ms p50": round(statistics.median(spent), 2),
        "CPU ms p95": round(statistics.quantiles(spent, n=20)[-1], 2),
        "found, %": round(100 * statistics.mean(items), 1),
    }


def top(scores: Matrix) -> NDArray[np.intp]:
    return np.argpartition(-scores, WANTED)[:WANTED]


def signs(rows: Matrix, *, reduced: bool) -> VectorMatrix:
    vectors = VectorMatrix(DIMENSION, reduced=reduced)
    vectors.reserve(len(rows))
    for number, row in enumerate(rows):
        vectors.put(number, row)
    return vectors


def by_signs(held: VectorMatrix, count: int, query: Matrix) -> NDArray[np.intp]:
    return top(held.cosines(query, np.ones(count, dtype=np.bool_)))


def files(rows: Matrix, folder: Path) -> tuple[list[Index], float]:
    """Segments as the product writes them, opened again as it does."""
    began = time.process_time()
    paths = []
    for start in range(0, len(rows), SEGMENT_ROWS):
        index = Index(**settings_of(DIMENSION))
        part = rows[start : start + SEGMENT_ROWS]
        index.add(np.arange(start, start + len(part)), part, threads=os.cpu_count() or 1)
        paths.append(folder / f"{start}.usearch")
        index.save(str(paths[-1]))
    built = time.process_time() - began
    opened = [Index(**settings_of(DIMENSION)) for _ in paths]
    for index, path in zip(opened, paths, strict=True):
        index.view(str(path))
    return opened, built


def compare(rows: Matrix, questions: Matrix) -> dict[str, dict[str, Any]]:
    truth = [set(np.argpartition(-(rows @ question), TRUE)[:TRUE].tolist()) for question in questions]
    result = {"every cosine": asked_of(lambda query: top(rows @ query), questions, truth)}
    result["every cosine"]["MB"] = round(rows.nbytes / 1e6)
    for reduced in (False, True):
        held = signs(rows, reduced=reduced)
        label = "sign bits, then bytes" if reduced else "sign bits, then four bytes"
        result[label] = asked_of(partial(by_signs, held, len(rows)), questions, truth)
        result[label]["MB"] = round(held.nbytes / 1e6)
        del held
    with tempfile.TemporaryDirectory() as folder:
        segments, built = files(rows, Path(folder))

        def search(query: Matrix) -> NDArray[np.intp]:
            hits = [segment.search(query, WANTED, threads=1) for segment in segments]
            keys = np.concatenate([results.keys for results in hits]).astype(np.intp)
            return keys[np.argsort(np.concatenate([results.distances for results in hits]))[:WANTED]]

        result["usearch, mapped"] = asked_of(search, questions, truth)
        size = sum(file.stat().st_size for file in Path(folder).iterdir())
        result["usearch, mapped"] |= {
            "MB": round(size / 1e6),
            "build, CPU ms each": round(1e3 * built / len(rows), 3),
        }
    return result


def real(data: Path) -> tuple[Matrix, Matrix]:
    """LoCoMo's turns and questions, as the default model sees them."""
    cases = list(locomo(data))
    vectors = Embedded()
    turns = vectors.of([row.text for case in cases for row in case.rows])
    questions = vectors.of([query.text for case in cases for query in case.asked][::15][:ASKED])
    return np.array(turns), np.array(questions)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000])
    options.add_argument("--long", action="store_true", help="a million as well")
    options.add_argument("--real", action="store_true")
    options.add_argument("--data", type=Path, default=HERE.parent.parent / "shared" / "data")
    options.add_argument("--write", action="store_true", help="into bench/results")
    chosen, run = options.parse_args(), Run("usearch")
    threadpool_limits(1)
    result = {}
    if chosen.real:
        result["LoCoMo's"] = compare(*real(chosen.data))
    for size in [*chosen.sizes, *([1_000_000] if chosen.long else [])]:
        result[f"{size:,}"] = compare(points(size, seed=1), points(ASKED, seed=2))
        print(f"{size:,} after {time.process_time():.0f} s of CPU", file=sys.stderr, flush=True)
    print(f"at the most {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")
    run.write("recall_vectors", {"sizes": result}, keep=chosen.write)


if __name__ == "__main__":
    main()
