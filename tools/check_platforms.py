"""Check that every extra and every dependency group installs from wheels on each platform that is supported.

Two ways in which a dependency leaves a platform out are refused:

- a marker that holds on one processor and not on the other, so that the package is silently missing there;
- a requirement for which the registry has no wheel, so that an install compiles or fails.

The result is kept by the content of `pyproject.toml`, so that only a change of it asks the registry again.
Where no registry answers, the wheels cannot be checked: that is said, and fails only in continuous integration.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
KEPT = ".cache/platforms"
PYTHON = "3.11"


@dataclass(frozen=True)
class Platform:
    """A platform: as people name it, as uv does, and as markers see it."""

    name: str
    triple: str
    system: str
    machine: str

    def holds(self, requirement: Requirement) -> bool:
        """Whether a requirement applies there."""
        kernel = "Darwin" if self.system == "darwin" else "Linux"
        seen = {"sys_platform": self.system, "platform_system": kernel, "platform_machine": self.machine}
        environment = {**seen, "os_name": "posix", "python_version": PYTHON, "python_full_version": f"{PYTHON}.0"}
        return requirement.marker is None or requirement.marker.evaluate({**environment, "extra": ""})


PLATFORMS = (
    # A glibc as old as that of Debian 12 and Ubuntu 22.04.
    Platform("Linux x86_64", "x86_64-manylinux_2_35", "linux", "x86_64"),
    Platform("Linux aarch64", "aarch64-manylinux_2_35", "linux", "aarch64"),
    Platform("macOS arm64", "aarch64-apple-darwin", "darwin", "arm64"),
    Platform("macOS x86_64", "x86_64-apple-darwin", "darwin", "x86_64"),
)


NOT_THERE = {("extra crewai", "macOS x86_64"): "CrewAI requires lancedb, which has no wheels for it"}
"""Where a framework itself cannot be installed; everything else has to be there."""


class Unreachable(Exception):
    """No package registry answers."""


def requirements(project: Mapping[str, Any]) -> dict[str, list[Requirement]]:
    """The requirements of the package, of each extra and of each group, by name."""
    about = project.get("project", {})
    sets: dict[str, list[Any]] = {"the package": about.get("dependencies", [])}
    sets |= {f"extra {name}": expected for name, expected in about.get("optional-dependencies", {}).items()}
    sets |= {f"group {name}": expected for name, expected in project.get("dependency-groups", {}).items()}
    # A group that includes another names it in a table; the other is looked at under its own name.
    return {
        name: [Requirement(item) for item in expected if isinstance(item, str)] for name, expected in sets.items()
    }


def one_sided(project: Mapping[str, Any], platforms: Iterable[Platform] = PLATFORMS) -> Iterator[str]:
    """Each requirement that holds on one processor of a system and not on another."""
    for name, expected in requirements(project).items():
        for requirement in expected:
            for system in sorted({platform.system for platform in platforms}):
                alike = [platform for platform in platforms if platform.system == system]
                without = [item.name for item in alike if not item.holds(requirement)]
                if 0 < len(without) < len(alike):
                    yield f"{requirement.name} ({name}) is left out on {', '.join(without)}: {requirement.marker}"


def alone(project: Mapping[str, Any]) -> set[str]:
    """Extras that stand first in a conflict that `tool.uv` declares: each is resolved by itself."""
    conflicts = project.get("tool", {}).get("uv", {}).get("conflicts", [])
    return {conflict[0]["extra"] for conflict in conflicts if "extra" in conflict[0]}


def asked(project: Mapping[str, Any]) -> dict[str, list[str]]:
    """What is resolved in one go: the package with the extras that go together, each other extra, each group."""
    apart, extras = alone(project), project.get("project", {}).get("optional-dependencies", {})
    together = [word for name in extras if name not in apart for word in ("--extra", name)]
    others = {f"extra {name}": ["--extra", name] for name in sorted(apart)}
    groups = {f"group {name}": ["--group", name] for name in project.get("dependency-groups", {})}
    return {"the package and its extras": together, **others, **groups}


def without_wheels(path: Path, what: str, options: list[str], platform: Platform) -> str:
    """Why a set does not install from wheels on a platform; nothing where it does."""
    command = [sys.executable, "-m", "uv", "pip", "compile", "--quiet", str(path), *options, "--no-header"]
    command += ["--python-version", PYTHON, "--python-platform", platform.triple, "--only-binary", ":all:"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=path.parent)
    if done.returncode == 0:
        return ""
    if "No solution found" not in done.stderr or "network was disabled" in done.stderr:
        raise Unreachable(done.stderr.strip().partition("\n")[0])
    return f"{what} on {platform.name}: no wheels\n    " + done.stderr.strip().replace("\n", "\n    ")


def faults(path: Path, platforms: Iterable[Platform] = PLATFORMS) -> list[str]:
    """All that keeps a `pyproject.toml` from installing on every platform."""
    project = tomllib.loads(path.read_text(encoding="utf-8"))
    if result := list(one_sided(project, platforms)):
        return result
    jobs = [
        (what, options, platform)
        for what, options in asked(project).items()
        for platform in platforms
        if (what, platform.name) not in NOT_THERE
    ]
    with ThreadPoolExecutor(max_workers=2) as pool:
        return [results for results in pool.map(lambda job: without_wheels(path, *job), jobs) if results]


def check(path: Path, environ: Mapping[str, str] = os.environ) -> int:
    """Check, say what was found, and answer with an exit status."""
    content = sha256(path.read_bytes() + Path(__file__).read_bytes()).hexdigest()
    kept = path.parent / KEPT
    if kept.exists() and content == kept.read_text(encoding="utf-8"):
        return 0
    try:
        result = faults(path)
    except Unreachable as error:
        print(f"platforms: not checked, no package registry answers ({error})", file=sys.stderr)
        return int("CI" in environ)
    for item in result:
        print(f"platforms: {item}", file=sys.stderr)
    if not result:
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(content, encoding="utf-8")
    return int(bool(result))


if __name__ == "__main__":
    sys.exit(check(ROOT / "pyproject.toml"))
