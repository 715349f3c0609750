"""Loads a real server: one asyncio client on loopback, mostly searches and contexts, some writes, many tenants.

    python bench/load.py --seconds 300 --memories 100000 --messages 20000 --tenants 1000

The memories are knowledge, brought in as an export is, each through the gate; the messages are one conversation of
every tenant's user. Writes keep a memory or append a message, half and half.
Writes what it found to `bench/results/load.json`. Client and server share the machine's cores.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import signal
import statistics
import sys
import tempfile
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

import msgspec

sys.path.insert(0, str(Path(__file__).parent.parent))

from bench._frame import Run

from rememora import Memory, NewMessage, Rememora, Settings

SHARE_OF_READS = 0.8
KEYS = 100
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
    messages: int
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
    parser.add_argument("--messages", type=int, default=20_000)
    parser.add_argument("--tenants", type=int, default=1000)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--processes", type=int, default=1)
    plan = Plan(**vars(parser.parse_args()))
    # The server and the clients.
    run = Run("starlette", "uvicorn", busy=2)
    with tempfile.TemporaryDirectory(prefix="rememora-load-") as folder:
        figures = asyncio.run(measure(plan, folder))
    run.write("load", figures)


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
    """Tenants with a service key each, and what their users know and said."""
    settings = Settings.load({"store.url": folder, "recall.embedder": "none", "store.synchronous": "normal"})
    keys: dict[str, str] = {}
    async with Rememora.open(settings=settings, background=False) as rememora:
        known, said = (max(1, whole // plan.tenants) for whole in (plan.memories, plan.messages))
        for number in range(plan.tenants):
            tenant = f"t{number:04}"
            await rememora.operator(acting="bench").tenants.create(tenant)
            issued = await rememora.tenant(tenant, acting="bench").access.issue_key("service")
            keys[tenant] = issued.secret
            ana = rememora.user("ana", tenant=tenant)
            brought = await ana.archive.load(document(tenant, known))
            if brought.memories != known:
                raise SystemExit(f"the gate kept out {known - brought.memories} of {known} memories")
            drafts = [NewMessage(role="user", content=sentence(number * said + n)) for n in range(said)]
            await ana.conversation("c0").append_many(drafts)
        # What the writes left to be done is done before anything is measured.
        await rememora.settle()
    return keys


def document(tenant: str, count: int) -> dict[str, object]:
    """What a user knows, as an export tells it."""
    now = datetime.now(UTC)
    held = [
        Memory(
            tenant=tenant,
            user="ana",
            id=f"{tenant}-{number}",
            scope="personal",
            category="projects",
            key=key_of(number),
            value=sentence(number),
            confidence=1.0,
            status="active",
            source="explicit_user",
            created_at=now,
            updated_at=now,
        )
        for number in range(count)
    ]
    written = [{"memory": msgspec.to_builtins(item), "spans": []} for item in held]
    return {"format": "rememora.export", "version": 1, "memories": written}


def key_of(number: int) -> str:
    """Under what a memory stands."""
    return f"project.p{number}.status"


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
        if hits := re.search(rb"serves (http://\S+)/api/v1", line):
            return server, hits[1].decode()
    raise SystemExit("the server did not start")


class Connection:
    """One kept-alive connection, spoken to in bytes: a client that costs next to nothing beside the server."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str) -> None:
        self._reader = reader
        self._writer = writer
        self._host = host

    @classmethod
    async def to(cls, address: str) -> Connection:
        """A connection to the server."""
        host = address.removeprefix("http://")
        name, _, port = host.partition(":")
        return cls(*await asyncio.open_connection(name, int(port)), host)

    async def ask(self, method: str, path: str, key: str, body: bytes = b"") -> int:
        """The status of the answer; its body is read and dropped."""
        head = (
            f"{method} /api/v1{path} HTTP/1.1\r\nhost: {self._host}\r\nauthorization: Bearer {key}\r\n"
            f"x-rememora-user: ana\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
        )
        self._writer.write(head.encode() + body)
        answer = await self._reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", answer, re.IGNORECASE)
        await self._reader.readexactly(int(length[1]) if length else 0)
        return int(answer[9:12])

    def close(self) -> None:
        """End it."""
        self._writer.close()


async def warm(plan: Plan, address: str, keys: dict[str, str]) -> None:
    """One search of every tenant in every process, roughly: a index is laid out when it is first asked."""
    waiting = [key for _ in range(2 * plan.processes - 1) for key in keys.values()]

    async def search() -> None:
        connection = await Connection.to(address)
        while waiting:
            await connection.ask("GET", "/memory/search?q=nota", waiting.pop())
        connection.close()

    await asyncio.gather(*(search() for _ in range(plan.clients)))


async def load(plan: Plan, address: str, keys: dict[str, str]) -> Taken:
    """So many clients at once, each asking as fast as it is answered."""
    taken = Taken(milliseconds={"search": [], "context": [], "remember": [], "append": []}, statuses=Counter())
    until = time.monotonic() + plan.seconds
    clients = [_client(address, keys, random.Random(n), taken, until) for n in range(plan.clients)]
    await asyncio.gather(*clients)
    return taken


async def _client(address: str, keys: dict[str, str], chance: random.Random, taken: Taken, until: float) -> None:
    tenants = list(keys)
    connection = await Connection.to(address)
    while time.monotonic() < until:
        key = keys[chance.choice(tenants)]
        begun = time.perf_counter()
        kind, status = await _ask(connection, key, chance)
        taken.milliseconds[kind].append((time.perf_counter() - begun) * 1000)
        taken.statuses[status] += 1
    connection.close()


async def _ask(connection: Connection, key: str, chance: random.Random) -> tuple[str, int]:
    words = f"{chance.choice(TOPICS)} {chance.choice(TOPICS)}"
    if chance.random() > SHARE_OF_READS:
        return await _write(connection, key, chance)
    if chance.random() < 0.5:
        return "search", await connection.ask("GET", f"/memory/search?q={quote(words)}", key)
    encoded = msgspec.json.encode({"query": words, "budget": 800})
    return "context", await connection.ask("POST", "/conversations/c0/context", key, encoded)


async def _write(connection: Connection, key: str, chance: random.Random) -> tuple[str, int]:
    if chance.random() < 0.5:
        kept = {"key": key_of(chance.randrange(KEYS)), "value": sentence(chance.randrange(1_000_000))}
        body = msgspec.json.encode({**kept, "category": "projects"})
        return "remember", await connection.ask("POST", "/memories", key, body)
    body = msgspec.json.encode({"role": "user", "content": sentence(chance.randrange(1_000_000))})
    return "append", await connection.ask("POST", "/conversations/c1/messages", key, body)


def usage(pid: int) -> tuple[float, float]:
    """CPU seconds and resident megabytes of a process and its children."""
    ticks = os.sysconf("SC_CLK_TCK")
    cpu = rss = 0.0
    for item in [pid, *_children(pid)]:
        fields = Path(f"/proc/{item}/stat").read_text().rpartition(")")[2].split()
        cpu += (int(fields[11]) + int(fields[12])) / ticks
        rss += int(fields[21]) * os.sysconf("SC_PAGE_SIZE") / 2**20
    return cpu, rss


def _children(pid: int) -> list[int]:
    file = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(part) for part in file.read_text().split()] if file.exists() else []


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


if __name__ == "__main__":
    main()
