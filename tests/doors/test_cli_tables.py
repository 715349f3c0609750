"""Every table of the terminal at eighty columns, with data that is too long for it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from rememora import Event, Rememora, Settings
from rememora.cli import app
from rememora.cli.tables import cell_width, laid_out, wrapped

WIDTH = 80
ANA = ("--tenant", "acme", "--user", "ana")
KEY = "operating.note_pensando_largar_cafe_de_manha_cedo"
VALUE = "a gente vai pra Tiradentes no feriado e quer parar de tomar café todo dia de manhã bem cedo"
THREAD = "conversa-com-um-nome-muito-comprido-0123456789-abcdefghijklmnop"
CRM = "mod-02-whatsapp-crm"

TABLES = [
    (("memories", *ANA), ["operating.", "Tiradentes"]),
    (("memories", *ANA, "--all"), ["operating.note_", "Tiradentes", "active"]),
    (("recall", "feriado em Tiradentes", *ANA), ["Tiradentes", "score"]),
    (("conversations", *ANA), [THREAD]),
    (("entities", "list", *ANA), ["pao_de_queijo"]),
    (("missions", *ANA), ["fornecedores"]),
    (("tasks", "list", *ANA), [CRM, "message.send"]),
    (("events", "list", "--tenant", "acme"), ["memory.save_attempt", THREAD]),
    (("events", "dead", "--tenant", "acme"), ["assinante", "memory."]),
    (("tenants", "list"), ["acme", "comprido"]),
    (("tenants", "usage", "--tenant", "acme"), ["messages"]),
    (("keys", "list", "--tenant", "acme"), ["comprido", "admin"]),
    (("logins", "list", "--tenant", "acme"), ["owner", "comprido"]),
    (("timeline", KEY, *ANA), ["since", "Tiradentes"]),
    (("policy",), ["category", "keys under"]),
    (("analytics",), ["Memories by category", "operating"]),
    (("read", f"Salva que {VALUE}"), ["read by", "Tiradentes", "offline"]),
]
STORELESS = {"read", "policy"}
"""Commands that open no store of the caller's."""


async def refuse(_: Event) -> None:
    """A subscriber that takes nothing."""
    raise ConnectionError("no route to the host of this subscriber, whose name is far too long for one line")


async def fill(folder: Path) -> None:
    """Put long things everywhere."""
    settings = Settings.load(
        {"store.url": str(folder), "recall.embedder": "none", "events.attempts": 1}, environ={}
    )
    async with Rememora.open(settings=settings, background=False) as rememora:
        await rememora.operator(acting="test").tenants.create("acme", name="Um nome muito comprido " * 6)
        await rememora.events.subscribe("assinante-com-um-nome-comprido", refuse)
        ana = rememora.user("ana", tenant="acme")
        await ana.remember(KEY, VALUE)
        await ana.remember("prefs.channels_enabled", ["chat", "voice", "um canal de nome comprido"])
        await ana.conversation(THREAD).append("user", f"Preciso dizer que {VALUE}")
        await ana.entities.mention(
            "product", "pao_de_queijo", "R$ 6 a unidade, R$ 60 a dúzia e R$ 400 o cento " * 2
        )
        await ana.missions.create("Compare os fornecedores de farinha e diga qual deles entrega mais cedo " * 2)
        await ana.tasks.delegate(CRM, "message.send", {"to": "+5511987654321", "text": VALUE}, conversation=THREAD)
        access = rememora.tenant("acme", acting="test").access
        await access.issue_key("admin", label="um rótulo comprido para uma chave de administração " * 2)
        invited = await access.invite("owner")
        name = "um nome comprido para entrar nas páginas " * 3
        await rememora.sessions.accept_invitation(invited.token, name=name, password="uma frase comprida")
        await rememora.settle()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store full of long things."""
    place = tmp_path_factory.mktemp("tables") / "store"
    asyncio.run(fill(place))
    return place


@pytest.mark.parametrize(("words", "seen"), TABLES, ids=lambda item: " ".join(item)[:40])
def test_a_table_fits_and_shows_its_values(
    folder: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], seen: list[str]
) -> None:
    """No line is wider than the terminal, keys can be told apart, and values are there to be read."""
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    monkeypatch.setenv("REMEMORA_RECALL_EMBEDDER", "none")
    where = () if words[0] in STORELESS else ("--url", str(folder))
    done = CliRunner().invoke(app, [*words, *where])

    assert 0 == done.exit_code, done.output
    assert [] == [line for line in done.stdout.splitlines() if cell_width(line) > WIDTH]
    assert [] == [text for text in seen if text not in done.stdout], done.stdout


def test_memories_are_listed_with_their_source(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is room for it."""
    monkeypatch.setenv("COLUMNS", "400")
    done = CliRunner().invoke(app, ["memories", *ANA, "--all", "--url", str(folder)])
    head, *rows = [line for line in done.stdout.splitlines() if line.strip()]

    assert ["key", "subject", "attribute", "value", "category", "status", "source", "since"] == re.findall(
        r"\w+", head
    )
    assert any("explicit" in row for row in rows)


def test_every_command_with_a_table_is_here() -> None:
    """A command that prints rows joins the list above; transfer and bench print names and figures of our own."""
    source = Path(__file__).parents[2] / "src/rememora/cli"
    rooms = {file.stem for file in source.glob("*.py") if "print_rows(" in file.read_text("utf-8")}

    assert {
        "knowledge",
        "read",
        "recall",
        "talk",
        "logins",
        "entities",
        "tasks",
        "events",
        "tenants",
        "transfer",
        "operate",
        "opened",
    } == (rooms)


def test_an_id_is_never_cut() -> None:
    """Rows of ids too wide for a table become blocks, in which each can be copied."""
    ids = ("01a1e5c1-ab72-7386-90dd-c7f25711b0bb",) * 3
    text = laid_out(("one", "two", "three"), [ids], width=WIDTH)

    assert 3 == text.count(ids[0])
    assert all(cell_width(line) <= WIDTH for line in text.splitlines())


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_what_a_terminal_would_obey_is_not_printed(width: int) -> None:
    """Escape sequences and newlines of a value are spaces; wide letters count twice; nothing is too wide."""
    rows = [("user.note", "\x1b[31mvermelho\x1b[0m\nlinha de baixo " * 5), ("user.name", "記憶" * 40)]
    text = laid_out(("key", "value"), rows, width=width)

    assert "\x1b" not in text
    assert all(cell_width(line) <= width for line in text.splitlines())


def test_a_long_cell_ends_with_an_ellipsis() -> None:
    """After so many lines the rest is left to `--json`."""
    lines = wrapped("palavra " * 40, 16)

    assert 4 == len(lines)
    assert lines[-1].endswith("…")


def test_spare_columns_go_before_values_do() -> None:
    """What matters least is left out while a column of words would be too narrow to read."""
    rows = [("k" * 10, "uma frase de algumas palavras " * 2, "s" * 30)]

    assert "spare" not in laid_out(("key", "value", "spare"), rows, width=60, spare=("spare",))
    assert "spare" in laid_out(("key", "value", "spare"), rows, width=120, spare=("spare",))


def commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every command with its line in the list of commands above it."""
    names: dict[str, Any] = getattr(command, "commands", {})
    room = WIDTH - 6 - max(map(len, names), default=0)
    for name, inner in names.items():
        yield (*path, name), inner.get_short_help_str(room)
        yield from commands(inner, (*path, name))


def test_no_summary_of_a_command_is_cut() -> None:
    """`--help` lists commands with a whole sentence each."""
    lines = dict(commands(typer.main.get_command(app)))

    assert len(lines) > 50
    assert {} == {path: line for path, line in lines.items() if not line.endswith(".") or line.endswith("...")}
