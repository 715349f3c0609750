"""Runs every measurement and writes the report (`make bench`): all that run, and at the end those that did not.

`bench/peers.py` makes an environment for each peer below `.cache/peers`, so that no pins touch others.
A bench that fails does not keep the others from running. `--quick` leaves out those that take longer than some
minutes; `--only part` runs those with this in their command. `BENCH_DATA` names the folder of the evaluation data,
`BENCH_MODEL` a GGUF file for `bench/answers.py`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESULTS = "bench/results"
MODEL = ["--model", os.environ["BENCH_MODEL"]] if "BENCH_MODEL" in os.environ else []
"""A GGUF file for the bench that lets a model answer, which is left out without one."""
DATA = os.environ.get("BENCH_DATA", str(ROOT.parent / "shared" / "data"))
QUICK = (
    ["quality.py", "--data", DATA],
    ["recall.py", "--ablate", "--data", DATA, "--save", f"{RESULTS}/ablations.json"],
    ["recall_product.py", "--data", DATA, "--save", f"{RESULTS}/recall_product.json"],
    ["lexicon.py", "--data", DATA],
    ["context.py", "--data", DATA],
    ["knowledge.py", "--data", DATA],
    ["gate.py"],
    ["repairs.py"],
    ["names.py"],
    ["missions.py"],
    ["history.py"],
    ["pages.py"],
    ["proxy.py"],
    ["reply.py"],
)
LONG = (
    ["recall.py", "--floor", "--cost", "--data", DATA, "--save", f"{RESULTS}/recall.json"],
    ["peers.py", "--conversations", "3", "--data", DATA, "--save", f"{RESULTS}/peers.json"],
    ["engines.py"],
    ["recall_cold.py", "--write"],
    ["recall_server.py", "--write"],
    ["recall_growth.py", "--long", "--write"],
    ["traffic.py"],
    ["tenants.py"],
    ["answers.py", "--data", DATA, *MODEL],
    ["recall_vectors.py", "--write"],
    ["duckdb_vectors.py"],
    ["postgres_pool.py"],
    ["redis_window.py"],
    ["load.py"],
)


def ran(words: Sequence[str]) -> bool:
    """Run one bench to its end; whether it ended well."""
    command = [sys.executable, f"bench/{words[0]}", *words[1:]]
    return subprocess.run(command, cwd=ROOT, check=False).returncode == 0


def main() -> int:
    """Run, report, and say what failed."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true")
    options.add_argument("--only", default="")
    chosen = options.parse_args()
    failed = []
    for words in QUICK if chosen.quick else (*QUICK, *LONG):
        if chosen.only in words[0]:
            print(f"== bench/{words[0]}", flush=True)
            failed += [] if ran(words) else [words[0]]
    report = subprocess.run([sys.executable, "tools/write_benchmarks.py"], cwd=ROOT, check=False)
    for name in failed:
        print(f"failed: bench/{name}; its last figures stay in the report", file=sys.stderr)
    return int(bool(failed) or report.returncode != 0)


if __name__ == "__main__":
    sys.exit(main())
