"""Loads a real server: one asyncio client on loopback, mostly searches and contexts, some writes, many tenants.

    python bench/load.py --seconds 300 --memories 100000 --tenants 1000

Writes what it found to `bench/results/load.json` and `load.md`. Client and server share the machine's cores.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import signal
import statistics
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import httpx
import msgspec

from rememora import NewMessage, Rememora, Settings

RESULTS = Path(__file__).parent / "results"
SHARE_OF_READS = 0.8
TOPICS = (
    "fornecedor",
    "entrega",
    "reunião",
    "campanha",
    "orçamento",
    "contrato",
    "equipe",
    "viagem",
    "nota",
    "meta",
)


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What is measured."""

    seconds: float
    memories: int
    tenants: int
    clients: int
    processes: int


class Taken(msgspec.Struct, kw_only=True):
    """What the clients saw."""

    milliseconds: dict[str, list[float]]
    statuses: Counter[int]


def main() -> None:
    """Fill a store, serve it, load it, and write the figures down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--tenants", type=int, default=1000)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--processes", type=int, default=1)
    plan = Plan(**vars(parser.parse_args()))
    with tempfile.TemporaryDirectory(prefix="rememora-load-") as folder:
        figures = asyncio.run(measure(plan, folder))
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "load.json").write_text(json.dumps(figures, indent=2) + "\n")
    page = written(plan, figures)
    (RESULTS / "load.md").write_text(page)
    sys.stdout.write(page)


async def measure(plan: Plan, folder: str) -> dict[str, float]:
    """The whole run."""
    begun = time.perf_counter()
    keys = await fill(plan, folder)
    filled = time.perf_counter() - begun
    server, address = await serve(plan, folder)
    try:
        await warm(plan, address, keys)
        before = usage(server.pid)
        taken = await load(plan, address, keys)
        after = usage(server.pid)
    finally:
        server.send_signal(signal.SIGTERM)
        await server.wait()
    return {"fill_seconds": round(filled, 1), **summed(plan, taken, before, after)}


async def fill(plan: Plan, folder: str) -> dict[str, str]:
    """Tenants with an admin key each, and messages as what can be recalled."""
    settings = Settings.load({"store.url": folder, "recall.embedder": "none", "store.synchronous": "normal"})
    keys: dict[str, str] = {}
    async with Rememora.open(settings=settings, background=False) as rememora:
        each = max(1, plan.memories // plan.tenants)
        for number in range(plan.tenants):
            tenant = f"t{number:04}"
            await rememora.operator(acting="bench").create_tenant(tenant)
            issued = await rememora.tenant(tenant, acting="bench").access.issue_key("admin")
            keys[tenant] = issued.secret
            drafts = [NewMessage(role="user", content=sentence(number * each + n)) for n in range(each)]
            await rememora.user("ana", tenant=tenant).conversation("c0").append_many(drafts)
        # What the writes left to be done is done before anything is measured.
        await rememora.settle()
    return keys


def sentence(number: int) -> str:
    """Something that could have been said."""
    topic, other = TOPICS[number % 10], TOPICS[number // 10 % 10]
    return f"Sobre {topic} número {number}: falar com {other} até o dia {number % 28 + 1}."


async def serve(plan: Plan, folder: str) -> tuple[asyncio.subprocess.Process, str]:
    """The server as a process of its own."""
    environment = {**os.environ, "REMEMORA_RECALL_EMBEDDER": "none", "REMEMORA_TELEMETRY_LOG_LEVEL": "error"}
    server = await asyncio.create_subprocess_exec(
        *(str(Path(sys.executable).with_name("rememora")), "serve", "--url", folder, "--port", "0"),
        *("--processes", str(plan.processes)),
        stderr=asyncio.subprocess.PIPE,
        env=environment,
    )
    assert server.stderr is not None
    async for line in server.stderr:
        if found := re.search(rb"serves (http://\S+)/api/v1", line):
            return server, found[1].decode()
    raise SystemExit("the server did not start")


async def warm(plan: Plan, address: str, keys: dict[str, str]) -> None:
    """One search of every tenant in every process, roughly: a shelf is laid out when it is first asked."""
    gate = asyncio.Semaphore(plan.clients)
    async with httpx.AsyncClient(base_url=f"{address}/api/v1", timeout=60) as client:

        async def search(tenant: str) -> None:
            headers = {"Authorization": f"Bearer {keys[tenant]}", "X-Rememora-User": "ana"}
            async with gate:
                await client.get("/memory/search", params={"q": "nota"}, headers=headers)

        for _ in range(2 * plan.processes - 1):
            await asyncio.gather(*map(search, keys))


async def load(plan: Plan, address: str, keys: dict[str, str]) -> Taken:
    """So many clients at once, each asking as fast as it is answered."""
    taken = Taken(milliseconds={"search": [], "context": [], "write": []}, statuses=Counter())
    until = time.monotonic() + plan.seconds
    limits = httpx.Limits(max_connections=plan.clients, max_keepalive_connections=plan.clients)
    async with httpx.AsyncClient(base_url=f"{address}/api/v1", limits=limits, timeout=60) as client:
        clients = [_client(client, keys, random.Random(n), taken, until) for n in range(plan.clients)]
        await asyncio.gather(*clients)
    return taken


async def _client(
    client: httpx.AsyncClient, keys: dict[str, str], chance: random.Random, taken: Taken, until: float
) -> None:
    tenants = list(keys)
    while time.monotonic() < until:
        tenant = chance.choice(tenants)
        headers = {"Authorization": f"Bearer {keys[tenant]}", "X-Rememora-User": "ana"}
        begun = time.perf_counter()
        kind, answer = await _ask(client, headers, chance)
        taken.milliseconds[kind].append((time.perf_counter() - begun) * 1000)
        taken.statuses[answer.status_code] += 1


async def _ask(
    client: httpx.AsyncClient, headers: dict[str, str], chance: random.Random
) -> tuple[str, httpx.Response]:
    words = f"{chance.choice(TOPICS)} {chance.choice(TOPICS)}"
    if chance.random() > SHARE_OF_READS:
        body = {"role": "user", "content": sentence(chance.randrange(1_000_000))}
        return "write", await client.post("/conversations/c1/messages", json=body, headers=headers)
    if chance.random() < 0.5:
        return "search", await client.get("/memory/search", params={"q": words}, headers=headers)
    wanted = {"query": words, "budget": 800}
    return "context", await client.post("/conversations/c0/context", json=wanted, headers=headers)


def usage(pid: int) -> tuple[float, float]:
    """CPU seconds and resident megabytes of a process and its children."""
    ticks = os.sysconf("SC_CLK_TCK")
    cpu = rss = 0.0
    for each in [pid, *_children(pid)]:
        fields = Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()
        cpu += (int(fields[11]) + int(fields[12])) / ticks
        rss += int(fields[21]) * os.sysconf("SC_PAGE_SIZE") / 2**20
    return cpu, rss


def _children(pid: int) -> list[int]:
    file = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(each) for each in file.read_text().split()] if file.exists() else []


def summed(plan: Plan, taken: Taken, before: tuple[float, float], after: tuple[float, float]) -> dict[str, float]:
    """The figures of a run."""
    everything = [value for values in taken.milliseconds.values() for value in values]
    count = len(everything)
    figures: dict[str, float] = {
        "requests": count,
        "per_second": round(count / plan.seconds, 1),
        "errors": sum(number for status, number in taken.statuses.items() if status >= 400),
        "cpu_ms_per_request": round((after[0] - before[0]) * 1000 / count, 2),
        "rss_mb": round(after[1], 1),
        "rss_growth_mb": round(after[1] - before[1], 1),
        "load_average": round(os.getloadavg()[0], 1),
    }
    for kind, values in {"all": everything, **taken.milliseconds}.items():
        cuts = statistics.quantiles(values, n=100)
        figures |= {f"{kind}_p{part}_ms": round(cuts[part - 1], 1) for part in (50, 95, 99)}
    return figures


def written(plan: Plan, figures: dict[str, float]) -> str:
    """The figures as a page."""
    what = (
        f"{plan.memories} messages, {plan.tenants} tenants, {plan.clients} clients, {plan.processes} process(es), "
        f"{plan.seconds:g} s, 80% search and context, 20% writes; client and server on the same machine."
    )
    rows = "\n".join(f"| {name} | {value} |" for name, value in figures.items())
    return f"# Load\n\n{what}\n\n| figure | value |\n|---|---|\n{rows}\n"


if __name__ == "__main__":
    main()
