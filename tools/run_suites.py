"""Run frameworks' own test suites against our integrations, from checkouts that lie beside this project.

    python tools/run_suites.py FOLDER [SUITE …]

FOLDER holds checkouts by name, as in FOLDER/langgraph; nothing of them is copied. A suite whose checkout is not
there is left out, and said. What of a suite does not apply stands here with its reason.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PLUGINS = ROOT / "tools" / "suites"


@dataclass(frozen=True)
class Suite:
    """Part of a framework's tests: where it lies, which plugin puts us in place, and what does not apply."""

    name: str
    checkout: str
    folder: str
    files: tuple[str, ...]
    plugin: str = ""
    chosen: str = ""
    """Which of its tests are run, as an expression for `-k`; all of them where it says nothing."""
    tests: tuple[str, ...] = ()
    """Tests of ours that run what is in the checkout, where it is no test itself."""
    environment: str = ""
    """A virtual environment of its own, below the project; `make` builds it."""
    conftest: bool = True
    """Whether its own set-up is loaded; one that needs packages of its developers is not."""
    installed: bool = False
    """Whether the tests look at the installed package, and not at the one that lies in the checkout."""
    left_out: Mapping[str, str] = field(default_factory=dict)


SUITES = (
    Suite(
        name="langgraph-store",
        checkout="langgraph",
        folder="libs/checkpoint-sqlite",
        files=("tests/test_store.py", "tests/test_async_store.py", "tests/test_ttl.py"),
        plugin="langgraph_plugin",
        left_out={
            "tests/test_store.py::test_vector_store_initialization": "looks for tables of its SQLite file",
            "tests/test_store.py::test_nonnull_migrations": "reads its SQLite migrations",
        },
    ),
    Suite(
        name="langgraph-namespaces",
        checkout="langgraph",
        folder="libs/checkpoint",
        files=("tests/test_store.py",),
        plugin="langgraph_plugin",
        installed=True,
    ),
    Suite(
        name="crewai-memory",
        checkout="crewAI",
        folder="lib/crewai",
        files=("tests/memory/test_unified_memory.py", "tests/memory/test_memory_root_scope.py"),
        plugin="crewai_plugin",
        conftest=False,
        environment=".cache/crewai",
    ),
    Suite(
        name="pydantic-ai-memory",
        checkout="pydantic-ai-harness",
        folder=".",
        files=("tests/memory/test_stores.py",),
        plugin="harness_plugin",
        conftest=False,
        installed=True,
        # Each test of the contract runs on three stores; ours stands in the place of the third.
        chosen="(local_store and 2) or sqlite_store_serializes_cas or public_protocols",
    ),
    Suite(
        name="mcp-conformance",
        # No checkout: `npm install @modelcontextprotocol/conformance` in this folder.
        checkout="mcp-conformance",
        folder=".",
        files=("node_modules/@modelcontextprotocol/conformance/dist/index.js",),
        tests=(str(PLUGINS / "mcp_conformance.py"),),
    ),
    Suite(
        name="mem0-pages",
        checkout="mem0",
        folder=".",
        files=("README.md",),
        tests=(str(PLUGINS / "mem0_pages.py"),),
    ),
)


def command(suite: Suite) -> list[str]:
    """Return what runs a suite in its checkout, with nothing of its own configuration but the tests."""
    left_out = [word for test in suite.left_out for word in ("--deselect", test)]
    # Nothing of their configuration is taken: no other plugin for coroutines, no warnings as errors.
    plain = ("asyncio_mode=auto", "anyio_mode=strict", "addopts=", "filterwarnings=default")
    settings = [word for item in plain for word in ("-o", item)]
    settings += ["-p", "no:cacheprovider", "--timeout", "300"]
    python = str(ROOT / suite.environment / "bin/python") if suite.environment else sys.executable
    plugin = ["-p", suite.plugin] if suite.plugin else []
    some = ["-k", suite.chosen] if suite.chosen else []
    some += [] if suite.conftest else ["--noconftest"]
    some += ["--import-mode=importlib"] if suite.installed else []
    start = [python, *(["-P"] if suite.installed else []), "-m", "pytest", "-q"]
    return [*start, *plugin, *settings, *some, *left_out, *(suite.tests or suite.files)]


def chosen(folder: Path, names: list[str]) -> Iterator[Suite]:
    """Yield the suites that are asked for and whose checkout is there; say which are not."""
    for suite in SUITES:
        if names and suite.name not in names:
            continue
        if (folder / suite.checkout / suite.folder / suite.files[0]).is_file():
            yield suite
        else:
            print(f"{suite.name}: no checkout at {folder / suite.checkout}; left out")


def main() -> int:
    """Run them one by one; the exit status says whether all passed."""
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    folder, failed = Path(sys.argv[1]).resolve(), 0
    for suite in chosen(folder, sys.argv[2:]):
        print(f"== {suite.name}", flush=True)
        for test, why in suite.left_out.items():
            print(f"   left out: {test} ({why})", flush=True)
        paths = os.pathsep.join(filter(None, (str(PLUGINS), os.environ.get("PYTHONPATH"))))
        environment = {**os.environ, "PYTHONPATH": paths}
        done = subprocess.run(
            command(suite), cwd=folder / suite.checkout / suite.folder, env=environment, check=False
        )
        failed |= done.returncode
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
