"""A PostgreSQL server of the tests' own, from a package, with a database for whoever asks."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit, urlunsplit

import psycopg
from psycopg import sql
from tests.engines.choose import Choice, chosen, death, program
from tests.engines.given import given
from tests.engines.postgres_programs import candidates, reachable, unpacked, with_libraries
from tests.engines.process import PATIENCE_SECONDS, Engine, free_port, unprivileged

from rememora.moving import migrate

GIVEN = given("POSTGRES_URL")
"""A superuser's URL of a server to use instead."""

VERSION = given("POSTGRES_VERSION")
"""Which one to start: the default if nothing is said, 16, 15, or the folder of any other's programs."""

ADMIN, OWNER, APP = "postgres", "rememora_test_owner", "rememora_test_app"
PARTITIONS = 2
LOG_SECONDS = 5.0
QUICK = ["fsync=off", "synchronous_commit=off", "full_page_writes=off"]
SHARED = [
    "max_connections=200",
    "shared_buffers=64MB",
    "autovacuum=off",
    "wal_level=replica",
    "listen_addresses=127.0.0.1",
]


TABLES = """
    SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
    AND NOT relispartition AND relname <> 'alembic_version'
"""

PROBE = (
    "CREATE EXTENSION vector",
    "CREATE TABLE probe (place vector(100))",
    "INSERT INTO probe SELECT array_agg(random())::vector"
    " FROM generate_series(1, 300) row, generate_series(1, 100) GROUP BY row",
    "CREATE INDEX ON probe USING hnsw ((place::halfvec(100)) halfvec_cosine_ops)",
    "CREATE INDEX ON probe USING hnsw (place vector_cosine_ops)",
    "SET enable_seqscan = off",
    "SELECT 1 FROM probe one, LATERAL (SELECT 1 FROM probe ORDER BY place <=> one.place LIMIT 5) near LIMIT 50",
    "SELECT 1 FROM probe one, LATERAL (SELECT 1 FROM probe"
    " ORDER BY place::halfvec(100) <=> one.place::halfvec(100) LIMIT 5) near LIMIT 50",
)
"""Statements that a pgvector built for a newer processor dies of, in vectors of both precisions."""


class Server:
    """One cluster in a folder of its own; `safe` where it has to survive being killed."""

    def __init__(
        self,
        *,
        safe: bool = False,
        options: tuple[str, ...] = (),
        password: str = "",
        programs: Path | None = None,
    ) -> None:
        self._user = unprivileged()
        self._password = password
        self.folder = Path(tempfile.mkdtemp(prefix="rememora-postgres-"))
        atexit.register(shutil.rmtree, self.folder, ignore_errors=True)
        self._own(self.folder)
        self.port = free_port()
        self.binaries = reachable(unpacked(programs) if programs else chosen_programs(), self._user)
        self._initdb()
        named = [*SHARED, f"port={self.port}", f"unix_socket_directories={self.folder}", *options]
        expected = named if safe else [*named, *QUICK]
        command = [str(self.binaries / "postgres"), "-D", str(self.cluster)]
        for option in expected:
            command += ["-c", option]
        self.engine = Engine(
            command, log=self.log, ready=self._answers, user=self._user, env=with_libraries(self.binaries)
        )
        self.engine.start()
        atexit.register(self.remove)

    @property
    def major(self) -> int:
        """Its version."""
        return major(self.binaries)

    @property
    def cluster(self) -> Path:
        """Where its files are."""
        return self.folder / "cluster"

    @property
    def log(self) -> Path:
        """Where it writes what it does."""
        return self.folder / "log"

    def url(self, database: str, user: str = APP) -> str:
        """Where a database is, as one of the roles."""
        who = f"{user}:{quote(self._password, safe='')}" if self._password else user
        return f"postgresql://{who}@127.0.0.1:{self.port}/{database}"

    def kill(self) -> None:
        """SIGKILL to the server and its sessions, which are in groups of their own and hold its shared memory."""
        self.engine.kill()
        give_up_at = time.monotonic() + PATIENCE_SECONDS
        while left := self._sessions():
            assert time.monotonic() < give_up_at
            for session in left:
                with suppress(ProcessLookupError):
                    os.kill(session, signal.SIGKILL)
            time.sleep(0.01)

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Stopped where it stands, sessions and all: its machine answers for it, and it says nothing."""
        stopped = self._sessions()
        assert stopped
        try:
            for session in stopped:
                os.kill(session, signal.SIGSTOP)
            yield
        finally:
            for session in stopped:
                with suppress(ProcessLookupError):
                    os.kill(session, signal.SIGCONT)

    def _sessions(self) -> list[int]:
        """The processes that work in the cluster's folder; none where the system does not say."""
        items = []
        for entry in Path("/proc").glob("[0-9]*/cwd"):
            with suppress(OSError):
                if entry.readlink() == self.cluster and "zombie" not in _status(entry.parent):
                    items.append(int(entry.parent.name))
        return items

    def remove(self) -> None:
        """Kill it, and leave no file."""
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _initdb(self) -> None:
        expected = ["-U", ADMIN, "--no-sync", "--encoding=UTF8", "--locale=C.UTF-8", "--auth=trust"]
        if self._password:
            secret = self.folder / "password"
            secret.write_text(self._password)
            secret.chmod(0o644)
            expected[-1:] = ["--auth=scram-sha-256", f"--pwfile={secret}"]
        command = [str(self.binaries / "initdb"), "-D", str(self.cluster), *expected]
        self._run(command)

    def _run(self, command: list[str]) -> None:
        done = subprocess.run(
            command, user=self._user, env=with_libraries(self.binaries), capture_output=True, check=False
        )
        said = done.stderr.decode(errors="replace").strip()
        assert 0 == done.returncode, f"{Path(command[0]).name}: {death(done.returncode)}: {said}"

    def _answers(self) -> bool:
        try:
            psycopg.connect(self.url("postgres", ADMIN), connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True

    def _own(self, folder: Path) -> None:
        folder.chmod(0o755)
        if self._user is not None:
            shutil.chown(folder, self._user)


class Databases:
    """The databases of one server: migrated once, copied for whoever asks, emptied between two uses."""

    def __init__(self, admin_url: str) -> None:
        self._admin = admin_url
        self._free: list[str] = []
        self._made = 0
        self._cleaners: dict[str, psycopg.Connection] = {}
        self._prefix = f"rememora_test_{os.getpid()}"
        self._make_roles()
        self.template = self.create()
        with psycopg.connect(self.url(self.template, ADMIN), autocommit=True) as connection:
            connection.execute("CREATE EXTENSION vector")
        migrate(self.url(self.template, OWNER), role=APP, partitions=PARTITIONS)

    def _make_roles(self) -> None:
        """Each with the administrator's password, where there is one: it is known to every process of a run."""
        secret = sql.Literal(unquote(urlsplit(self._admin).password or ""))
        with psycopg.connect(self._admin, autocommit=True) as connection:
            # Several processes of one run may begin at once.
            connection.execute("SELECT pg_advisory_lock(hashtext('rememora tests'))")
            for role, options in ((OWNER, "LOGIN CREATEROLE NOSUPERUSER"), (APP, "LOGIN NOINHERIT")):
                known = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (role,)).fetchone()
                if known is None:
                    connection.execute(f"CREATE ROLE {role} {options}".encode())
                connection.execute(sql.SQL("ALTER ROLE {} PASSWORD {}").format(sql.Identifier(role), secret))

    def url(self, database: str, user: str = APP) -> str:
        """Where a database is, as one of the roles."""
        parts = urlsplit(self._admin)
        whose, _, place = parts.netloc.rpartition("@")
        if user != ADMIN:
            whose = f"{user}:{parts.password}" if parts.password else user
        return urlunsplit(parts._replace(netloc=f"{whose}@{place}", path=f"/{database}"))

    def create(self, template: str = "template1") -> str:
        """One more database, of the owner's."""
        self._made += 1
        name = f"{self._prefix}_{self._made}"
        with psycopg.connect(self._admin, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} OWNER {OWNER} TEMPLATE {template}".encode())
        return name

    def take(self) -> str:
        """A migrated, empty database."""
        if not self._free:
            return self.create(self.template)
        name = self._free.pop()
        self._empty(name)
        return name

    def give(self, name: str) -> None:
        """It may be emptied and used again."""
        self._free.append(name)

    def _empty(self, name: str) -> None:
        """Delete every row over a connection that is kept: a new one reads the catalogue of all tables anew."""
        cleaner = self._cleaners.get(name)
        if cleaner is None or cleaner.broken:
            cleaner = self._cleaners[name] = psycopg.connect(self.url(name, ADMIN), autocommit=True)
        rows = cleaner.execute(TABLES)
        cleaner.execute("; ".join(f'DELETE FROM "{table}"' for (table,) in rows).encode())


@cache
def databases() -> Databases:
    """The databases of the one server of this test process."""
    return Databases(GIVEN or Server().url("postgres", ADMIN))


@contextmanager
def postgres_url() -> Iterator[str]:
    """Where a fresh store opens, as the application's role."""
    name = databases().take()
    yield databases().url(name)
    databases().give(name)


def _status(process: Path) -> str:
    return next(line for line in (process / "status").read_text().splitlines() if line.startswith("State"))


def major(programs: Path) -> int:
    """The version that a folder of programs is of."""
    said = subprocess.run(
        [programs / "postgres", "--version"],
        env=with_libraries(programs),
        capture_output=True,
        text=True,
        check=True,
    )
    return int(said.stdout.split()[2].partition(".")[0])


def postgres_choice() -> Choice:
    """The programs of this run: of the wanted version, and with a pgvector that works on this processor."""
    return chosen(f"PostgreSQL {VERSION}".strip(), lambda: candidates(VERSION), probe_postgres)


def chosen_programs() -> Path:
    """The folder of the programs of this run."""
    return unpacked(program(postgres_choice()))


def probe_postgres(programs: Path) -> str:
    """Why a server does not build and search an HNSW index here; nothing where it does."""
    try:
        server = Server(programs=programs)
    except (AssertionError, OSError, subprocess.SubprocessError) as error:
        return str(error).strip().partition("\n")[0]
    try:
        with psycopg.connect(server.url("postgres", ADMIN), autocommit=True) as connection:
            for statement in PROBE:
                connection.execute(statement)
    except psycopg.OperationalError as error:
        return _killed_by(server) or str(error).strip().partition("\n")[0]
    except psycopg.Error as error:
        return str(error).strip().partition("\n")[0]
    finally:
        server.remove()
    return ""


def _killed_by(server: Server) -> str:
    """The signal that killed a session, once the server's log names it."""
    give_up_at = time.monotonic() + LOG_SECONDS
    while time.monotonic() < give_up_at:
        if hits := re.search(r"terminated by (signal \d+: .+)", server.log.read_text(errors="replace")):
            return f"pgvector: {hits[1]}"
        time.sleep(0.05)
    return ""


class Standby(Server):
    """A replica that streams from another server."""

    def __init__(self, primary: Server) -> None:
        self._primary = primary
        super().__init__(options=("hot_standby=on",))

    def _initdb(self) -> None:
        expected = [
            "-R",
            "-X",
            "stream",
            "--checkpoint=fast",
            "--no-sync",
            "-d",
            self._primary.url("postgres", ADMIN),
        ]
        command = [str(self.binaries / "pg_basebackup"), "-D", str(self.cluster), *expected]
        self._run(command)
