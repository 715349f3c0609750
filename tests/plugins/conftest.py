"""The example packages, really installed, and packages that are broken in one way each."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from rememora import reading

EXAMPLES = Path(__file__).parents[2] / "examples/plugins"
Broken = Callable[[str, str, str], None]


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which every example package is built and installed, as its users would do."""
    folder = tmp_path_factory.mktemp("site")
    packages = [str(path.parent) for path in sorted(EXAMPLES.glob("*/pyproject.toml"))]
    install = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--offline", "--no-deps"]
    build = ["--no-build-isolation", "--python", sys.executable, "--target", str(folder)]
    subprocess.run([*install, *build, *packages], check=True)
    return folder


@pytest.fixture(autouse=True)
def own_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    """Choose a reader as in a new process: a test elsewhere may have left a memory open that holds one."""
    monkeypatch.setattr(reading, "_chosen", reading._Chosen())


@pytest.fixture
def examples(site: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have the example packages on the path of this process."""
    monkeypatch.syspath_prepend(str(site))
    return site


@pytest.fixture
def offer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Broken:
    """Have a package installed that offers a plugin: its group, its name, and the source of its module."""
    folder = tmp_path / "offered"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))

    def write(group: str, name: str, source: str) -> None:
        package = f"strange{len(list(folder.glob('*.py')))}_{tmp_path.name}"
        (folder / f"{package}.py").write_text(source, encoding="utf-8")
        about = folder / f"{package}-2.1.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {package}\nVersion: 2.1\n", encoding="utf-8"
        )
        (about / "entry_points.txt").write_text(f"[{group}]\n{name} = {package}:make\n", encoding="utf-8")

    return write
