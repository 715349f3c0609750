"""A day of traffic in some minutes: people talk, ask, correct, delete and leave, while the clock runs 24 hours.

    python bench/traffic.py                    24 hours of 1,000 acts each
    python bench/traffic.py --acts 2000        more acts in each hour

Each hour is made of `--acts` acts: most append a turn and read the window, some recall, build a pack, remember,
correct or forget; now and then a conversation is deleted, or a person is erased and comes back. The background
work is done after every fiftieth act. At the end of each hour: memory of the process, size of the files, messages
that are stored, errors. Then the chain of changes and the file itself are checked, and every message that should
be there is looked for.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from bench._frame import Run
from bench.context import sentence

from rememora import Rememora, Settings, UserMemory
from rememora.domain.message import every_item
from rememora.errors import NotFound
from rememora.testing import SettableClock, WordEmbedder

HOURS, PEOPLE, CHATS = 24, 40, 3
SETTLED_EVERY = 50
Act = Callable[[], Coroutine[Any, Any, None]]
KEYS = ("user.name", "user.role_title", "projects.obra", "prefs.format")


class Day:
    """People of one tenant, and what should be stored of them."""

    def __init__(self, rememora: Rememora, clock: SettableClock, chance: random.Random) -> None:
        self._rememora = rememora
        self._clock = clock
        self._chance = chance
        self.said: dict[tuple[str, str], list[str]] = {}
        self.counts: dict[str, int] = {}

    def _someone(self) -> tuple[str, UserMemory]:
        name = f"p{self._chance.randrange(PEOPLE)}"
        return name, self._rememora.user(name, tenant="acme")

    async def talk(self) -> None:
        name, who = self._someone()
        chat = f"c{self._chance.randrange(CHATS)}"
        stored = await who.conversation(chat).append("user", sentence(self._chance))
        self.said.setdefault((name, chat), []).append(stored.id)
        turns = await who.conversation(chat).last_turns(10)
        if turns[-1].id != stored.id:
            raise AssertionError(f"{name}, {chat}: the newest turn is not the one that was just acknowledged")

    async def recall(self) -> None:
        await self._someone()[1].recall(sentence(self._chance), limit=5)

    async def pack(self) -> None:
        await self._someone()[1].conversation("c0").context(sentence(self._chance), budget=500)

    async def remember(self) -> None:
        await self._someone()[1].remember(self._chance.choice(KEYS), sentence(self._chance))

    async def correct(self) -> None:
        await self._someone()[1].memories.correct(self._chance.choice(KEYS), sentence(self._chance))

    async def forget(self) -> None:
        await self._someone()[1].forget(self._chance.choice(KEYS))

    async def delete(self) -> None:
        name, who = self._someone()
        chat = f"c{self._chance.randrange(CHATS)}"
        await who.conversation(chat).delete()
        self.said.pop((name, chat), None)

    async def erase(self) -> None:
        name, who = self._someone()
        await who.erase(person=True)
        self.said = {place: ids for place, ids in self.said.items() if place[0] != name}

    async def hour(self, acts: int) -> int:
        """So many acts over an hour of the clock; returns how many failed otherwise than by finding nothing."""
        chosen: dict[Act, int] = {self.talk: 60, self.recall: 15, self.pack: 8, self.remember: 8}
        chosen |= {self.correct: 4, self.forget: 2, self.delete: 2, self.erase: 1}
        errors = 0
        for number in range(acts):
            self._clock.now += timedelta(seconds=3600 / acts)
            [act] = self._chance.choices(list(chosen), list(chosen.values()))
            try:
                await act()
            except NotFound:
                continue
            except Exception as error:  # noqa: BLE001  (an error is counted, and the day goes on)
                errors += 1
                print(f"{act.__name__}: {type(error).__name__}: {error}", file=sys.stderr)
            self.counts[act.__name__] = self.counts.get(act.__name__, 0) + 1
            if number % SETTLED_EVERY == 0:
                await self._rememora.settle()
        await self._rememora.settle()
        return errors

    async def missing(self) -> int:
        """How many messages that should be there are not, or are there twice or in another order."""
        wrong = 0
        for (name, chat), ids in self.said.items():
            conversation = self._rememora.user(name, tenant="acme").conversation(chat)
            items = [message.id async for message in every_item(conversation.messages, limit=1000)]
            wrong += len(set(ids) ^ set(items)) + (items != ids)
        return wrong


def resident() -> float:
    """Megabytes of the process's own memory."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return round(next(int(line.split()[1]) for line in lines if line.startswith("RssAnon")) / 1024, 1)


def on_disk(folder: Path) -> float:
    """Megabytes of all files."""
    return round(sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6, 2)


async def day(folder: Path, acts: int, seed: int) -> dict[str, Any]:
    """Live through it; returns the hours and what was found at the end."""
    clock, hours = SettableClock(), dict[str, dict[str, float]]()
    settings = Settings.load({"store.url": str(folder), "store.synchronous": "normal"}, environ={})
    async with Rememora.open(
        settings=settings, clock=clock, embedder=WordEmbedder(), background=False
    ) as rememora:
        lived = Day(rememora, clock, random.Random(seed))
        for hour in range(1, HOURS + 1):
            began = time.process_time()
            errors = await lived.hour(acts)
            hours[str(hour)] = {
                "messages": sum(map(len, lived.said.values())),
                "MB own": resident(),
                "MB on disk": on_disk(folder),
                "CPU ms an act": round(1e3 * (time.process_time() - began) / acts, 2),
                "errors": errors,
            }
            print(hour, hours[str(hour)], file=sys.stderr, flush=True)
        lost, intact = await lived.missing(), (await rememora.tenant("acme", acting="bench").audit.verify()).intact
    with closing(sqlite3.connect(folder / "rememora.db")) as file:
        [(sound,)] = file.execute("PRAGMA integrity_check").fetchall()
    ends = {
        "acts": acts * HOURS,
        "lost or doubled": lost,
        "chain intact": int(intact),
        "file sound": int(sound == "ok"),
    }
    return {"seed": seed, "hours": hours, "ends": ends, "acts": lived.counts}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--acts", type=int, default=1000, help="in each hour")
    options.add_argument("--seed", type=int, default=1)
    chosen, run = options.parse_args(), Run()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        run.write("traffic", asyncio.run(day(Path(folder), chosen.acts, chosen.seed)))


if __name__ == "__main__":
    main()
