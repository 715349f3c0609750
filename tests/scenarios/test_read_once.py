"""Each message of a turn is read by the network once, whoever asks what it says."""

from __future__ import annotations

import json
import subprocess
import sys

from tests.house.source import ROOT
from tests.scenarios.reading_calls import TURNS


def test_a_message_of_a_turn_is_read_at_most_once() -> None:
    """The gate, requests to memory, comparison and the answer take one reading, of one form of the message."""
    program = [sys.executable, "-m", "tests.scenarios.reading_calls"]
    done = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    counts = dict(zip(TURNS, json.loads(done.stdout), strict=True))
    assert {} == {text: count for text, count in counts.items() if count > 1}
    # Wishes and answers that frames know by their words cost none; of an erasure the rest of its wish is read.
    assert [TURNS[-4], *TURNS[-2:]] == [text for text, count in counts.items() if not count]
