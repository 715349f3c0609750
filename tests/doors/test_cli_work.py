"""Tasks, events and tenants from the terminal, and `rememora work` as a process that does a module's work."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.doors.terminal import ANA
from typer.testing import CliRunner

from rememora import SyncRememora
from rememora.cli import app

CRM = "mod-02-whatsapp-crm"
SENDING = json.dumps({"to": "+5511987654321", "text": "oi"})
DOES = """
def send(task):
    return f"sent to {task.payload['to']}"
"""
WAITED_SECONDS = 60


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with a store in it that has one tenant."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REMEMORA_RECALL_EMBEDDER", "none")
    said("tenants", "create", "acme")
    return tmp_path


def said(*words: str) -> Any:
    """What a command answers as JSON."""
    done = CliRunner().invoke(app, [*words, "--json"])

    assert 0 == done.exit_code, done.output
    return json.loads(done.stdout)


def test_a_task_from_its_beginning_to_its_end(folder: Path) -> None:
    """Delegated, listed, claimed, completed; what is claimed is gone, and a user sees the result."""
    task = said("tasks", "delegate", CRM, "message.send", SENDING, *ANA, "--correlation", "p7")
    listed = said("tasks", "list", *ANA)
    held = said("tasks", "claim", CRM, "--tenant", "acme")
    nothing = said("tasks", "claim", CRM, "--tenant", "acme")
    ended = ("--tenant", "acme", "--lease", held["lease"], "--summary", "ok", "--result", '{"n": 1}')
    done = said("tasks", "complete", task["id"], *ended)

    assert ([task["id"]], task["id"], None) == ([item["id"] for item in listed], held["task"]["id"], nothing)
    assert ("completed", {"n": 1}, "p7") == (done["status"], done["result"], done["correlation"])
    assert done == said("tasks", "show", task["id"], *ANA)


def test_a_task_can_fail_or_be_taken_back(folder: Path) -> None:
    """A code says why; a cancelled one is given out no more; everybody's list has no content."""
    said("tasks", "delegate", CRM, "message.send", SENDING, *ANA)
    held = said("tasks", "claim", CRM, "--tenant", "acme")
    failed = said(
        "tasks", "fail", held["task"]["id"], "--tenant", "acme", "--lease", held["lease"], "--error", "no_route"
    )
    other = said("tasks", "delegate", CRM, "message.send", SENDING, *ANA)
    said("tasks", "cancel", other["id"], *ANA)
    everybody = said("tasks", "list", "--tenant", "acme")

    assert ("failed", "no_route") == (failed["status"], failed["error"])
    assert said("tasks", "claim", CRM, "--tenant", "acme") is None
    assert [("cancelled", {}), ("failed", {})] == [(item["status"], item["payload"]) for item in everybody]


def test_events_are_tailed_one_a_line(folder: Path) -> None:
    """Each event once, in order, from after a position on; as lines for people, as JSON for programs."""
    said("tasks", "delegate", CRM, "message.send", SENDING, *ANA)
    said("remember", "user.name", "Ana", *ANA)
    listed = said("events", "list", "--tenant", "acme")
    tail = ("events", "tail", "--tenant", "acme", "--no-follow")
    lines = CliRunner().invoke(app, [*tail, "--json"]).stdout.splitlines()
    rest = CliRunner().invoke(app, [*tail, "--after", "1"]).stdout.splitlines()

    assert listed == [json.loads(line) for line in lines]
    assert len(listed) - 1 == len(rest)
    assert "memory.save_attempt" in rest[-1]


def test_a_subscriber_hears_again(folder: Path) -> None:
    """After `events replay` what was heard is offered once more; a name that nobody has is refused."""
    heard: list[str] = []
    with SyncRememora.open(str(folder / "rememora-data"), background=False) as rememora:
        rememora.events.subscribe("mail", lambda event: heard.append(event.id), from_start=True)
        rememora.user("ana", tenant="acme").tasks.delegate(CRM, "message.send", json.loads(SENDING))
        rememora.settle()
    once = list(heard)
    answer = said("events", "replay", "mail", "--tenant", "acme")
    with SyncRememora.open(str(folder / "rememora-data"), background=False) as rememora:
        rememora.events.subscribe("mail", lambda event: heard.append(event.id))
        rememora.settle()
    unknown = CliRunner().invoke(app, ["events", "replay", "nobody", "--tenant", "acme"])

    assert {"subscriber": "mail", "tenant": "acme", "after": 0} == answer
    assert (1, [*once, *once]) == (len(once), heard)
    assert 0 != unknown.exit_code


def test_work_does_what_was_handed_to_a_module(folder: Path) -> None:
    """`rememora work --module name=file:function` takes tasks of every tenant, and ends well when asked to."""
    (folder / "shop.py").write_text(DOES)
    task = said("tasks", "delegate", CRM, "message.send", SENDING, *ANA)
    command = [str(Path(sys.executable).with_name("rememora")), "work", "--module", f"{CRM}=shop:send"]
    working = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    seen = task
    until = time.monotonic() + WAITED_SECONDS
    while seen["status"] != "completed" and time.monotonic() < until:
        seen = said("tasks", "show", task["id"], *ANA)
    working.send_signal(signal.SIGTERM)
    _, error = working.communicate(timeout=WAITED_SECONDS)

    assert ("completed", "sent to +5511987654321") == (seen["status"], seen["summary"]), error
    assert 0 == working.returncode


@pytest.mark.parametrize("option", ["crm", f"{CRM}=nowhere:send", f"{CRM}=json:nothing"])
def test_work_names_what_is_wrong_with_a_module(folder: Path, option: str) -> None:
    """A module that cannot be found is refused before anything runs."""
    done = CliRunner().invoke(app, ["work", "--module", option])

    assert 0 != done.exit_code
    assert "module" in str(done.exception)


def test_a_tenant_is_erased_by_typing_its_name(folder: Path) -> None:
    """Typed wrongly nothing happens; typed rightly it is gone, with a receipt."""
    said("remember", "user.name", "Ana", *ANA)
    wrong = CliRunner().invoke(app, ["tenants", "erase", "acme"], input="acne\n")
    kept = said("tenants", "list")
    right = CliRunner().invoke(app, ["tenants", "erase", "acme"], input="acme\n")

    assert 0 != wrong.exit_code
    assert (["acme"], 0, []) == ([item["id"] for item in kept], right.exit_code, said("tenants", "list"))
    assert '"kind": "tenant"' in right.stdout
