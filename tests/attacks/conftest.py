"""The fixture that counts, and the lines that a run ends with."""

from __future__ import annotations

from collections.abc import Generator

import pytest
from tests.attacks.counts import Counts, Probe

_SECTION = "attack_counts"


@pytest.fixture
def probe(request: pytest.FixtureRequest) -> Probe:
    """Counts the tries of a test; any that did not hold fails it."""
    return Probe(request.node.name.removeprefix("test_").partition("[")[0])


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Note what a probe counted, and fail where a try did not hold."""
    probing = pyfuncitem.funcargs.get("probe")
    try:
        result = yield
    finally:
        if isinstance(probing, Probe):
            # Carried by the report, so that the process that prints knows what its workers counted.
            pyfuncitem.user_properties.append((_SECTION, [probing.name, probing.tries, len(probing.failed)]))
    if isinstance(probing, Probe):
        assert not probing.failed, f"{len(probing.failed)} tries did not hold, such as {probing.failed[:5]}"
    return result


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what the probes counted."""
    counts = Counts()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if getattr(report, "when", "") == "teardown":
                for section, told in getattr(report, "user_properties", ()):
                    if section == _SECTION:
                        counts.add(told[0], tries=told[1], failures=told[2])
    if counts.tries:
        terminalreporter.section("attacks")
        for line in counts.lines():
            terminalreporter.write_line(line)
