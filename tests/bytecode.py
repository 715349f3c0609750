"""Keep compiled modules through a test run, also where the environment says that none are written.

A run imports the same thousand modules in two workers and some hundred child processes; where
`PYTHONDONTWRITEBYTECODE` is set, each of these would compile them anew, which costs more than most tests.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

FOLDER = Path(__file__).parents[1] / ".cache/bytecode"
"""One folder that version control ignores and `make clean` removes, so that nothing lies beside the sources."""


if sys.dont_write_bytecode:
    # At import, since every import after this one counts; the processes that a run starts take it over.
    sys.dont_write_bytecode = False
    sys.pycache_prefix = os.environ["PYTHONPYCACHEPREFIX"] = str(FOLDER)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
