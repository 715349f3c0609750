"""Measure how long a page takes with many memories in the store: `python bench/pages.py --memories 100000`.

The memories are knowledge, brought in as an export is, each through the gate. The application is asked in the same
process: what the network takes is not in the figures.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import httpx

sys.path.insert(0, str(Path(__file__).parent.parent))

from bench._frame import Run
from bench.load import document

from rememora import Rememora, Settings
from rememora.dashboard.visitor import COOKIE, SESSION_COOKIE
from rememora.errors import Conflict
from rememora.server.app import create_app

USER = "ana"
TENANT = "t0"
PER_PERSON = 1000
PATHS = (
    "/",
    "/me",
    "/me?q=entrega",
    "/me?category=people",
    "/me/memory/{memory}",
    "/me/timeline",
    "/me/left-out",
    "/me/conversations",
    "/me/conversations/c1",
    "/me/data",
    "/chat",
    "/chat?conversation=c1",
)
DESK = (
    "/desk",
    "/desk/tenants",
    "/desk/missions",
    "/desk/people?user={user}&reason=bench",
    "/desk/recall?user={user}&reason=bench&q=entrega",
    "/desk/quarantine",
    "/desk/gate",
    "/desk/events",
    "/desk/tasks",
    "/desk/audit",
    "/desk/receipt",
    "/desk/keys",
    "/desk/logins",
    "/desk/health",
)
PASSWORD = "a sentence of some length"


def main() -> None:
    """Fill a store, ask for every page, and write what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--folder", help="keep the store here, and go on filling it where an earlier run stopped")
    parser.add_argument("--minutes", type=float, help="stop filling after this long; run it again to go on")
    given = parser.parse_args()
    run = Run("starlette", "jinja2")
    with tempfile.TemporaryDirectory() as fresh:
        figures = asyncio.run(measure(given.folder or fresh, given.memories, given.rounds, given.minutes))
    run.write("pages", {"pages": summed(figures)})


Taken = list[tuple[float, float]]
"""Milliseconds of one page on the clock and of the processor, round by round."""


async def measure(folder: str, memories: int, rounds: int, minutes: float | None = None) -> dict[str, Taken]:
    """Measure every page of a store with so many memories."""
    settings = Settings.load({"store.url": folder, "recall.embedder": "none"}, environ={})
    async with Rememora.open(settings=settings, background=False) as rememora:
        await fill(rememora, memories, minutes)
        person = rememora.user(USER, tenant=TENANT)
        memory = (await person.memories.list(limit=1)).items[0].id
        link = (await rememora.tenant(TENANT, acting="bench").access.link(USER)).token
        transport = httpx.ASGITransport(app=create_app(rememora))
        headers = {"Accept": "text/html", "Accept-Language": "pt-BR"}
        cookies = {COOKIE: link, SESSION_COOKIE: await _signed_in(rememora)}
        async with httpx.AsyncClient(
            transport=transport, base_url="http://localhost", cookies=cookies, headers=headers
        ) as client:
            named = {"memory": memory, "user": USER}
            return {path: await _rounds(client, path.format(**named), rounds) for path in (*PATHS, *DESK)}


async def fill(rememora: Rememora, memories: int, minutes: float | None) -> None:
    """Bring in so many memories, a person at a time; people who are there already stay as they are."""
    with suppress(Conflict):
        await rememora.operator(acting="bench").tenants.create(TENANT)
    until = None if minutes is None else time.monotonic() + minutes * 60
    for name in [USER, *(f"u{number}" for number in range(1, max(1, memories // PER_PERSON)))]:
        person = rememora.user(name, tenant=TENANT)
        if (await person.conversations.list(limit=1)).items:
            continue
        if until is not None and time.monotonic() > until:
            raise SystemExit(f"stopped before {name}: run it again to go on")
        await person.archive.load(document(name, min(memories, PER_PERSON)))
        await person.conversation("c1").reply("Onde fica a loja?")


async def _signed_in(rememora: Rememora) -> str:
    """The session of an owner of every tenant."""
    token = (await rememora.operator(acting="bench").access.invite("owner")).token
    name = f"bench-{token[-8:]}"
    login = await rememora.sessions.accept_invitation(token, name=name, password=PASSWORD)
    return await rememora.sessions.sign_in(login.name, PASSWORD)


async def _rounds(client: httpx.AsyncClient, path: str, rounds: int) -> Taken:
    taken: Taken = []
    for _ in range(rounds + 1):
        begun, worked = time.perf_counter(), time.process_time()
        answer = await client.get(path)
        taken.append(((time.perf_counter() - begun) * 1000, (time.process_time() - worked) * 1000))
        if answer.status_code != 200:
            raise SystemExit(f"{path} was answered with {answer.status_code}")
    # The first asks for templates and pages of the store that the others find in memory.
    return taken[1:]


def summed(figures: dict[str, Taken]) -> dict[str, dict[str, float]]:
    """Median and 95th percentile of each page on the clock, and the median of the processor's time, in ms."""
    return {
        path: {
            "median_ms": round(statistics.median(wall for wall, _ in taken), 1),
            "p95_ms": round(_p95([wall for wall, _ in taken]), 1),
            "cpu_ms": round(statistics.median(cpu for _, cpu in taken), 1),
        }
        for path, taken in figures.items()
    }


def _p95(taken: Sequence[float]) -> float:
    return sorted(taken)[max(0, round(len(taken) * 0.95) - 1)]


if __name__ == "__main__":
    main()
