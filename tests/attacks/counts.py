"""What the probes of a run counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

SECTION = "attack_counts"
"""The property of a report that carries what its test counted."""


class Counts:
    """Tries and failures by the name of the probe."""

    def __init__(self) -> None:
        self.tries: Counter[str] = Counter()
        self.failures: Counter[str] = Counter()

    def add(self, name: str, *, tries: int, failures: int) -> None:
        """Count some tries."""
        self.tries[name] += tries
        self.failures[name] += failures

    def lines(self) -> list[str]:
        """A line for each probe."""
        width = max(map(len, self.tries), default=0)
        return [
            f"{name:<{width}}  {self.tries[name]:>6} tries  {self.failures[name]:>4} failed" for name in self.tries
        ]


def counted(reports: Iterable[Any]) -> Counts:
    """What the tests of these reports counted, whichever process ran them."""
    counts = Counts()
    for report in reports:
        if getattr(report, "when", "") == "teardown":
            for section, reply in getattr(report, "user_properties", ()):
                if section == SECTION:
                    counts.add(reply[0], tries=reply[1], failures=reply[2])
    return counts


class Probe:
    """Counts the tries of one test, and remembers which did not hold."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.tries = 0
        self.failed: list[str] = []

    def __call__(self, held: bool, what: object = "") -> None:
        """Count a try; `what` names it where it did not hold."""
        self.tries += 1
        if not held:
            self.failed.append(str(what))

    def all(self, tries: int, wrong: str) -> None:
        """Count tries that are looked at together; `wrong` says why they did not hold, or nothing."""
        self.tries += tries
        if wrong:
            self.failed.append(wrong)
