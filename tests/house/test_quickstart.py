"""A newcomer's way through the quickstart: each program in one folder, as printed, with what it prints."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.house.source import ROOT

PAIR = re.compile(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^```console\n\$ \.venv/bin/(rememora .*?)\n(.*?)^```", re.MULTILINE | re.DOTALL)
START = "from rememora.command import main; main()"
MOVING = re.compile(r"…|\d")
"""What differs from day to day or is cut short for the page: a line with it is not compared."""


def differing(printed: str, reply: str) -> list[str]:
    """Whole lines of the page that the program does not print."""
    there = {line.strip() for line in reply.splitlines()}
    return [line for line in map(str.strip, printed.splitlines()) if not MOVING.search(line) and line not in there]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["docs/quickstart.md", "docs/quickstart.pt-BR.md"])
def test_the_quickstart_prints_what_it_shows(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Programs and commands from top to bottom, each a process of its own; how long they take is told."""
    page = (ROOT / name).read_text(encoding="utf-8")
    steps = [(match.start(), [sys.executable, "-c", match[1]], match[2]) for match in PAIR.finditer(page)]
    for match in COMMAND.finditer(page):
        program = [sys.executable, "-c", START, *match[1].split()[1:]]
        steps.append((match.start(), program, match[2]))
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "COLUMNS": "80"}
    began, stale = time.perf_counter(), []
    for _, program, printed in sorted(steps):
        process = subprocess.run(
            program, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        stale += [process.stderr[-300:]] if process.returncode else differing(printed, process.stdout)
    with capsys.disabled():
        print(f"\n{name}: {len(steps)} programs in {time.perf_counter() - began:.0f} s")

    assert steps
    assert [] == stale
