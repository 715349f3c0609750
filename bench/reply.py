"""CPU of one turn of the built-in responder: read, kept, answered; `--beside FOLDER` adds another checkout.

    python bench/reply.py [--beside FOLDER] [--rounds 3]

Each round is a process of its own that says the same messages (`data/evaluation/evolving_fresh.json`, some 600) as
one person after the other, on a new store, without background work. Checkouts take turns within the run.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
from bench._frame import Run

MESSAGES = ROOT / "data" / "evaluation" / "evolving_fresh.json"
WAYS = {"by words": "none", "with the bundled encoder": "offline"}
ROUND = """
import asyncio, json, sys, tempfile, time
from rememora import Rememora, Settings

async def main(file, embedder):
    episodes = json.load(open(file, encoding="utf-8"))["episodes"]
    spent = []
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings.load({"store.url": folder, "recall.embedder": embedder}, environ={})
        async with Rememora.open(settings=settings, background=False) as rememora:
            for number, episode in enumerate(episodes):
                person = rememora.user(f"u{number}", tenant="acme")
                for message in episode["messages"]:
                    chat = person.conversation(f"c{message['conversation']}")
                    if message.get("role") == "assistant":
                        await chat.append("assistant", message["text"])
                        continue
                    begun = time.process_time()
                    await chat.reply(message["text"])
                    spent.append((time.process_time() - begun) * 1e3)
    # The first turns load weights and rules.
    print(json.dumps(spent[20:]))

asyncio.run(main(*sys.argv[1:]))
"""


def spent(checkout: Path, embedder: str) -> list[float]:
    """CPU milliseconds of each reply, in a process of a checkout."""
    command = [sys.executable, "-c", ROUND, str(MESSAGES), embedder]
    process = subprocess.run(
        command, env={"PYTHONPATH": str(checkout / "src")}, stdout=subprocess.PIPE, text=True, check=True
    )
    return [float(item) for item in json.loads(process.stdout.splitlines()[-1])]


def summed(rounds: list[list[float]]) -> dict[str, Any]:
    """Median and 95th percentile of each round, the middle one of the rounds."""
    return {
        "replies": len(rounds[0]),
        "median_ms": round(statistics.median(statistics.median(item) for item in rounds), 2),
        "p95_ms": round(statistics.median(statistics.quantiles(item, n=20)[-1] for item in rounds), 2),
    }


def main() -> None:
    """Measure, print a table, and write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--beside", type=Path, help="another checkout of the project")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    run = Run()
    checkouts = {"this": ROOT} | ({_commit(options.beside): options.beside.resolve()} if options.beside else {})
    rows: dict[str, dict[str, Any]] = {}
    for way, embedder in WAYS.items():
        rounds: dict[str, list[list[float]]] = {name: [] for name in checkouts}
        for _ in range(options.rounds):
            for name, checkout in checkouts.items():
                rounds[name].append(spent(checkout, embedder))
        rows[way] = {name: summed(item) for name, item in rounds.items()}
        for name, row in rows[way].items():
            print(f"{way}, {name}: median {row['median_ms']} ms, p95 {row['p95_ms']} ms of CPU")
    run.write("reply", {"rows": rows})


def _commit(checkout: Path) -> str:
    command = ["git", "-C", str(checkout), "rev-parse", "--short=8", "HEAD"]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    main()
