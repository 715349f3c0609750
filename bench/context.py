"""The pack measured: what it costs to build, and how few tokens hold the evidence.

    python bench/context.py                    both tables, into bench/results
    python bench/context.py --embedder         speed with the bundled embedder too (embeds 10,000 messages first)

Speed: one user with 10,000 messages in 100 conversations and 500 memories; every query is new, so that nothing
is cached but what a running process would have. Tokens: LoCoMo (categories 1-4), each sample a user, each session
a conversation, asked in a new conversation. For every depth the pack's evidence recall is compared with the
shortest tail of the full history that holds as much of the evidence: what a model would have to read instead.
"""

from __future__ import annotations

import argparse
import asyncio
import bisect
import json
import os
import platform
import random
import re
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from rememora import Rememora, Settings, UserMemory
from rememora.language import count_tokens

HERE = Path(__file__).parent
RESULTS = HERE / "results"
TOPICS = ("campanha", "cliente", "entrega", "prazo", "fornecedor", "loja", "produto", "meta", "equipe", "site")
VERBS = ("fechamos", "revisamos", "adiamos", "aprovamos", "cancelamos", "medimos", "comparamos", "enviamos")
PLACES = ("Recife", "Olinda", "Natal", "Manaus", "Curitiba", "Santos", "Salvador", "Vitória", "Goiânia")
MESSAGES, CONVERSATIONS, MEMORIES = 10_000, 100, 500
DEPTHS = (3, 5, 10, 20)
ROOMY_BUDGET = 20_000


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
    await user.seed_profile(name="Ana", company="Acme", preferred_language="pt-BR")
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


def locomo(folder: Path) -> Iterator[dict[str, Any]]:
    """Each sample as sessions of turns, and its questions with the turns that answer them."""
    for sample in json.loads((folder / "locomo10.json").read_text()):
        talk = sample["conversation"]
        names = sorted(
            (name for name in talk if re.fullmatch(r"session_\d+", name)), key=lambda name: int(name.split("_")[1])
        )
        turns = [
            (name, turn["dia_id"], f"{turn['speaker']}: {turn['text']}") for name in names for turn in talk[name]
        ]
        known = {id for _, id, _ in turns}
        asked = [
            (item["question"], evidence)
            for item in sample["qa"]
            if item["category"] in (1, 2, 3, 4)
            and (evidence := [id for id in re.findall(r"D\d+:\d+", " ".join(item["evidence"])) if id in known])
        ]
        yield {"name": sample["sample_id"], "turns": turns, "asked": asked}


async def thrift(folder: Path) -> list[dict[str, Any]]:
    """For every depth: evidence recall and tokens of the pack, and of the history that holds as much."""
    samples = list(locomo(folder))
    return [await _at_depth(samples, depth) for depth in DEPTHS]


async def _at_depth(samples: Sequence[dict[str, Any]], depth: int) -> dict[str, Any]:
    recalls: list[float] = []
    tokens: list[int] = []
    for sample in samples:
        async for recall, cost in _asked(sample, depth):
            recalls.append(recall)
            tokens.append(cost)
    found = statistics.mean(recalls)
    return {
        "depth": depth,
        "questions": len(recalls),
        "evidence_recall": round(100 * found, 1),
        "pack_tokens": round(statistics.mean(tokens)),
        "history_tokens": tail_tokens(samples, found),
        "full_history_tokens": round(statistics.mean(_sizes(sample)[-1] for sample in samples)),
    }


async def _asked(sample: dict[str, Any], depth: int) -> Any:
    settings = Settings.load(
        {
            "store.url": ":memory:",
            "recall.embedder": "none",
            "context.related": depth,
            "context.deadline_ms": 60_000,
        },
        environ={},
    )
    began = datetime(2023, 1, 1, tzinfo=UTC)
    async with Rememora.open(settings=settings, background=False) as rememora:
        user = rememora.user(sample["name"], tenant="bench")
        for place, (session, id, text) in enumerate(sample["turns"]):
            at = began + timedelta(days=int(session.split("_")[1]), minutes=place)
            await user.conversation(session).append("user", text, id=id, created_at=at)
        for question, evidence in sample["asked"]:
            pack = await user.conversation("now").context(question, budget=ROOMY_BUDGET)
            told = {item.id for item in pack.section("related")}
            yield len(told & set(evidence)) / len(set(evidence)), pack.tokens


def _sizes(sample: dict[str, Any]) -> list[int]:
    """Tokens of the newest turn, of the newest two, and so on to the whole history."""
    sizes, total = [], 0
    for _, _, text in reversed(sample["turns"]):
        total += count_tokens(text, "en")
        sizes.append(total)
    return sizes


def tail_tokens(samples: Sequence[dict[str, Any]], wanted: float) -> int:
    """Tokens of history, newest first, at which as much of the evidence has been read."""
    places: list[tuple[int, float]] = []
    for sample in samples:
        sizes = _sizes(sample)
        back = {id: sizes[len(sizes) - 1 - place] for place, (_, id, _) in enumerate(sample["turns"])}
        for _, evidence in sample["asked"]:
            places += [(back[id], 1 / len(set(evidence))) for id in set(evidence)]
    questions = sum(len(sample["asked"]) for sample in samples)
    places.sort()
    read, shares = 0.0, []
    for _, share in places:
        read += share
        shares.append(read / questions)
    return places[min(bisect.bisect_left(shares, wanted), len(places) - 1)][0]


def as_markdown(found: dict[str, Any]) -> str:
    """Both tables, for people."""
    lines = [
        "# The pack: what it costs, and what it saves",
        "",
        f"`{found['command']}` on Python {found['python']}, {found['machine']}.",
        "",
        f"One user with {MESSAGES:,} messages and {MEMORIES} memories, every query new.",
        "",
        "| | p50 ms | p95 ms | CPU ms | tokens | items |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for name, row in found["speed"].items():
        figures = " | ".join(str(row[field]) for field in ("p50_ms", "p95_ms", "cpu_ms", "tokens", "items"))
        lines.append(f"| {name} | {figures} |")
    if found["thrift"]:
        lines += _thrift_lines(found["thrift"])
    return "\n".join(lines) + "\n"


def _thrift_lines(rows: Sequence[dict[str, Any]]) -> list[str]:
    lines = [
        "",
        "LoCoMo, by words alone: evidence in the pack, and the newest part of the history that holds as much.",
        "",
        "| passages | evidence recall | tokens of the pack | tokens of history at equal recall | whole history |",
        "|--:|--:|--:|--:|--:|",
    ]
    return lines + [
        f"| {row['depth']} | {row['evidence_recall']} | {row['pack_tokens']} | {row['history_tokens']} "
        f"({row['history_tokens'] / row['pack_tokens']:.0f} times) | {row['full_history_tokens']} |"
        for row in rows
    ]


async def run(options: argparse.Namespace) -> dict[str, Any]:
    found = {"by words": await speed(options.times, embedder="none")}
    if options.embedder:
        found["by words and meaning"] = await speed(options.times, embedder="offline")
    there = (options.data / "locomo10.json").exists()
    return {"speed": found, "thrift": await thrift(options.data) if there else []}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--embedder", action="store_true")
    parser.add_argument("--data", type=Path, default=HERE.parent.parent / "shared" / "data")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    asked = f"python bench/context.py --times {options.times}{' --embedder' if options.embedder else ''}"
    found = {
        "command": asked,
        "python": platform.python_version(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start",
        **asyncio.run(run(options)),
    }
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "context.json").write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    text = as_markdown(found)
    (options.out / "context.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
