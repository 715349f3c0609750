"""The command line as a door: commands of a second process on the store of a running server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping

from tests.endurance.person import QUESTION, REASON, TENANT, Erase, Person, Read, Tell
from typer.testing import CliRunner

from rememora.cli import app
from rememora.domain.modules import CRM

SECONDS = 120


def environment(person: Person) -> Mapping[str, str]:
    """Return the variables with which a command opens the server's store as the server does."""
    settings = person.server.settings
    return {
        "REMEMORA_RECALL_EMBEDDER": "none",
        "REMEMORA_CONTEXT_DEADLINE_MS": "20000",
        "REMEMORA_READING_MODEL": "false",
        "REMEMORA_STORE_SYNCHRONOUS": "normal",
        "REMEMORA_STORE_KEY_FOLDER": settings.store.key_folder,
    }


def words_of(person: Person, words: Iterable[str], *, user: bool = True) -> list[str]:
    """A command with the options that say where and about whom."""
    whose = ("--tenant", TENANT, *(("--user", person.name) if user else ()))
    return [*words, *whose, "--url", person.server.settings.store.url]


def typed(person: Person, *words: str, heard: str = "", user: bool = True, codes: tuple[int, ...] = (0,)) -> str:
    """Run a command in this process and return its output: to load the library for each takes most of the time."""
    done = CliRunner(env=environment(person)).invoke(app, words_of(person, words, user=user), input=heard)
    assert done.exit_code in codes, f"{words}: {done.output} {done.exception!r}"
    return done.output


def in_a_process(person: Person, *words: str) -> str:
    """Run a command in a process of its own, without the caches of the server, and return its output."""
    command = [sys.executable, "-m", "rememora", *words_of(person, words)]
    variables = {**os.environ, **environment(person)}
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=SECONDS, check=True)
    return done.stdout


def correction(person: Person, word: str) -> None:
    """Correct a memory."""
    typed(person, "remember", "projects.telhado", "prazo em maio")
    typed(person, "correct", "projects.telhado", f"prazo {word}")


def forgotten(person: Person, word: str) -> None:
    """Remember, and forget again."""
    typed(person, "remember", "tools.lousa", f"lousa {word}")
    typed(person, "forget", "tools.lousa")


def talk(person: Person, word: str) -> None:
    """Talk at the terminal, where answers are streamed."""
    typed(person, "chat", "--conversation", "t2", heard=f"Meu dentista se chama {word}.\n\n")


def imported(person: Person, word: str) -> None:
    """Take over a file of messages."""
    file = person.folder / f"{person.name}.jsonl"
    line = {"role": "user", "content": f"o plano é {word}", "conversation": "t3"}
    file.write_text(json.dumps(line) + "\n", encoding="utf-8")
    typed(person, "import", "jsonl", str(file))
    file.unlink()


def task(person: Person, word: str) -> None:
    """Hand a task over."""
    payload = json.dumps({"to": "+5511987654321", "text": f"aviso {word}"})
    typed(person, "tasks", "delegate", CRM, "message.send", payload)


TELLING: dict[str, Tell] = {
    "command: remember": lambda person, word: typed(person, "remember", "prefs.letra", f"letra {word}"),
    "command: correct": correction,
    "command: forget": forgotten,
    "command: chat": lambda person, word: typed(
        person, "chat", "--conversation", "t1", "--say", f"Moro na rua {word}."
    ),
    "command: talk": talk,
    "command: import": imported,
    "command: mission": lambda person, word: typed(person, "missions", "--begin", f"Compare os fundos de {word}"),
    "command: task": task,
}


def erase(person: Person) -> None:
    """Erase the person from a process of its own, while the server runs."""
    assert json.loads(in_a_process(person, "erase", "person", "--yes", "--json"))["id"]


ERASING: dict[str, Erase] = {"command line": erase}

COMMANDS = (
    ("memories", "--all", "--json"),
    ("memories",),
    ("recall", QUESTION, "--limit", "50"),
    ("context", QUESTION),
    ("export",),
    ("conversations",),
    ("entities", "list"),
    ("missions",),
    ("tasks", "list"),
    ("timeline", "projects.obra"),
    ("explain", "projects.obra"),
    ("chat", "--conversation", "t9", "--say", QUESTION),
)
"""Commands that show something of a person at the terminal."""


def read(person: Person) -> Iterable[str]:
    """Ask every command that shows something; one may find nothing."""
    for words in COMMANDS:
        yield typed(person, *words, codes=(0, 1))
    yield typed(person, "tasks", "list", user=False)
    yield typed(person, "events", "list", "--limit", "1000", "--after", str(person.events), user=False)
    shown = ("audit", "show", "--limit", "1000", "--after", str(person.acts))
    yield typed(person, *shown, "--reason", REASON, user=False)


READING: dict[str, Read] = {"command line": read}
