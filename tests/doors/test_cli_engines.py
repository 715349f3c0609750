"""What the terminal says about engines beside the store: whether they answer, and what they cannot do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.engines.mongo import fresh_mongo
from tests.engines.process import free_port
from typer.testing import CliRunner

from rememora.cli import app


@pytest.fixture
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A store that is there, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REMEMORA_RECALL_EMBEDDER", "none")
    CliRunner().invoke(app, ["tenants", "create", "acme", "--url", str(tmp_path / "store")])
    return str(tmp_path / "store")


def findings(url: str) -> dict[str, str]:
    """What the doctor says of settings, by their name."""
    done = CliRunner().invoke(app, ["doctor", "--json", "--url", url])
    items: list[dict[str, Any]] = json.loads(done.stdout)
    return {name: item["state"] for item in items for name, _, rest in [item["what"].partition(":")] if rest}


def test_the_doctor_asks_the_mission_store(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A MongoDB that answers is well; one that is not there is a fault."""
    monkeypatch.setenv("REMEMORA_MISSIONS_URL", fresh_mongo())
    assert "ok" == findings(url)["missions.url"]
    away = f"mongodb://127.0.0.1:{free_port()}/?serverSelectionTimeoutMS=100"
    monkeypatch.setenv("REMEMORA_MISSIONS_URL", away)
    assert "fail" == findings(url)["missions.url"]


def test_the_doctor_asks_the_file_of_vectors(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that can be opened is well; one that is none is named."""
    monkeypatch.setenv("REMEMORA_RECALL_EMBEDDER", "offline")
    monkeypatch.setenv("REMEMORA_RECALL_VECTORS", f"duckdb:///{tmp_path}/v.duckdb")
    assert "ok" == findings(url)["recall.vectors"]
    (tmp_path / "v.duckdb").write_bytes(b"not a database" * 1000)
    assert "warn" == findings(url)["recall.vectors"]


def test_a_duckdb_file_is_not_served_by_several(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """More processes than one are refused at start, not when the first of them searches."""
    monkeypatch.setenv("REMEMORA_RECALL_VECTORS", f"duckdb:///{tmp_path}/v.duckdb")
    done = CliRunner().invoke(app, ["serve", "--url", url, "--processes", "2", "--port", "0"])

    assert "server.processes" in str(done.exception)
