"""What somebody types who has never typed it before: no names, a guess at a command, a pasted line."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.doors.conftest import Running
from tests.doors.curl import send
from typer.testing import CliRunner, Result

from rememora.cli import app
from rememora.server.serve import FirstRun

CHATGPT = [
    {
        "id": "t1",
        "title": "Pão",
        "mapping": {
            "a": {
                "id": "a",
                "parent": None,
                "children": [],
                "message": {
                    "id": "m1",
                    "author": {"role": "user"},
                    "create_time": 1700000000.0,
                    "content": {"content_type": "text", "parts": ["Moro em Recife."]},
                },
            }
        },
        "current_node": "a",
    }
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REMEMORA_RECALL_EMBEDDER", "none")
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


def run(*words: str, **typed: Any) -> Result:
    """A command."""
    return CliRunner().invoke(app, list(words), **typed)


def test_without_names_the_only_ones_are_meant() -> None:
    """On a new store somebody is made up; then the only tenant and the only user count."""
    run("remember", "user.city", "Santos", "--tenant", "acme", "--user", "ana")

    assert "Santos" in run("memories").stdout
    assert "Santos" in run("recall", "Santos").stdout


def test_a_new_store_needs_no_names() -> None:
    """What is remembered first is remembered of `me` at `home`, as `serve` and `chat` have it."""
    run("remember", "user.city", "Santos")

    assert "Santos" in run("memories", "--tenant", "home", "--user", "me").stdout


def test_several_are_named_to_choose_from() -> None:
    """The refusal lists them and says how to choose."""
    for user in ("ana", "bia"):
        run("remember", "user.city", "Santos", "--tenant", "acme", "--user", user)
    refused = run("memories")

    assert 1 == refused.exit_code
    assert "several users here (ana, bia): name one with --user" in str(refused.exception)


def test_the_environment_chooses(monkeypatch: pytest.MonkeyPatch) -> None:
    """REMEMORA_TENANT and REMEMORA_USER stand for the options; an option wins over them."""
    for user, city in (("ana", "Santos"), ("bia", "Olinda")):
        run("remember", "user.city", city, "--tenant", "acme", "--user", user)
    monkeypatch.setenv("REMEMORA_TENANT", "acme")
    monkeypatch.setenv("REMEMORA_USER", "bia")

    assert "Olinda" in run("memories").stdout
    assert "Santos" in run("memories", "--user", "ana").stdout


@pytest.mark.parametrize("words", [("version",), ("--version",)])
def test_the_version_is_told_either_way(words: tuple[str, ...]) -> None:
    """As a command, which people guess, and as an option."""
    assert re.fullmatch(r"\d+\.\d+\.\d+\S*\n", run(*words).stdout)


@pytest.mark.parametrize("words", [("memories",), ("events", "list"), ("erase", "person"), ("serve",)])
def test_help_shows_flags_as_flags(words: tuple[str, ...]) -> None:
    """A flag takes no value, and no line is wider than the terminal."""
    stdout = run(*words, "--help").stdout

    assert "bool" not in stdout.lower()
    assert "--json" in stdout
    assert all(len(line) <= 80 for line in stdout.splitlines())


@pytest.mark.parametrize(
    "words", [("chatgpt", "c.json"), ("c.json",), ("c.json", "--form", "chatgpt")], ids=" ".join
)
def test_an_import_may_name_its_form_first(folder: Path, words: tuple[str, ...]) -> None:
    """`import chatgpt FILE` is what people try."""
    (folder / "c.json").write_text(json.dumps(CHATGPT), "utf-8")
    done = run("import", *words)

    assert "chatgpt: 1 conversations, 1 messages\n" == done.stdout


def test_two_files_are_told_how_to_come_in(folder: Path) -> None:
    """The refusal says the right command."""
    refused = run("import", "one.json", "two.json")

    assert "rememora import chatgpt FILE" in str(refused.exception)


def test_a_link_is_a_whole_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the address of the settings, or the one that `serve` would have."""
    run("tenants", "create", "acme")

    assert run("tenants", "link", "ana").stdout.startswith("http://127.0.0.1:8787/me?link=rml_")
    monkeypatch.setenv("REMEMORA_SERVER_PUBLIC_URL", "https://memory.example.com/")
    document = json.loads(run("tenants", "link", "ana", "--json").stdout)
    assert document["address"] == f"https://memory.example.com/me?link={document['token']}"


@pytest.mark.parametrize(
    "words", [("forget", "onde moro"), ("correct", "onde moro", "Olinda"), ("suppress", "onde moro")]
)
def test_words_that_name_nothing_are_answered(words: tuple[str, ...]) -> None:
    """A command that found nothing says so, and where to look."""
    run("remember", "user.name", "Ana")

    assert "No memory matches" in run(*words).stdout


def test_forgetting_in_a_chat_finds_what_people_call_it() -> None:
    """ "/forget onde moro" means `user.location`."""
    run("remember", "user.location", "Santos")
    done = run("chat", input="/forget onde moro\n\n")

    assert "forgotten: user.location" in done.stdout


def test_a_chat_that_erases_prints_the_receipt(folder: Path) -> None:
    """It can be saved as it stands, and verified."""
    run("remember", "user.name", "Rosamunda")
    done = run("chat", input="apague definitivamente o meu nome\nsim\n\n")
    receipt = next(line for line in done.stdout.splitlines() if line.startswith("{"))
    (folder / "receipt.json").write_text(receipt, "utf-8")
    checked = run("erase", "--verify", "receipt.json")

    assert "The receipt is genuine." in checked.stdout
    assert "Rosamunda" not in run("memories", "--all").stdout


def test_the_first_start_prints_a_command_that_chats(tmp_path: Path) -> None:
    """Pasted as it stands it is answered, and what was said is remembered."""
    program = Path(sys.executable).with_name("rememora")
    words = [str(program), "serve", "--port", "0", "--url", str(tmp_path / "store")]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        printed = ""
        while "Rememora serves" not in printed:
            printed += server.stderr.readline()
        command = re.findall(r"^(curl .*?/api/v1/chat)$", printed, re.DOTALL | re.MULTILINE)[0]
        try:
            answer = send(command)
        finally:
            server.send_signal(signal.SIGTERM)
            server.communicate(timeout=60)

    assert 200 == answer.status_code
    assert "Recife" in answer.json()["reply"]


def test_the_first_start_tells_a_program_the_same(server: Running) -> None:
    """The command is one function, whichever way it is told."""
    from rememora.cli.serve import chat_command

    key = server.key("service", tenant="acme")
    first = FirstRun(new=True, tenant="acme", service_key=key, admin_key="", operator_key="", user="me", link="")

    assert 200 == send(chat_command(server.address, first)).status_code
