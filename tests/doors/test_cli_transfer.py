"""`rememora transfer`: what an operator types, reads, and gets back as an exit code."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.behind import behind
from tests.filled import fill, seen

COMMAND = str(Path(sys.executable).with_name("rememora"))


def run(*words: str) -> subprocess.CompletedProcess[str]:
    """The command as a shell runs it."""
    return subprocess.run([COMMAND, "transfer", *words], capture_output=True, text=True, check=False)


@pytest.fixture
async def ends(tmp_path: Path) -> tuple[str, str]:
    """A full store, and where there is none."""
    await fill(str(tmp_path / "here"))
    return str(tmp_path / "here"), str(tmp_path / "there")


async def test_the_command_carries_a_store(ends: tuple[str, str]) -> None:
    """It says how much was copied, as a table or as JSON, and what people see is the same."""
    local, there = ends
    done = run("--from", local, "--to", there)
    compared = run("--from", local, "--to", there, "--verify-only", "--json")
    answer = json.loads(compared.stdout)

    assert (0, 0) == (done.returncode, compared.returncode)
    assert f"{answer['rows']} rows copied; both stores hold the same {answer['rows']}." in done.stdout
    assert "transferring" in done.stderr
    assert answer["rows"] == sum(table["rows"] for table in answer["tables"])
    assert "" == compared.stderr
    assert await seen(local) == await seen(there)


def test_a_difference_is_an_exit_code(ends: tuple[str, str]) -> None:
    """The error says which table differs, and how."""
    local, there = ends
    run("--from", local, "--to", there)
    behind(there, "DELETE FROM audit WHERE position = 1")
    compared = run("--from", local, "--to", there, "--verify-only")

    assert 1 == compared.returncode
    assert "transfer_differs: the stores differ in audit (" in compared.stderr
