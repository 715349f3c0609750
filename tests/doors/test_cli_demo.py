"""The demo: what a newcomer sees first runs offline, ends by itself, and shows every promise kept."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from rememora.cli import app

SHOWN = (
    "Olá, Ana!",
    "ana (voz)",
    "you live in Recife",
    "score",
    "user.location = Recife (deprecated)",
    "user.location = Olinda (active)",
    "seu aniversário é 12 de março",
    "Esqueci: ",
    "Não guardei nada",
    "in quarantine",
    "Contém dados de cartão",
    "the last 4 turns",
    "older messages",
    "of 1000 tokens",
)


def test_the_demo_shows_each_promise_kept_in_order(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """By words alone as with meaning; a second time on the same folder it goes through as well."""
    monkeypatch.setenv("REMEMORA_RECALL_EMBEDDER", "none")
    monkeypatch.setenv("REMEMORA_CONTEXT_DEADLINE_MS", "20000")
    result = CliRunner().invoke(app, ["demo", "--no-ask", "--url", str(tmp_path / "store")])
    again = CliRunner().invoke(app, ["demo", "--no-ask", "--url", str(tmp_path / "store")])
    places = [result.stdout.find(item) for item in SHOWN]

    assert (0, 0) == (result.exit_code, again.exit_code)
    assert -1 not in places
    assert sorted(places) == places
    assert "" == result.stderr


def test_the_parts_of_a_score_add_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As printed, with what is too small for a name of its own."""
    monkeypatch.setenv("REMEMORA_RECALL_EMBEDDER", "none")
    result = CliRunner().invoke(app, ["demo", "--json", "--url", str(tmp_path / "store")])
    [why] = [line for line in result.stdout.splitlines() if "score" in line]
    score, *parts = [float(number) for number in re.findall(r"-?\d\.\d\d\b", json.loads(why)["text"])]

    assert "other" in why
    assert len(parts) > 1
    assert score == pytest.approx(sum(parts))
