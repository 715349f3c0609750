"""A PgBouncer of the tests' own in transaction mode before a PostgreSQL: each transaction another session."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from urllib.parse import unquote, urlsplit

import psycopg
from tests.engines.process import Engine, free_port, unprivileged

PLACES = "/usr/local/bin:/usr/bin:/usr/local/sbin:/usr/sbin"


class Bouncer:
    """Stands between the application and the server at `url`, with very few sessions behind it."""

    def __init__(self, url: str, *, sessions: int = 3) -> None:
        parts = urlsplit(url)
        self.port = free_port()
        self.folder = Path(tempfile.mkdtemp(prefix="rememora-pgbouncer-"))
        self._user = unprivileged()
        self._test = self.url(url)
        settings = self.folder / "pgbouncer.ini"
        users = self.folder / "users.txt"
        users.write_text(f'"{parts.username}" "{unquote(parts.password or "")}"\n')
        settings.write_text(
            "[databases]\n"
            f"* = host={parts.hostname} port={parts.port}\n"
            "[pgbouncer]\n"
            f"listen_addr = 127.0.0.1\nlisten_port = {self.port}\nunix_socket_dir =\n"
            f"auth_type = trust\nauth_file = {users}\npool_mode = transaction\n"
            f"default_pool_size = {sessions}\nmax_client_conn = 500\n"
        )
        for item in (self.folder, settings, users):
            item.chmod(0o755 if item.is_dir() else 0o644)
            if self._user is not None:
                shutil.chown(item, self._user)
        command = [binary(), str(settings)]
        self.engine = Engine(command, log=self.folder / "log", ready=self._answers, user=self._user)
        self.engine.start()

    def url(self, url: str) -> str:
        """The same place, by way of this one."""
        parts = urlsplit(url)
        return f"postgresql://{parts.username}@127.0.0.1:{self.port}{parts.path}"

    def remove(self) -> None:
        """End it, and leave no file."""
        self.engine.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _answers(self) -> bool:
        try:
            psycopg.connect(self._test, connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True


def binary() -> str:
    """Where PgBouncer is; it comes in no package of Python's, so that a root on Debian installs it here."""
    program = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:{PLACES}")
    if program is None and os.geteuid() == 0 and shutil.which("apt-get"):
        install = ["apt-get", "install", "-y", "--no-install-recommends", "pgbouncer"]
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        if subprocess.run(install, env=environment, capture_output=True, check=False).returncode:
            # A fresh machine may not have the lists of packages yet.
            subprocess.run(["apt-get", "update"], env=environment, capture_output=True, check=False)
            subprocess.run(install, env=environment, capture_output=True, check=False)
        program = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:{PLACES}")
    assert program is not None, "PgBouncer is missing: apt-get install pgbouncer"
    return program
