"""Runs the campaigns of `tests/endurance` in slices, each with a seed of its own (`make campaigns`), resumable.

A slice that has ended is written into bench/results/endurance.json at once; a run that was broken off goes on with
the slices that are missing there. Those that are there are not run again, whatever code they were run on: the run
begins by telling how many they are, and how many are of other code. `--fresh` forgets them and runs all anew
(`make soak` does), `--only part` runs the campaigns with this in their name and leaves the others as they are,
`--seconds 600` starts no further slice after so long, and `--seed 1000` chooses other tries. One slice that does
not hold is written with the lines that say why; the others go on, and the exit code tells.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Collection
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench._frame import CHANGED, Run, commit

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "bench" / "results"
COUNTED = re.compile(r"^(\w+) +(\d+) tries +(\d+) failed$", re.MULTILINE)
TOLD_LINES = 40


class Soak(NamedTuple):
    """A test of `tests/endurance`, and into how many slices its count is cut."""

    name: str
    test: str
    slices: int


SOAKS = (
    Soak("kill -9 of the library", "test_kills.py::test_kills_of_the_library", 10),
    Soak("kill -9 of workers", "test_kills.py::test_kills_of_workers", 6),
    Soak("kill -9 while vectors are blanked out", "test_kills.py::test_kills_while_vectors_are_blanked_out", 4),
    Soak("kill -9 of the server", "test_kills.py::test_kills_of_the_server", 4),
    Soak("kill -9 of PostgreSQL", "test_kills.py::test_kills_of_postgres", 4),
    Soak("kill -9 of Redis", "test_kills.py::test_kills_of_redis", 4),
    Soak("steps of walks against a model", "test_steps.py::test_walks_against_a_model", 25),
    Soak("questions of strangers", "test_leaks.py::test_strangers_learn_nothing", 10),
    Soak("words erased with the person", "test_canaries.py::test_canaries_after_an_erasure", 6),
    Soak("words erased through a server's doors", "test_canaries.py::test_canaries_of_a_server", 4),
    Soak(
        "words erased through a server's doors, PostgreSQL",
        "test_canaries.py::test_canaries_on_postgres",
        2,
    ),
    Soak("changes of the audit chain", "test_tampering.py::test_tampering_with_the_audit_chain", 4),
    Soak("clocks that jump", "test_clock.py::test_jumps_of_the_clock", 1),
    Soak("files that may not grow", "test_storage.py::test_files_that_may_not_grow", 2),
    Soak("disks that are full", "test_storage.py::test_disks_that_are_full", 2),
    Soak("folders that may not be written", "test_storage.py::test_folders_that_may_not_be_written", 1),
    Soak("models that are slow or fail", "test_models.py::test_models_that_fail", 3),
    Soak("damaged files of other products", "test_fuzz.py::test_damaged_files_of_other_products", 3),
    Soak("damaged documents of our own", "test_fuzz.py::test_damaged_documents_of_our_own", 2),
    Soak("texts that nobody would write", "test_fuzz.py::test_texts_that_nobody_would_write", 3),
)


Slices = dict[str, dict[str, dict[str, Any]]]
"""Every slice that was run, by campaign and seed."""


def kept(forgotten: Collection[str] = ()) -> Slices:
    """Every slice that has been written, but for those of campaigns that begin anew."""
    file = RESULTS / "endurance.json"
    if not file.exists():
        return {}
    result: Slices = json.loads(file.read_text(encoding="utf-8"))["slices"]
    return {name: slices for name, slices in result.items() if name not in forgotten}


def summary(soaks: Collection[Soak], slices: Slices) -> list[str]:
    """Say of each campaign how many slices are not run again, and how many of these tried other code."""
    lines = []
    for soak in soaks:
        there = slices.get(soak.name, {}).values()
        other = sum(not is_same_code(one.get("commit", "")) for one in there)
        if there:
            lines.append(f"{soak.name}: {len(there)} of {soak.slices} slices are there, {other} of other code")
    return lines


@cache
def is_same_code(name: str) -> bool:
    """Return whether a commit has the package as it is in this checkout; False where nobody can tell."""
    if not name or name.endswith(CHANGED):
        return False
    same = ["git", "-C", str(ROOT), "diff", "--quiet", name, "--", "src"]
    try:
        return subprocess.run(same, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def done(soak: Soak, seed: int) -> dict[str, Any]:
    """Run one slice to its end."""
    began = time.monotonic()
    environment = {**os.environ, "SOAK_SEED": str(seed), "SOAK_SCALE": str(1 / soak.slices)}
    # Every slice is a process that imports the same modules.
    environment |= {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(ROOT / ".cache" / "bytecode")}
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-m", "slow", f"tests/endurance/{soak.test}"]
    ended = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    counted = COUNTED.findall(ended.stdout)
    tries, failed = sum(int(item[1]) for item in counted), sum(int(item[2]) for item in counted)
    seconds = round(time.monotonic() - began)
    result: dict[str, Any] = {"tries": tries, "failed": failed, "ended": ended.returncode, "seconds": seconds}
    # Slices of one file are run on different days: each tells which code it tried.
    result |= {"commit": commit(), "date": datetime.now(UTC).date().isoformat()}
    if ended.returncode:
        result["told"] = ended.stdout.splitlines()[-TOLD_LINES:]
    return result


def totals(slices: Slices) -> dict[str, dict[str, int]]:
    """A row for each campaign."""
    return {
        name: {
            "tries": sum(value["tries"] for value in result.values()),
            "failed": sum(value["failed"] for value in result.values()),
            "slices": len(result),
            "slices that broke": sum(value["ended"] != 0 for value in result.values()),
            "seconds": sum(value["seconds"] for value in result.values()),
        }
        for name, result in slices.items()
    }


def main() -> int:
    """Run what is missing, writing after each slice."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--fresh", action="store_true")
    options.add_argument("--only", default="")
    options.add_argument("--seconds", type=float, default=float("inf"))
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    expected = [soak for soak in SOAKS if chosen.only in soak.name]
    # The results of campaigns that this run leaves out stay.
    slices = kept([soak.name for soak in expected] if chosen.fresh else ())
    run, began = Run("hypothesis", "pytest"), time.monotonic()
    for line in summary(expected, slices):
        print(line, flush=True)
    todo = [(number, soak) for soak in expected for number in range(soak.slices)]
    # The first slice of each before the second of any: a run that is broken off has tried everything.
    for number, soak in sorted(todo, key=lambda item: item[0] / item[1].slices):
        seed = str(chosen.seed + number)
        if seed in slices.setdefault(soak.name, {}) or time.monotonic() - began > chosen.seconds:
            continue
        result = slices[soak.name][seed] = done(soak, int(seed))
        print(f"{soak.name}, seed {seed}: {result['tries']} tries, {result['failed']} failed", flush=True)
        run.write("endurance", {"campaigns": totals(slices), "slices": slices}, RESULTS)
    return int(any(value["ended"] for results in slices.values() for value in results.values()))


if __name__ == "__main__":
    sys.exit(main())
