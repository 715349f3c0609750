"""`rememora chat`: a newcomer talks, asks why, and goes on after a slip."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from rememora.cli import app


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store that goes by words alone, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REMEMORA_RECALL_EMBEDDER", "none")
    monkeypatch.setenv("REMEMORA_CONTEXT_DEADLINE_MS", "20000")
    return tmp_path / "store"


def talk(store: Path, *lines: str) -> Result:
    """Say the lines one after the other; the input then ends."""
    return CliRunner().invoke(app, ["chat", "--url", str(store)], input="\n".join(lines))


def test_why_names_the_memories_behind_the_answer(store: Path) -> None:
    """Each under its key, apart from all else that was at hand."""
    done = talk(store, "My name is John and I work at Acme. I prefer short answers.", "Where do I work?", "/why")

    assert 0 == done.exit_code
    assert "based on: tenant.name: Acme" in done.output
    assert "prefs.short_answers: true" in done.output
    assert "rests on: prefs.short_answers" not in done.output


def test_a_refused_command_does_not_end_the_talk(store: Path) -> None:
    """Nor do an empty `/forget`, `/why` before any answer, words that mean nothing, or the end of the input."""
    slips = ("/why", "/memories", "/forget", "/forget user.city", "/forget bananas and such")
    done = talk(store, *slips, "Moro em Recife", "/memories")

    assert 0 == done.exit_code
    assert "not_found: no memory 'user.city' here" in done.output
    assert "nothing like that is known" in done.output
    assert "user.location = Recife" in done.output


def test_forget_at_the_terminal_takes_words(store: Path) -> None:
    """One memory that the words mean is gone; of several the person is asked which, in their own language."""
    said = ("Moro em Recife", "/forget onde moro Recife", "/memories", "Uso o Slack.", "Uso o Bling.")
    done = talk(store, *said, "/forget tools")

    assert "forgotten: user.location" in done.output
    assert "nada se sabe ainda" in done.output
    assert "Qual" in done.output
