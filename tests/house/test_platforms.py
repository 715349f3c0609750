"""A dependency that leaves a supported platform out is refused by `make check`, by name."""

from __future__ import annotations

import tomllib
import zipfile
from pathlib import Path

import pytest
from tests.house.source import ROOT
from tools.check_platforms import KEPT, NOT_THERE, PLATFORMS, alone, asked, check, faults, one_sided

LINUX = PLATFORMS[:2]
PROJECT = """
[project]
name = "sample"
version = "1"
requires-python = ">=3.11"
dependencies = ["everywhere"]
[project.optional-dependencies]
fast = ["{extra}"]
[dependency-groups]
dev = ["{group}"]
"""


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Packages in a folder: one for every platform, one for x86_64 Linux alone."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    for name, tag in (("everywhere", "any"), ("narrow", "manylinux2014_x86_64")):
        with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-{tag}.whl", "w") as wheel:
            wheel.writestr(
                f"{name}-1.0.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"
            )
            wheel.writestr(f"{name}-1.0.dist-info/WHEEL", f"Wheel-Version: 1.0\nTag: py3-none-{tag}\n")
            wheel.writestr(f"{name}-1.0.dist-info/RECORD", "")
    monkeypatch.setenv("UV_NO_INDEX", "1")
    monkeypatch.setenv("UV_FIND_LINKS", str(folder))
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)


def project(folder: Path, extra: str = "everywhere", group: str = "everywhere") -> Path:
    """A project with one requirement in an extra and one in a group."""
    path = folder / "pyproject.toml"
    path.write_text(PROJECT.format(extra=extra, group=group))
    return path


def test_our_own_markers_hold_on_every_processor() -> None:
    """No requirement of this project is left out on one processor of a system."""
    assert [] == list(one_sided(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))))


def test_extras_in_conflict_are_resolved_by_themselves() -> None:
    """As `tool.uv` declares them; what is left out somewhere is one of them, with its reason."""
    ours = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    sets = asked(ours)

    assert {"crewai"} == alone(ours)
    assert ["--extra", "crewai"] == sets["extra crewai"]
    assert "crewai" not in sets["the package and its extras"]
    assert "mcp" in sets["the package and its extras"]
    assert {what for what, _ in NOT_THERE} <= {f"extra {name}" for name in alone(ours)}
    assert {name for _, name in NOT_THERE} <= {platform.name for platform in PLATFORMS}


@pytest.mark.parametrize("where", ["extra", "group"])
def test_a_pin_to_one_processor_fails(where: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A marker that names a processor: the package is not there on the others, and nothing says so."""
    path = project(tmp_path, **{where: "narrow; sys_platform == 'linux' and platform_machine == 'x86_64'"})

    assert 1 == check(path, environ={})
    said = capsys.readouterr().err
    name = "extra fast" if where == "extra" else "group dev"
    assert said.startswith(f"platforms: narrow ({name}) is left out on Linux aarch64: ")
    assert not (tmp_path / KEPT).exists()


@pytest.mark.usefixtures("registry")
def test_a_package_without_a_wheel_fails(tmp_path: Path) -> None:
    """The message names the package, where it is required, and the platform."""
    (extra,) = faults(project(tmp_path, extra="narrow"), LINUX)
    (group,) = faults(project(tmp_path, group="narrow"), LINUX)

    assert extra.startswith("the package and its extras on Linux aarch64: no wheels")
    assert group.startswith("group dev on Linux aarch64: no wheels")
    assert all("narrow==1.0 has no wheels" in " ".join(item.split()) for item in (extra, group)), extra


@pytest.mark.usefixtures("registry")
def test_a_marker_of_a_whole_system_is_fine(tmp_path: Path) -> None:
    """Engines of tests without a wheel for macOS may be left out there; the result is kept by content."""
    path = project(tmp_path, extra="everywhere; sys_platform == 'linux'")

    assert 0 == check(path, environ={})
    kept = (tmp_path / KEPT).read_text()
    project(tmp_path)
    assert 0 == check(path, environ={})
    assert kept != (tmp_path / KEPT).read_text()


def test_without_a_registry_only_continuous_integration_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A laptop on a train may still run `make test`; what was not checked is said, and not kept as checked."""
    for name, value in (("DEFAULT_INDEX", "http://127.0.0.1:1/simple"), ("HTTP_RETRIES", "0")):
        monkeypatch.setenv(f"UV_{name}", value)
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
    path = project(tmp_path)

    assert [0, 1] == [check(path, environ=environ) for environ in ({}, {"CI": "true"})]
    assert 2 == capsys.readouterr().err.count("platforms: not checked, no package registry answers")
    assert not (tmp_path / KEPT).exists()
