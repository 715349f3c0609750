"""An engine whose package is not installed is refused by the name of its extra, before anything is opened."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

WITHOUT = """
import asyncio, sys
sys.modules[sys.argv[1]] = None
from rememora import Rememora, Settings
from rememora.errors import MissingExtra
from rememora.testing import WordEmbedder

async def main():
    settings = Settings.load({"store.url": ":memory:", sys.argv[2]: sys.argv[3]}, environ={})
    try:
        await Rememora.open(settings=settings, embedder=WordEmbedder())
    except MissingExtra as error:
        print(error.extra)

asyncio.run(main())
"""


@pytest.mark.parametrize(
    ("package", "setting", "value", "extra"),
    [
        ("pymongo", "missions.url", "mongodb://127.0.0.1", "mongo"),
        ("duckdb", "recall.vectors", "duckdb:///vectors.duckdb", "duckdb"),
    ],
)
def test_the_extra_is_named(tmp_path: Path, package: str, setting: str, value: str, extra: str) -> None:
    """What to install is in the error."""
    command = [sys.executable, "-c", WITHOUT, package, setting, value]
    answer = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)

    assert f"{extra}\n" == answer.stdout
