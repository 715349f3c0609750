"""`rememora doctor` on the Redis that the settings name."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from tests.engines.redis import running, shared_cluster, shared_redis
from typer.testing import CliRunner

from rememora.cli import app

NOBODY = "redis://127.0.0.1:1/0"


def findings(folder: Path, monkeypatch: pytest.MonkeyPatch, **urls: str) -> dict[str, str]:
    """What the doctor says of Redis, and how it takes it."""
    for name, url in urls.items():
        monkeypatch.setenv(f"REMEMORA_{name.upper()}_URL", url)
    answer = CliRunner().invoke(app, ["doctor", "--url", str(folder / "store"), "--json"])
    result = msgspec.json.decode(answer.stdout)
    return {
        item["what"]: item["state"]
        for item in result
        if "redis.url" in item["what"] or "missions." in item["what"]
    }


@pytest.mark.parametrize("url", [shared_redis, shared_cluster])
def test_one_that_answers_is_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: object) -> None:
    """Its version and how long it took, beside the store and for missions, alone and as a cluster."""
    assert callable(url)
    result = findings(tmp_path, monkeypatch, redis=url(), missions=url())

    assert {"ok"} == set(result.values())
    assert 2 == sum("answers in" in what for what in result)


def test_one_that_is_away_costs_the_cache_or_the_missions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its cache a store goes on; without their Redis missions do not."""
    result = findings(tmp_path, monkeypatch, redis=NOBODY, missions=NOBODY)

    assert ["warn", "fail"] == list(result.values())


def test_one_that_writes_missions_to_disk_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So is one whose limit makes it refuse."""
    arguments = ("--appendonly", "yes", "--maxmemory", "64mb", "--maxmemory-policy", "noeviction")
    with running(tmp_path / "redis", *arguments) as engine:
        result = findings(tmp_path, monkeypatch, redis=engine.url, missions=engine.url)

    assert ["ok", "warn", "ok", "warn"] == list(result.values())
