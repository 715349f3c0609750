"""What every test may ask for: a clock that stands still, settings free of this machine, an open memory."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import tests.bytecode  # noqa: F401  (keeps bytecode of what is imported from here on)
from argon2 import PasswordHasher
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from tests.attacks.counts import counted
from tests.calm import CALM
from tests.clock import SetClock
from tests.engines.postgres import postgres_url
from tests.engines.used import engines

from rememora import Conversation, Rememora, Settings, UserMemory
from rememora.adapters import passwords
from rememora.reading import encoders as reading_encoders
from rememora.server.heap import freeze_loaded
from rememora.userindex import columns

# Read where mem0 is imported: no test tells anybody that it ran.
os.environ["MEM0_TELEMETRY"] = "False"
hypothesis_settings.register_profile(
    "house",
    deadline=None,
    # What continuous integration says of a commit hangs on the commit alone; whoever works on it looks further.
    derandomize="CI" in os.environ,
    max_examples=50,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
hypothesis_settings.load_profile("house")


@pytest.fixture(autouse=True, scope="session")
def small_columns() -> Iterator[None]:
    """Layouts grow after a few rows, so that tests of few rows see them grow."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns, "FIRST_ROWS", 4)
        yield


@pytest.fixture(autouse=True, scope="session")
def cheap_passwords() -> Iterator[None]:
    """A hash costs what strangers shall pay for a guess; tests sign in some hundred times and guess nothing.

    What the product asks for is held by `tests/unit/test_passwords.py`.
    """
    with pytest.MonkeyPatch.context() as patch:
        hasher = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1)
        patch.setattr(passwords, "_hasher", lambda: hasher)
        yield


@pytest.fixture
def clock() -> SetClock:
    """A clock that a test moves by hand."""
    return SetClock()


ON_BOTH = {
    "test_concurrency",
    "test_damaged",
    "test_forked",
    "test_keep",
    "test_signing_key",
    "test_visibility",
}
"""Scenarios that always run on both SQL engines; `--engine postgres` lets the others run there too."""


SLOWEST_SECONDS = 3600
"""After which a slow test hangs; for the others `pyproject.toml` says it."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--engine", choices=["folder", "postgres"], default="folder", help="where scenarios live")


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart() -> None:
    """Choose the engines in the first process of a run, before its workers start and take them over."""
    engines()


def pytest_report_header() -> list[str]:
    """Which engines the tests use, and which packages of engines are broken on this machine."""
    return engines()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what the attacks counted.

    Here and not beside them: where workers run the tests, the process that prints loads only this file.
    """
    lines = counted(report for item in terminalreporter.stats.values() for report in item).lines()
    if lines:
        terminalreporter.section("attacks")
        for line in lines:
            terminalreporter.write_line(line)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("slow") is not None:
            item.add_marker(pytest.mark.timeout(SLOWEST_SECONDS))
    if config.getoption("engine") != "folder":
        items[:] = [item for item in items if item.get_closest_marker("embedded") is None]


def pytest_collection_finish() -> None:
    """Leave what all the tests have loaded, some two million objects, out of garbage collections."""
    freeze_loaded()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    chosen = metafunc.config.getoption("engine") == "folder" and not (
        _is_embedded(metafunc) or _names_engines(metafunc)
    )
    if chosen and metafunc.module.__name__.rpartition(".")[2] in ON_BOTH and "settings" in metafunc.fixturenames:
        metafunc.parametrize("settings", ["folder", "postgres"], indirect=True)


def _is_embedded(metafunc: pytest.Metafunc) -> bool:
    return any(mark.name == "embedded" for mark in metafunc.definition.iter_markers())


def _names_engines(metafunc: pytest.Metafunc) -> bool:
    marks = metafunc.definition.iter_markers("parametrize")
    names = [mark.args[0] if mark.args else mark.kwargs["argnames"] for mark in marks]
    return any("settings" in (name.replace(",", " ").split() if isinstance(name, str) else name) for name in names)


@pytest.fixture
def overrides() -> dict[str, object]:
    """Settings that are not the defaults, for tests that override this."""
    return {}


@pytest.fixture
def settings(request: pytest.FixtureRequest, tmp_path: Path, overrides: dict[str, object]) -> Iterator[Settings]:
    """What is wanted, in a folder of the test's own or a database of its own, whatever the environment says."""
    if getattr(request, "param", request.config.getoption("engine")) == "folder":
        yield Settings.load({"store.url": str(tmp_path / "store"), **CALM, **overrides}, environ={})
        return
    with postgres_url() as url:
        yield Settings.load({"store.url": url, "store.key_folder": str(tmp_path), **CALM, **overrides}, environ={})


@pytest.fixture
async def rememora(settings: Settings, clock: SetClock) -> AsyncIterator[Rememora]:
    """An open memory without background loops: `settle()` does what they would do."""
    async with Rememora.open(settings=settings, clock=clock, background=False) as opened:
        yield opened


@pytest.fixture
def ana(rememora: Rememora) -> UserMemory:
    """A user without any right beyond her own memory."""
    return rememora.user("ana", tenant="acme")


@pytest.fixture
def chat(ana: UserMemory) -> Conversation:
    """A conversation of that user."""
    return ana.conversation("c1")


@pytest.fixture(autouse=True)
def _encoders_taken_back() -> Iterator[None]:
    """Take back what a test that closes no memory left lent to the reader: later readings would depend on it."""
    encoders = reading_encoders._encoders
    before = encoders._lent
    yield
    if len(encoders._lent) > len(before):
        encoders._lent = before
        encoders._tell()
