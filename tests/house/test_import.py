"""`import rememora` is light: it loads no engine, no web framework, no model."""

from __future__ import annotations

import json
import subprocess
import sys

LOADED = """
import json, sys
before = set(sys.modules)
import rememora
print(json.dumps(sorted({name.partition(".")[0] for name in set(sys.modules) - before})))
"""
ALLOWED = {"msgspec", "rememora", "typing_extensions"}


def test_import_loads_no_engine_beyond_sqlite3() -> None:
    """Of other people's packages only msgspec comes with it, and nothing runs at import."""
    answer = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    loaded = set(json.loads(answer.stdout))

    assert "sqlite3" in loaded
    assert set() == loaded - sys.stdlib_module_names - ALLOWED
    assert "" == answer.stderr


def test_import_starts_no_thread_and_touches_no_file() -> None:
    """A program that only imports it is as it was."""
    code = "import os, threading, rememora; print(threading.active_count(), os.listdir())"
    answer = subprocess.run(
        [sys.executable, "-c", f"import os, tempfile; os.chdir(tempfile.mkdtemp()); {code}"],
        capture_output=True,
        text=True,
        check=True,
    )

    assert "1 []\n" == answer.stdout
