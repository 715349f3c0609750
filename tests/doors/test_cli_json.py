"""What goes on for long speaks JSON a line at a time, and a table cuts no id."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from rememora.cli import app
from rememora.cli.opened import print_rows

PROGRAM = str(Path(sys.executable).with_name("rememora"))
ID = "0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b"


def begin(folder: Path, *words: str) -> subprocess.Popen[str]:
    """A command as a process, on a store of its own."""
    environment = {**os.environ, "REMEMORA_RECALL_EMBEDDER": "none", "REMEMORA_TELEMETRY_LOG_LEVEL": "error"}
    return subprocess.Popen(
        [PROGRAM, *words, "--url", str(folder / "store"), "--json"],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )


def lines_of(process: subprocess.Popen[str], until: str) -> list[dict[str, Any]]:
    """What it says, up to an event of a name."""
    assert process.stdout is not None
    items: list[dict[str, Any]] = []
    for line in process.stdout:
        items.append(json.loads(line))
        if items[-1]["event"] == until:
            break
    return items


def test_serve_and_work_say_what_they_do_a_line_at_a_time(tmp_path: Path) -> None:
    """A first run with its secrets, where it serves, and that it stopped; the same of the background loops."""
    server = begin(tmp_path, "serve", "--port", "0")
    first, owner, serving = lines_of(server, "serving")
    server.send_signal(signal.SIGINT)
    ended = lines_of(server, "stopped")
    worker = begin(tmp_path, "work")
    [working] = lines_of(worker, "working")
    worker.send_signal(signal.SIGTERM)

    assert ("first_run", "home") == (first["event"], first["tenant"])
    assert all(first[f"{role}_key"].startswith("rem_") for role in ("service", "admin", "operator"))
    assert first["link"].startswith(f"{serving['address']}/me?link=")
    assert owner["link"].startswith(f"{serving['address']}/invitation?token=rmi_")
    assert [{"event": "stopped"}] == ended
    assert 0 == server.wait(60)
    assert [] == working["modules"]
    assert [{"event": "stopped"}] == lines_of(worker, "stopped")
    assert 0 == worker.wait(60)


def test_the_demo_can_be_read_by_a_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Scenes, what is said, what memory answers, and what happens behind it, each a line."""
    monkeypatch.setenv("REMEMORA_RECALL_EMBEDDER", "none")
    done = CliRunner().invoke(app, ["demo", "--json", "--url", str(tmp_path / "store")])
    documents = [json.loads(line) for line in done.stdout.splitlines()]

    assert 0 == done.exit_code
    assert {"scene", "said", "answered", "aside"} == {item["event"] for item in documents}
    assert 7 == sum(item["event"] == "scene" for item in documents)


def test_a_table_cuts_no_id(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """On eighty columns ids stand whole on one line; words give way."""
    monkeypatch.setenv("COLUMNS", "80")
    words = "many words that would fill the whole width of a terminal and more than that " * 2
    print_rows(("id", "conversation", "what"), [(ID, ID, words), (ID, None, "")])
    shown = capsys.readouterr().out

    assert 3 == shown.count(ID)
    assert "terminal" in shown


def test_dead_letters_are_listed_and_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is dead here: an empty list, and none to try."""
    monkeypatch.setenv("REMEMORA_RECALL_EMBEDDER", "none")
    place = ("--url", str(tmp_path / "store"), "--json")
    CliRunner().invoke(app, ["tenants", "create", "acme", *place])
    listed = CliRunner().invoke(app, ["events", "dead", "--tenant", "acme", *place])
    again = CliRunner().invoke(app, ["events", "dead", "--tenant", "acme", "--retry", *place])

    assert [] == json.loads(listed.stdout)
    assert {"retried": 0} == json.loads(again.stdout)
