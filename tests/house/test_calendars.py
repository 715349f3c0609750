"""The generated files of the language packs are what CLDR and the table of holidays say now."""

from __future__ import annotations

import subprocess
import sys

from tests.house.source import ROOT


def test_calendars_are_fresh() -> None:
    """`make calendars` would change nothing."""
    check = [sys.executable, str(ROOT / "tools" / "write_calendars.py"), "--check"]
    answer = subprocess.run(check, capture_output=True, text=True, check=False)

    assert (0, "") == (answer.returncode, answer.stdout.strip())
