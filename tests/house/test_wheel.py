"""The wheel that users install: typed, whole, and nothing in it that is not the package."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from tests.house.source import PACKAGE, ROOT

BUILD = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory"]
KINDS = {".py", ".sql", ".toml", ".md", ".txt", ".template", ".typed", ".mako", ".css", ".html", ".js", ".svg"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The names of the files of a wheel built from this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run([*BUILD, str(folder)], cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return zipfile.ZipFile(built).namelist()


def test_the_wheel_is_typed(wheel: list[str]) -> None:
    """Type checkers read the annotations of an installed package only where this file says that they are meant."""
    assert "rememora/py.typed" in wheel


def test_the_wheel_is_the_package(wheel: list[str]) -> None:
    """Every file of the package, its licence and its metadata; no test, no cache, no file of another kind."""
    inside = {name for name in wheel if ".dist-info/" not in name}
    there = {path for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts}

    assert {str(path.relative_to(PACKAGE.parent)) for path in there} == inside
    assert {Path(name).suffix for name in inside} <= KINDS
    assert sorted(Path(name).name for name in wheel if ".dist-info/" in name) == [
        "LICENSE",
        "METADATA",
        "RECORD",
        "WHEEL",
        "entry_points.txt",
    ]
