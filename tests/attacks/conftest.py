"""The fixture that counts; `tests/conftest.py` prints what was counted."""

from __future__ import annotations

from collections.abc import Generator

import pytest
from tests.attacks.counts import SECTION, Probe


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
            pyfuncitem.user_properties.append((SECTION, [probing.name, probing.tries, len(probing.failed)]))
    if isinstance(probing, Probe):
        assert not probing.failed, f"{len(probing.failed)} tries did not hold, such as {probing.failed[:5]}"
    return result
