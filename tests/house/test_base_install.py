"""The base install stays small: what a program that imports the library has to carry."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement

MOST = 15
ROOT = Path(__file__).parents[2]


def needed(name: str, extras: frozenset[str] = frozenset()) -> set[str]:
    """Every package that one needs here, with those that these need."""
    items: set[str] = set()
    waiting = [(name, extras)]
    while waiting:
        item, expected = waiting.pop()
        for line in requires(item) or ():
            requirement = Requirement(line)
            if not _applies(requirement, expected) or requirement.name.lower() in items:
                continue
            items.add(requirement.name.lower())
            waiting.append((requirement.name, frozenset(requirement.extras)))
    return items


def _applies(requirement: Requirement, extras: frozenset[str]) -> bool:
    if requirement.marker is None:
        return True
    return any(requirement.marker.evaluate({"extra": extra}) for extra in extras or {""})


def test_the_base_install_is_small() -> None:
    """At most fifteen packages besides this one."""
    base = needed("rememora")

    assert len(base) <= MOST, sorted(base)
    assert "numpy" in base


def test_what_is_needed_follows_extras() -> None:
    """The count above can fail: extras bring what they name."""
    assert "typer" in needed("rememora", frozenset({"cli"}))
    assert needed("rememora") < needed("rememora", frozenset({"server"}))


@pytest.mark.parametrize("words", [["--version"], ["demo"]])
def test_the_command_says_what_to_install(words: list[str]) -> None:
    """Without the libraries of the terminal it tells its version, and else which extra it needs."""
    hide = "import importlib.util as u; found = u.find_spec\n"
    hide += "u.find_spec = lambda name: None if name in ('typer', 'rich') else found(name)\n"
    code = f"import sys; sys.argv = ['rememora', *{words!r}]\n{hide}from rememora.command import main; main()"
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT, env=os.environ
    )

    if words == ["--version"]:
        assert shown.returncode == 0
        assert shown.stdout.strip()
    else:
        assert shown.returncode == 1
        assert "rememora[cli]" in shown.stderr
