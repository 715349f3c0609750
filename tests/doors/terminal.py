"""A terminal on a store of the test's own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from rememora.cli import app

ANA = ("--tenant", "acme", "--user", "ana")


class Terminal:
    """Runs commands on one store."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, *words: str) -> Result:
        """A command on the store."""
        return CliRunner().invoke(app, [*words, "--url", str(self.folder)])

    def answer(self, *words: str) -> Any:
        """What a command says as JSON."""
        done = self.run(*words, "--json")

        assert 0 == done.exit_code, done.output
        return json.loads(done.stdout)
