"""The frame of every measurement: command, versions, hardware, load and date beside the figures, in one JSON file.

    run = Run()                       at the start, which notes the load before anything is measured
    run.write("quality", figures)     bench/results/quality.json: {"run": {…}, …figures}; printed as well

`tools/write_benchmarks.py` makes `docs/benchmarks.md` from these files. A machine counts as loaded where others
kept more than half of its cores busy when the run began or when it ended: such figures compare within the run
alone. At the end the load is the run's own too, one busy core unless it says otherwise: `Run(busy=2)`.
"""

from __future__ import annotations

import json
import os
import platform
import shlex
import sqlite3
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"
BUSY_SHARE = 0.5
CHANGED = "with changes"
"""Behind the name of a commit whose package was changed since."""
OWN_CORES = 1.0
"""Cores that a run keeps busy where it names no number."""
HIDDEN_OPTIONS = ("--data", "--save", "--out")
"""Options that say where files of a machine lie."""


def command(arguments: list[str] | None = None) -> str:
    """The script and its options, without folders of this machine."""
    script, *words = arguments if arguments is not None else sys.argv
    kept, skipped = [], False
    for word in words:
        if skipped:
            skipped = False
        elif word in HIDDEN_OPTIONS:
            skipped = True
        elif not word.startswith(tuple(f"{option}=" for option in HIDDEN_OPTIONS)):
            kept.append(Path(word).name if "/" in word else word)
    folder = "tools" if Path(script).parent.name == "tools" else "bench"
    return shlex.join(["python", f"{folder}/{Path(script).name}", *kept])


def processor() -> str:
    """The name that the system gives the processor, or its architecture."""
    file = Path("/proc/cpuinfo")
    lines = file.read_text().splitlines() if file.exists() else []
    names = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
    return f"{names[0]} ({platform.machine()})" if names else platform.machine()


def commit() -> str:
    """The commit that is measured, and whether files were changed since; nothing outside a checkout."""
    git = ["git", "-C", str(Path(__file__).parent)]
    try:
        name = subprocess.run([*git, "rev-parse", "--short=8", "HEAD"], capture_output=True, text=True, check=True)
        kept = [*git, "diff", "--quiet", "HEAD", "--", "../src"]
        changed = subprocess.run(kept, check=False).returncode != 0
    except (OSError, subprocess.CalledProcessError):
        return ""
    return name.stdout.strip() + (f" {CHANGED}" if changed else "")


def overloaded(load: Mapping[str, float], cores: int) -> bool:
    """Return whether others kept more than half of the cores busy, at the start or at the end of a run."""
    room = BUSY_SHARE * cores
    # Files of before runs told their own use are judged by their start alone.
    return load["start"] > room or ("own" in load and load["end"] - load["own"] > room)


class Run:
    """One measurement, from its beginning; `busy` is how many cores it keeps busy by itself, servers included."""

    def __init__(self, *packages: str, busy: float = OWN_CORES) -> None:
        self._packages, self._busy = packages, busy
        # At the start: a checkout may move on while a long run still measures what it has loaded.
        self._commit = commit()
        self._began = datetime.now(UTC)
        self._load = os.getloadavg()[0]

    def about(self) -> dict[str, Any]:
        """Everything about the run but its figures."""
        cores = os.cpu_count() or 1
        load = {"start": round(self._load, 2), "end": round(os.getloadavg()[0], 2), "own": self._busy}
        versions = {"python": platform.python_version(), "sqlite": sqlite3.sqlite_version}
        for package in ("numpy", *self._packages):
            try:
                versions[package] = version(package)
            except PackageNotFoundError:
                versions[package] = "not installed"
        return {
            "command": command(),
            "date": self._began.date().isoformat(),
            "commit": self._commit,
            "seconds": round((datetime.now(UTC) - self._began).total_seconds(), 1),
            "versions": versions,
            "hardware": {"processor": processor(), "cores": cores, "system": platform.system()},
            "load": load,
            "loaded": overloaded(load, cores),
        }

    def write(self, name: str, figures: Mapping[str, Any], folder: Path = RESULTS, *, keep: bool = True) -> Path:
        """Print the figures with the frame around them, and keep them in a file."""
        file = folder / f"{name}.json"
        whole = {"run": self.about(), **{key: value for key, value in figures.items() if key != "run"}}
        text = json.dumps(whole, indent=1, ensure_ascii=False)
        print(text)
        if keep:
            folder.mkdir(parents=True, exist_ok=True)
            file.write_text(text + "\n", encoding="utf-8")
        return file
