"""The attacks tell their counts at the end of `make test`, whose tests run in worker processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.house.source import ROOT

ONE = """
def test_tries(probe):
    for _ in range(7):
        probe(True)
"""


def test_counts_of_workers_are_printed(tmp_path: Path) -> None:
    """The process that prints collects nothing itself, and so knows no file but the first of the tests."""
    attacks = tmp_path / "suite" / "attacks"
    attacks.mkdir(parents=True)
    for name in ("conftest.py", "attacks/conftest.py"):
        (tmp_path / "suite" / name).symlink_to(ROOT / "tests" / name)
    (attacks / "test_one.py").write_text(ONE, encoding="utf-8")
    # Loading every installed plugin in two processes takes longer than all the rest.
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), *sys.path])
    command = [sys.executable, "-m", "pytest", "-q", "-p", "xdist", "-n", "1", "--import-mode=importlib", "suite"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    assert 0 == done.returncode, done.stdout + done.stderr
    assert "7 tries     0 failed" in done.stdout
