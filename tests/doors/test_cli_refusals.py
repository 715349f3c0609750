"""How commands fail: in one line, or as JSON where JSON was asked for, with the exit codes of the help."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from tests.doors.terminal import ANA

from rememora.cli import app
from rememora.cli.failing import guarded

READING: dict[str, tuple[str, ...]] = {
    "recall": ("recall", "x", *ANA),
    "reembed": ("reembed",),
    "context": ("context", "x", *ANA),
    "memories": ("memories", *ANA),
    "correct": ("correct", "user.name", "x", *ANA),
    "forget": ("forget", "user.name", *ANA),
    "export": ("export", *ANA),
    "erase": ("erase", "person", *ANA, "--yes"),
    "conversations": ("conversations", *ANA),
    "missions": ("missions", *ANA),
    "events list": ("events", "list", "--tenant", "acme"),
    "events tail": ("events", "tail", "--tenant", "acme", "--no-follow"),
    "events replay": ("events", "replay", "mail", "--tenant", "acme"),
    "tasks list": ("tasks", "list", "--tenant", "acme"),
    "tasks claim": ("tasks", "claim", "crm", "--tenant", "acme"),
    "tenants list": ("tenants", "list"),
    "tenants erase": ("tenants", "erase", "acme", "--confirm", "acme"),
    "keys list": ("keys", "list"),
    "audit verify": ("audit", "verify"),
    "audit show": ("audit", "show", "--tenant", "acme"),
    "migrate": ("migrate",),
}


class Shell:
    """Runs commands as the entry point does."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def run(self, *words: str) -> tuple[int, str, str]:
        """Exit code, standard output and standard error."""
        with pytest.raises(SystemExit) as ended:
            guarded(app, list(words))
        said = self._capsys.readouterr()
        return int(ended.value.code or 0), said.out, said.err

    def problem(self, *words: str) -> tuple[int, Any]:
        """Exit code, and what standard error says as JSON."""
        code, out, error = self.run(*words, "--json")

        assert "" == out
        return code, json.loads(error)


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    """A shell that goes by words alone, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REMEMORA_RECALL_EMBEDDER", "none")
    return Shell(capsys)


@pytest.mark.parametrize("name", READING)
def test_a_mistyped_store_is_refused_and_not_made(shell: Shell, tmp_path: Path, name: str) -> None:
    """What only reads or changes makes no folder: it says that there is none, to people and to programs."""
    code, problem = shell.problem(*READING[name], "--url", str(tmp_path / "typo"))

    assert (1, "store_unavailable", 1) == (code, problem["code"], problem["exit_code"])
    assert "no store at" in problem["detail"]
    assert [] == list(tmp_path.iterdir())


def test_a_refusal_is_one_line_for_people(shell: Shell) -> None:
    """No trace, no JSON, exit code 1."""
    code, out, error = shell.run("recall", "x", *ANA, "--url", "typo")

    assert (1, "") == (code, out)
    assert error.startswith("store_unavailable: no store at typo")
    assert 1 == error.count("\n")


@pytest.mark.parametrize(
    ("words", "code", "name", "field"),
    [
        (("recall",), 2, "misused", None),
        (("recall", "x", "--nothing"), 2, "misused", None),
        (("nothing",), 2, "misused", None),
        (("keys", "issue", "king"), 2, "misused", None),
        (("import", "nothing.json", *ANA), 1, "invalid_input", "file"),
        (("remember", "name", "x", *ANA), 1, "invalid_input", "key"),
        (("erase", "person", *ANA), 1, "usage", None),
        (("tenants", "erase", "acme"), 1, "usage", None),
    ],
)
def test_with_json_every_failure_is_json(
    shell: Shell, words: tuple[str, ...], code: int, name: str, field: str | None
) -> None:
    """Misuse, bad input and what cannot be asked of a program: a problem with its code, and the exit code."""
    result, problem = shell.problem(*words)

    assert (code, code, name) == (result, problem["exit_code"], problem["code"])
    assert f"urn:rememora:problem:{name}" == problem["type"]
    assert field == problem.get("field")
    assert problem["detail"]


def test_every_command_speaks_json() -> None:
    """Each command takes `--json`, those too that run until they are stopped."""
    silent = {name for name, command in _commands(typer.main.get_command(app), "rememora") if not _has(command)}

    assert set() == silent


def test_erase_gives_a_program_the_receipt(shell: Shell) -> None:
    """`erase person --json` is one JSON object on standard output."""
    shell.run("remember", "user.name", "Ana", *ANA)
    code, out, _ = shell.run("erase", "person", *ANA, "--yes", "--json")
    receipt = json.loads(out)

    assert (0, "person", 1) == (code, receipt["kind"], receipt["counts"]["memories"])


def _commands(command: Any, path: str) -> list[tuple[str, Any]]:
    if not hasattr(command, "commands"):
        return [(path, command)]
    return [item for name, inner in command.commands.items() for item in _commands(inner, f"{path} {name}")]


def _has(command: Any) -> bool:
    return any("--json" in param.opts for param in command.params)
