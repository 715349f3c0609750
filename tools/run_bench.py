"""Runs every measurement and writes the report (`make bench`): all that run, and at the end those that did not.

The commands are those of the published figures; a house test compares them with the files of `bench/results`.
`bench/peers.py` makes an environment for each peer below `.cache/peers`, so that no pins touch others.
A bench that fails does not keep the others from running. `--quick` leaves out those that take longer than some
minutes; `--only part` runs those with this in their command. `BENCH_DATA` names the folder of the evaluation data,
`BENCH_MODEL` a GGUF file for `bench/answers.py`, which is left out without one.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench._frame import command

ROOT = Path(__file__).resolve().parents[1]
RESULTS = "bench/results"
MODEL = os.environ.get("BENCH_MODEL", "")
"""A GGUF file for the bench that lets a model answer."""
DATA = os.environ.get("BENCH_DATA", str(ROOT.parent / "shared" / "data"))
BEFORE, COMMIT = ROOT / ".cache" / "reply_before", "3fe89ea4"
"""The checkout that a turn is timed beside, and its commit."""
PEERS = ["peers.py", "--data", DATA, "--save", f"{RESULTS}/peers.json"]
ANSWERS = ["answers.py", "--data", DATA, "--model", MODEL or "MODEL.gguf"]
QUICK = (
    ["quality.py", "--data", DATA],
    ["recall.py", "--ablate", "--data", DATA, "--save", f"{RESULTS}/ablations.json"],
    ["recall_product.py", "--data", DATA, "--save", f"{RESULTS}/recall_product.json"],
    ["lexicon.py", "--data", DATA],
    ["context.py", "--data", DATA],
    ["knowledge.py", "--data", DATA],
    ["evolving.py", "--data", DATA],
    ["gate.py", "--local"],
    ["repairs.py"],
    ["names.py"],
    ["missions.py"],
    ["history.py"],
    ["pages.py", "--memories", "100000", "--rounds", "30"],
    ["proxy.py"],
    ["reply.py", "--beside", str(BEFORE), "--rounds", "2"],
)
LONG = (
    ["longmemeval.py", "--data", DATA],
    ["recall.py", "--floor", "--cost", "--data", DATA, "--save", f"{RESULTS}/recall.json"],
    [*PEERS, "--sizes", "1000", "--crowd", "0"],
    # What a smaller size wrote down tells which peers are too slow for the next.
    [*PEERS, "--sets", "none", "--sizes", "10000", "--crowd", "0", "--seconds", "400"],
    [*PEERS, "--sets", "none", "--sizes", "100000", "--crowd", "0", "--seconds", "400"],
    [*PEERS, "--sets", "none", "--sizes", "", "--crowd", "1000", "--seconds", "250"],
    ["engines.py"],
    ["recall_cold.py", "--write"],
    ["recall_server.py", "--write"],
    ["recall_growth.py", "--long", "--write"],
    ["traffic.py", "--acts", "600"],
    ["tenants.py", "--tenants", "100000", "--each", "100", "--seconds", "30"],
    [*ANSWERS, "--questions", "24", "--conversations", "6", "--threads", "2"],
    # LoCoMo's full history needs the room; one conversation of it takes some twenty minutes.
    [
        *ANSWERS,
        "--sets",
        "LoCoMo",
        "--questions",
        "12",
        "--conversations",
        "1",
        "--room",
        "32768",
        "--threads",
        "2",
    ],
    ["recall_vectors.py", "--real", "--long", "--write"],
    ["duckdb_vectors.py"],
    ["postgres_pool.py"],
    ["redis_window.py"],
    ["load.py"],
)
ELSEWHERE = "python tools/run_soak.py"
"""Command of `make soak` and `make campaigns`, whose figures are in the report too; its options choose a part."""
OLDER = {
    "answers": "published of a ranking by cosine, before peers' own turns were asked for",
    "peers": "the larger tables are published of single tables on several days, the crowd before each was asked",
}
"""Published figures that another command made than the one above, until they are measured again."""
NAMED_MODEL = re.compile(r" --model \S+")


def runs(shown: str) -> bool:
    """Whether a command of a published figure is one of these; the file of a model may have another name."""
    if shown.startswith(ELSEWHERE):
        return True
    return _nameless(shown) in {_nameless(command([f"bench/{words[0]}", *words[1:]])) for words in (*QUICK, *LONG)}


def _nameless(shown: str) -> str:
    return NAMED_MODEL.sub(" --model FILE", shown)


def prepared(words: Sequence[str]) -> bool:
    """Whether what a bench needs is there: a model that somebody names, a checkout that is made."""
    if words[0] == "answers.py" and not MODEL:
        print("left out: BENCH_MODEL names no GGUF file", flush=True)
        return False
    if words[0] == "reply.py" and not BEFORE.exists():
        add = ["git", "worktree", "add", "--detach", str(BEFORE), COMMIT]
        subprocess.run(add, cwd=ROOT, check=False)
    return True


def ran(words: Sequence[str]) -> bool:
    """Run one bench to its end; whether it ended well."""
    program = [sys.executable, f"bench/{words[0]}", *words[1:]]
    return subprocess.run(program, cwd=ROOT, check=False).returncode == 0


def main() -> int:
    """Run, report, and say what failed."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true")
    options.add_argument("--only", default="")
    chosen = options.parse_args()
    failed = []
    for words in QUICK if chosen.quick else (*QUICK, *LONG):
        if chosen.only in words[0]:
            print(f"== {command([f'bench/{words[0]}', *words[1:]])}", flush=True)
            failed += [] if not prepared(words) or ran(words) else [words[0]]
    report = subprocess.run([sys.executable, "tools/write_benchmarks.py"], cwd=ROOT, check=False)
    for name in failed:
        print(f"failed: bench/{name}; its last figures stay in the report", file=sys.stderr)
    return int(bool(failed) or report.returncode != 0)


if __name__ == "__main__":
    sys.exit(main())
