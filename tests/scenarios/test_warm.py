"""A server loads what search computes with before anybody has to wait for it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

WARMING = """
import asyncio, sys
from rememora import Rememora, Settings

async def main():
    settings = Settings.load({"store.url": sys.argv[1], "recall.embedder": "none"}, environ={})
    async with Rememora.open(settings=settings, background=False) as rememora:
        before = "numpy" in sys.modules
        await rememora.warm()
        print(before, "numpy" in sys.modules)

asyncio.run(main())
"""


def test_warming_loads_what_the_first_search_needs(tmp_path: Path) -> None:
    """Opening loads none of it, so that a script stays quick; a server asks for it as it starts."""
    command = [sys.executable, "-c", WARMING, str(tmp_path / "store")]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)

    assert "False True\n" == answer.stdout
