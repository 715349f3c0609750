"""Measure the time that the OpenAI-compatible proxy adds to a request, without an embedder.

    python bench/proxy.py [--turns 200] [--memories 100] [--messages 1000]

Each figure is one `prepare`: the person's message is stored, acted on if its answer needs that, and the context is
built. The upstream takes no part; what is done while it answers is not counted. CPU and wall time of single calls,
one after another, on a store in a folder. On a machine that others use, `chrt --fifo 10 python bench/proxy.py`
runs ahead of them: the wall time is then that of a quiet one.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from bench._frame import Run

from rememora import Rememora, Settings
from rememora.integrations.openai_proxy import prepare
from rememora.integrations.turns import keep_answer

# Each is said with another number, so that no message was read before.
QUESTIONS = (
    "Which supplier delivers on Tuesday of week {}?",
    "Quando vence o boleto {} da farinha?",
    "I prefer answers of {} lines, please.",
    "What did we agree with Tom about invoice {}?",
)


async def measured(memories: int, messages: int, turns: int) -> tuple[list[float], list[float]]:
    """Milliseconds of wall and of CPU that each turn of a person with a past takes."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings.load({"store.url": folder, "recall.embedder": "none"}, environ={})
        async with Rememora.open(settings=settings, background=False) as rememora:
            ana = rememora.user("ana", tenant="bench")
            for number in range(memories):
                await ana.remember(f"user.suppliers.s{number}", f"supplier {number} delivers flour on Tuesday")
            past = [
                {"role": "user", "content": f"Invoice {n} of Tom, due on day {n % 28}."} for n in range(messages)
            ]
            await ana.conversation("past").append_many(past)
            await rememora.settle()
            walls, cpus = [], []
            for number in range(turns):
                chat = ana.conversation(f"c{number // 10}")
                body = {
                    "messages": [{"role": "user", "content": QUESTIONS[number % len(QUESTIONS)].format(number)}]
                }
                wall, cpu = time.perf_counter(), time.process_time()
                _, turn = await prepare(chat, body, "chat", budget=1500, keep=True)
                walls.append(1e3 * (time.perf_counter() - wall))
                cpus.append(1e3 * (time.process_time() - cpu))
                if turn.waiting is not None:
                    await chat.act_on(turn.waiting)
                await keep_answer(chat, turn, "Noted.")
            return walls[5:], cpus[5:]


def main() -> None:
    """Measure, print, and write the table down."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--turns", type=int, default=200)
    options.add_argument("--memories", type=int, default=100)
    options.add_argument("--messages", type=int, default=1000)
    given, run = options.parse_args(), Run("starlette")
    walls, cpus = asyncio.run(measured(given.memories, given.messages, given.turns))
    shown = {
        name: {
            "median_ms": round(statistics.median(item), 2),
            "p95_ms": round(statistics.quantiles(item, n=20)[-1], 2),
        }
        for name, item in (("wall", walls), ("CPU", cpus))
    }
    run.write("proxy", {"rows": {"before the upstream is asked": shown}})


if __name__ == "__main__":
    main()
