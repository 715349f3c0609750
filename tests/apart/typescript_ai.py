"""The TypeScript client with packages of npm: types by `tsc`, and the Vercel AI SDK; `make typescript` runs this.

Apart from the other tests, because npm's registry, or its cache, has to be there.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.doors.conftest import Running, settings_of
from tests.doors.test_typescript import NODE
from tools.write_typescript import FOLDER

SHOWN = 6000


@pytest.fixture
def environment(tmp_path: Path) -> Iterator[dict[str, str]]:
    """A server and a key to it, as the client's tests want them."""
    running = Running(settings_of(tmp_path)).start()
    running.tenant("typescript")
    key = running.key("service", tenant="typescript")
    yield {**os.environ, "REMEMORA_URL": running.address, "REMEMORA_KEY": key}
    running.stop()


def ran(*words: str, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run Node in the folder of the client."""
    return subprocess.run(
        [str(NODE), *words],
        cwd=FOLDER,
        env=environment,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )


@pytest.mark.parametrize("project", ["test", "examples"])
def test_the_types_are_right(project: str) -> None:
    """The declarations hold by themselves, fit how the client is used, and fit the types of the AI SDK."""
    done = ran("node_modules/typescript/bin/tsc", "--project", project)

    assert (0, "") == (done.returncode, done.stdout[-SHOWN:] + done.stderr[-SHOWN:])


def test_the_middleware_works_in_the_ai_sdk(environment: dict[str, str]) -> None:
    """Both versions of `ai` that are supported, with their own objects and a scripted model."""
    done = ran("--test", "test/ai.test.js", environment=environment)

    assert 0 == done.returncode, done.stdout[-SHOWN:] + done.stderr[-SHOWN:]
    assert "pass 8" in done.stdout


def test_the_example_runs(environment: dict[str, str]) -> None:
    """What the first conversation tells is known in the second."""
    done = ran("examples/ai.ts", environment=environment)
    first, second = done.stdout.strip().splitlines()

    assert "nothing is known" in first
    assert "aisle" in second.partition("->")[2]
