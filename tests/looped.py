"""A grid of cases as a loop inside one test: every case runs, and all that fail are reported together.

A drop-in for `pytest.mark.parametrize` where a grid has hundreds of cheap cases, each of which would otherwise pay
for collection, fixtures and reporting of its own. Fixtures are made once for all cases, so that a case must not
depend on what another left behind; `fresh` gives each one a value of its own.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

import pytest

Test = Callable[..., Any]
FAILING = (Exception, pytest.fail.Exception)
SHOWN = 40


def looped(
    names: str | Sequence[str],
    values: Iterable[Any],
    ids: Iterable[str] | None = None,
    fresh: Callable[[Any], Any] | None = None,
) -> Callable[[Test], Test]:
    """Run a test for each value, with the arguments of `pytest.mark.parametrize`."""
    arguments = [part.strip() for part in names.split(",")] if isinstance(names, str) else list(names)
    cases = list(values)
    labels = list(ids) if ids is not None else [repr(case) for case in cases]
    assert cases, "a loop without cases proves nothing"

    def given(case: Any) -> dict[str, Any]:
        value = case if fresh is None else fresh(case)
        return {arguments[0]: value} if len(arguments) == 1 else dict(zip(arguments, value, strict=True))

    def decorate(test: Test) -> Test:
        signature = inspect.signature(test)
        missing = set(arguments) - set(signature.parameters)
        assert not missing, f"{test.__name__} takes no {', '.join(sorted(missing))}"

        if inspect.iscoroutinefunction(test):

            @wraps(test)
            async def run(**fixtures: Any) -> None:
                failed = _Failed(len(cases))
                for label, case in zip(labels, cases, strict=True):
                    try:
                        await test(**fixtures, **given(case))
                    except FAILING as error:
                        failed.add(label, error)
                failed.report()
        else:

            @wraps(test)
            def run(**fixtures: Any) -> None:
                failed = _Failed(len(cases))
                for label, case in zip(labels, cases, strict=True):
                    try:
                        test(**fixtures, **given(case))
                    except FAILING as error:
                        failed.add(label, error)
                failed.report()

        kept = [parameter for name, parameter in signature.parameters.items() if name not in arguments]
        vars(run)["__signature__"] = signature.replace(parameters=kept)
        return run

    return decorate


class _Failed:
    """The cases that failed, of so many."""

    def __init__(self, cases: int) -> None:
        self._cases = cases
        self._errors: list[tuple[str, BaseException]] = []

    def add(self, label: str, error: BaseException) -> None:
        self._errors.append((label, error))

    def report(self) -> None:
        """Fail with every case, and with the traceback of the first."""
        if not self._errors:
            return
        lines = [f"[{label}] {type(error).__name__}: {error}" for label, error in self._errors[:SHOWN]]
        if len(self._errors) > SHOWN:
            lines.append(f"… and {len(self._errors) - SHOWN} more")
        said = f"{len(self._errors)} of {self._cases} cases fail:\n" + "\n".join(lines)
        raise AssertionError(said) from self._errors[0][1]
