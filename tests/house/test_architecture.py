"""The pictures of the architecture are true: each step names a function that is where its link leads."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from tests.house.source import ROOT, Function

PAGES = ["docs/architecture.md", "docs/architecture.pt-BR.md"]
STEP = re.compile(r"^(\d+)\. \[`([\w.]+)`\]\(([^)]+\.py)\)", re.MULTILINE)
DRAWN = re.compile(r'^ *S(\d+)\["\1\. ', re.MULTILINE)
FLOW = re.compile(r"^## .+$", re.MULTILINE)


def flows(page: str) -> list[str]:
    """The text of each flow of a page."""
    return FLOW.split((ROOT / page).read_text(encoding="utf-8"))[1:]


def is_defined(name: str, file: Path) -> bool:
    """Tell whether a module defines a function, or a class with a method."""
    body: list[ast.stmt] = ast.parse(file.read_text(encoding="utf-8")).body
    *owners, function = name.split(".")
    for owner in owners:
        body = [
            item for node in body if isinstance(node, ast.ClassDef) and node.name == owner for item in node.body
        ]
    return any(isinstance(node, Function) and node.name == function for node in body)


@pytest.mark.parametrize("page", PAGES)
def test_every_step_leads_to_its_function(page: str) -> None:
    """The function stands in the file that its link names."""
    steps = [(name, (ROOT / page).parent / path) for flow in flows(page) for _, name, path in STEP.findall(flow)]

    assert len(steps) >= 30
    assert [] == [name for name, file in steps if not is_defined(name, file)]


@pytest.mark.parametrize("page", PAGES)
def test_every_picture_has_the_steps_of_its_list(page: str) -> None:
    """A message in, a question out, an erasure: the numbers that are drawn are those that are explained."""
    drawn = [[int(number) for number in DRAWN.findall(flow)] for flow in flows(page)]
    numbers = [[int(number) for number, _, _ in STEP.findall(flow)] for flow in flows(page)]

    assert 3 == len(drawn)
    assert drawn == numbers
    assert [list(range(1, len(steps) + 1)) for steps in numbers] == numbers


def test_both_languages_tell_the_same_steps() -> None:
    """The same functions in the same order."""
    english, portuguese = ([STEP.findall(flow) for flow in flows(page)] for page in PAGES)

    assert english == portuguese


def test_a_missing_function_is_noticed() -> None:
    """The rule above can fail."""
    file = ROOT / "src/rememora/turn.py"

    assert is_defined("reply", file)
    assert is_defined("TurnRunner.settle", file)
    assert not is_defined("TurnRunner.reply", file)
    assert not is_defined("answer_everything", file)
