"""What users install: typed, whole, and nothing in it that is not the package; also when built from the sdist."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest
from tests.house.source import PACKAGE, ROOT

BUILD = [sys.executable, "-m", "hatchling", "build", "--directory"]
KINDS = {
    ".py",
    ".sql",
    ".toml",
    ".md",
    ".txt",
    ".template",
    ".typed",
    ".mako",
    ".css",
    ".html",
    ".js",
    ".svg",
    ".npz",
    ".json",
    ".jsonl",
}
WEIGHTS = {"names.npz", "weights.npz", "comparison.npz", "links.npz"}
MOST_WEIGHTS = 8 * 1024 * 1024
"""Bytes that all weights of networks may take together in the wheel's package."""
BESIDE = {".gitignore", "LICENSE", "PKG-INFO", "README.md", "pyproject.toml"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist of this checkout, and the wheel that is built from the unpacked sdist."""
    folder = tmp_path_factory.mktemp("built")
    subprocess.run([*BUILD, str(folder), "--target", "sdist"], cwd=ROOT, check=True, capture_output=True)
    (sdist,) = folder.glob("*.tar.gz")
    with tarfile.open(sdist) as packed:
        packed.extractall(folder, filter="data")
    unpacked = folder / sdist.name.removesuffix(".tar.gz")
    subprocess.run([*BUILD, str(folder), "--target", "wheel"], cwd=unpacked, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def wheel(folder: Path) -> zipfile.ZipFile:
    """The wheel."""
    (built,) = folder.glob("*.whl")
    return zipfile.ZipFile(built)


def package_files() -> set[str]:
    """Every file of the package, as it lies in this checkout."""
    paths = (path for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {str(path.relative_to(PACKAGE.parent)) for path in paths}


def test_the_wheel_is_typed(wheel: zipfile.ZipFile) -> None:
    """Type checkers read the annotations of an installed package only where this file says that they are meant."""
    assert "rememora/py.typed" in wheel.namelist()


def test_the_wheel_is_the_package(wheel: zipfile.ZipFile) -> None:
    """Every file of the package, its licence and its metadata; no test, no cache, no file of another kind."""
    inside = {name for name in wheel.namelist() if ".dist-info/" not in name}

    assert package_files() == inside
    assert {Path(name).suffix for name in inside} <= KINDS
    assert sorted(Path(name).name for name in wheel.namelist() if ".dist-info/" in name) == [
        "LICENSE",
        "METADATA",
        "RECORD",
        "WHEEL",
        "entry_points.txt",
    ]


def test_the_sdist_is_the_source_of_the_package(folder: Path) -> None:
    """The sdist holds the sources of the wheel, and no test, no document, no tool."""
    (sdist,) = folder.glob("*.tar.gz")
    with tarfile.open(sdist) as packed:
        names = {name.partition("/")[2] for name in packed.getnames()}

    assert {f"src/{name}" for name in package_files()} == {name for name in names if name.startswith("src/")}
    assert {name for name in names if not name.startswith("src/")} == BESIDE


def test_it_names_every_extra(wheel: zipfile.ZipFile) -> None:
    """As the project does, under the same version; the terminal's command is one of its own."""
    (metadata,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    reply = Parser().parsestr(wheel.read(metadata).decode())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (entries,) = (name for name in wheel.namelist() if name.endswith("entry_points.txt"))

    assert project["version"] == reply["Version"]
    assert sorted(project["optional-dependencies"]) == sorted(reply.get_all("Provides-Extra", []))
    assert "rememora = rememora.command:main" in wheel.read(entries).decode()


def test_it_works_where_it_is_installed(folder: Path, tmp_path: Path) -> None:
    """In a fresh environment that borrows the packages it needs: the package, its files, and its command."""
    (built,) = folder.glob("*.whl")
    place = tmp_path / "environment"
    uv = [sys.executable, "-m", "uv"]
    subprocess.run([*uv, "venv", "--quiet", "--python", sys.executable, str(place)], check=True)
    python = str(place / "bin/python")
    install = [*uv, "pip", "install", "--quiet", "--offline", "--no-deps", "--python", python, str(built)]
    subprocess.run(install, check=True, capture_output=True)
    (ours,) = (path for path in sys.path if path.endswith("site-packages") and Path(path).is_dir())
    (theirs,) = place.glob("lib/python*/site-packages")
    (theirs / "borrowed.pth").write_text(f"{ours}\n", encoding="utf-8")
    program = (
        "import rememora; from rememora import SyncRememora\n"
        "with SyncRememora.open('store', background=False) as memory:\n"
        "    memory.user('ana', tenant='acme').remember('user.city', 'Recife')\n"
        "    print(rememora.__file__, len(memory.user('ana', tenant='acme').memories.list().items))"
    )
    # -E: a path of the checkout in the environment must not stand in for what was installed.
    ran = [
        subprocess.run([python, "-E", *words], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
        for words in (("-c", program), (str(place / "bin/rememora"), "--help"))
    ]

    assert ran[0].split() == [str(theirs / "rememora/__init__.py"), "1"]
    assert "migrate" in ran[1]


def test_the_weights_stay_small() -> None:
    """The weights of all networks take at most 8 MiB together, and no other arrays are shipped."""
    arrays = {path.name: path.stat().st_size for path in PACKAGE.rglob("*.npz")}

    assert set(arrays) <= WEIGHTS
    assert sum(arrays.values()) <= MOST_WEIGHTS
