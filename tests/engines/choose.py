"""Choose the program of an engine: try each candidate on this machine and take the first that works.

A wheel may exist for a machine and still be broken on it (an instruction that its processor does not know), so a
candidate is started and used once before any test relies on it. Results are cached by version and processor.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

import pytest

CACHE = Path(__file__).resolve().parents[2] / ".cache/engines.json"
HANDED_ON = "TESTS_OF_REMEMORA_ENGINES"
"""Choices of this run, for the processes that it starts."""


@dataclass(frozen=True)
class Candidate:
    """A place where an engine may come from: `source` names it, `program` is the file or folder to run."""

    source: str
    release: str
    program: Path

    def __str__(self) -> str:
        return f"{self.source} {self.release}"


@dataclass(frozen=True)
class Choice:
    """The program that works, if any, and a line for each candidate that does not."""

    engine: str
    source: str = ""
    program: str = ""
    broken: tuple[str, ...] = ()

    def lines(self) -> list[str]:
        """One line for each broken candidate, then the one in use."""
        used = f"{self.engine}: using {self.source}" if self.program else f"{self.engine}: MISSING"
        return [*(f"{self.engine}: {item}" for item in self.broken), used]


class Probed:
    """Probe results kept in a file, so that only the first run on a machine pays for them."""

    def __init__(self, path: Path = CACHE) -> None:
        self._path = path

    def read(self) -> dict[str, str]:
        """Why each known candidate does not work, or nothing."""
        try:
            document: dict[str, str] = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return document

    def write(self, results: dict[str, str]) -> None:
        """Add results."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        fresh = self._path.with_suffix(f".{os.getpid()}")
        fresh.write_text(json.dumps({**self.read(), **results}, indent=1), encoding="utf-8")
        fresh.replace(self._path)


def choose(engine: str, candidates: Sequence[Candidate], probe: Callable[[Path], str], probed: Probed) -> Choice:
    """The first candidate that passes its probe.

    Results are kept only where one did: what keeps all of them from working may be mended before the next run.
    """
    known, result = probed.read(), dict[str, str]()
    broken: list[str] = []
    for candidate in candidates:
        key = f"{engine}: {candidate}, {_processor()}"
        result[key] = known[key] if key in known else probe(candidate.program)
        if not result[key]:
            if result.items() - known.items():
                probed.write(result)
            return Choice(engine, str(candidate), str(candidate.program), tuple(broken))
        broken.append(f"{candidate} is broken on this machine ({result[key]})")
    return Choice(engine, broken=tuple(broken))


def chosen(engine: str, candidates: Callable[[], Sequence[Candidate]], probe: Callable[[Path], str]) -> Choice:
    """The choice of this run: made once, by its first process."""
    known = json.loads(os.environ.get(HANDED_ON, "{}"))
    if engine not in known:
        choice = choose(engine, candidates(), probe, Probed())
        known[engine] = [choice.source, choice.program, list(choice.broken)]
        os.environ[HANDED_ON] = json.dumps(known)
    source, program, broken = known[engine]
    return Choice(engine, source, program, tuple(broken))


def program(choice: Choice) -> Path:
    """The program to run; without one the test fails in continuous integration and is skipped elsewhere."""
    return Path(choice.program) if choice.program else _missing(choice)


def packaged(package: str, module: str, place: str) -> list[Candidate]:
    """A program inside an installed package, where it has one at this place (a pattern)."""
    try:
        spec = find_spec(module)
        release = version(package)
    except (ModuleNotFoundError, PackageNotFoundError):
        return []
    homes = [Path(item) for item in (spec.submodule_search_locations or [])] if spec is not None else []
    return [Candidate(package, release, path) for home in homes for path in sorted(home.glob(place))]


def on_path(*names: str) -> list[Candidate]:
    """Programs of these names that the machine itself has."""
    items = [(name, shutil.which(name)) for name in names]
    return [Candidate(f"{name} of this machine", _stamp(Path(at)), Path(at)) for name, at in items if at]


def death(returncode: int) -> str:
    """How a process ended: by the name of the signal that killed it, or by its exit status."""
    return f"killed by {signal.Signals(-returncode).name}" if returncode < 0 else f"exit status {returncode}"


def _missing(choice: Choice) -> NoReturn:
    why = "; ".join(choice.broken) or "no package and no program on the path"
    said = f"no {choice.engine} works here: {why}. Install the dev group, or give the URL of a server"
    if "CI" in os.environ:
        pytest.fail(said, pytrace=False)
    pytest.skip(said)


def _stamp(program: Path) -> str:
    return f"({program}, {program.stat().st_size} bytes)"


def _processor() -> str:
    """The kind of processor: its features decide whether a program's instructions run."""
    features = ""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines()
        features = next((line for line in lines if line.startswith(("flags", "Features"))), "")
    return f"{sys.platform}-{platform.machine()}-{sha256(features.encode()).hexdigest()[:12]}"
