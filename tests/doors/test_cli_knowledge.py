"""What is known, from the terminal: every command in a real process of its own store."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.behind import behind
from tests.doors.terminal import ANA, Terminal
from typer.testing import CliRunner, Result

from rememora import SyncRememora
from rememora.cli import app


class Hers(Terminal):
    """Runs commands about one person."""

    def ana(self, *words: str) -> Result:
        """A command about the person."""
        return self.run(*words, *ANA)

    def answer(self, *words: str) -> Any:
        """What a command about the person says as JSON."""
        return super().answer(*words, *ANA)


@pytest.fixture
def terminal(terminal: Terminal) -> Hers:
    return Hers(terminal.folder)


def test_remember_list_correct_forget(terminal: Hers) -> None:
    """The life of a memory in four commands, for people and for programs."""
    assert "active: user.name = Ana" in terminal.ana("remember", "user.name", "Ana").stdout
    assert terminal.answer("remember", "prefs.short_answers", "true")["memories"][0]["value"] is True
    assert "Ana Maria" == terminal.answer("correct", "user.name", "Ana Maria")["memories"][0]["value"]
    assert ["prefs.short_answers", "user.name"] == [item["key"] for item in terminal.answer("memories")]
    assert "deleted" == terminal.answer("forget", "user.name")["memories"][0]["status"]
    assert ["prefs.short_answers"] == [item["key"] for item in terminal.answer("memories")]
    assert 3 == len(terminal.answer("memories", "--all"))
    assert "prefs.short" in terminal.ana("memories").stdout


def test_without_a_url_the_settings_say_where(terminal: Hers, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command works on the store that the environment names, as the library does, and on no other."""
    monkeypatch.setenv("REMEMORA_STORE_URL", str(terminal.folder))
    kept = CliRunner().invoke(app, ["remember", "user.name", "Ana", *ANA])
    moved = CliRunner().invoke(app, ["migrate", "--json"])

    assert (0, 0) == (kept.exit_code, moved.exit_code)
    assert ["Ana"] == [memory["value"] for memory in terminal.answer("memories")]
    assert not (terminal.folder.parent / "rememora-data").exists()


def test_what_the_gate_refuses_has_an_exit_code(terminal: Hers) -> None:
    """Nothing kept is 3, and the reason is said."""
    done = terminal.ana("remember", "user.document", "CPF 529.982.247-25")

    assert 3 == done.exit_code
    assert "CPF" in done.stdout


def test_export_and_import(terminal: Hers, tmp_path: Path) -> None:
    """A file out, a file in, once."""
    terminal.ana("remember", "user.name", "Ana")
    file = tmp_path / "ana.json"
    assert "1 memories" in terminal.ana("export", "--file", str(file)).stdout
    other = Hers(tmp_path / "other")

    assert 1 == other.answer("import", str(file))["memories"]
    assert 0 == other.answer("import", str(file))["memories"]
    assert json.loads(file.read_text())["memories"] == json.loads(other.ana("export").stdout)["memories"]


def test_erase_and_check_the_receipt(terminal: Hers, tmp_path: Path) -> None:
    """The receipt says clean until something is back, and then where."""
    terminal.ana("remember", "user.name", "Rosamunda Albuquerque")
    done = terminal.ana("erase", "person", "--yes")
    receipt = tmp_path / "receipt.json"
    receipt.write_text(done.stdout)
    clean = terminal.run("erase", "--verify", str(receipt), "--suspect", "Rosamunda")

    assert 0 == clean.exit_code
    assert "Clean" in clean.stdout
    assert "Rosamunda" not in done.stdout
    terminal.ana("remember", "user.name", "Rosamunda Albuquerque")
    left = terminal.run("erase", "--verify", str(receipt))

    assert 2 == left.exit_code
    assert "Found in rememora.db" in left.stdout


def test_a_check_names_what_still_holds_the_text(terminal: Hers, tmp_path: Path) -> None:
    """A memory goes and what was said stays: the check does not call that clean."""
    with SyncRememora.open(str(terminal.folder)) as rememora:
        rememora.user("ana", tenant="acme").conversation("c1").reply("Moro em Itaquaquecetuba")
    receipt = tmp_path / "receipt.json"
    receipt.write_text(terminal.ana("erase", "topic", "user.location", "--yes").stdout)
    done = terminal.run("erase", "--verify", str(receipt))

    assert "Clean" not in done.stdout
    assert "piece(s) of the same text remain in what was not erased" in done.stdout
    assert 2 == json.loads(terminal.run("erase", "--verify", str(receipt), "--json").stdout)["elsewhere"]


def test_what_is_suppressed_is_kept_until_it_is_restored(terminal: Hers) -> None:
    """Both ways at the terminal, for people and for programs; what it is is not said again."""
    terminal.ana("remember", "user.nick", "Zezinha")
    stdout = terminal.ana("suppress", "user.nick").stdout

    assert "suppressed: user.nick" in stdout
    assert "Zezinha" not in stdout
    assert terminal.answer("memories")[0]["suppressed"] is True
    assert terminal.answer("restore", "user.nick")["suppressed"] is False
    assert terminal.answer("suppress", "user.nick")["memories"][0]["suppressed"] is True


def test_a_memory_is_explained(terminal: Hers) -> None:
    """Its value, what it was before, what it rests on and its history; as JSON with every field."""
    rule, trigger = "se o Davi assumir a cozinha, o turno começa às 7h15", "o Davi assumiu a cozinha ontem"
    with SyncRememora.open(str(terminal.folder)) as rememora:
        chat = rememora.user("ana", tenant="acme").conversation("c1")
        for said in (rule, trigger):
            chat.reply(said)
    terminal.ana("remember", "user.city", "Recife")
    terminal.ana("correct", "user.city", "Olinda")
    (made,) = [item for item in terminal.answer("memories") if item["because"]]
    effect = terminal.ana("explain", made["id"]).stdout
    cause = terminal.ana("explain", made["because"]).stdout
    city = terminal.ana("explain", "user.city").stdout

    assert f"based on: {rule} (the rule that set it)" in effect
    assert "holds because of this rule" in cause
    assert "user.city = Olinda" in city
    assert "was: Recife" in city
    assert "update by ana" in city
    assert ["rule"] == [link["tie"] for link in terminal.answer("explain", made["id"])["links"]]


def test_a_memory_is_erased_by_its_key(terminal: Hers) -> None:
    """A key means the memory that stands under it; one that means nothing is said to be unknown."""
    terminal.ana("remember", "user.nick", "Zezinha")
    receipt = terminal.answer("erase", "memory", "user.nick", "--yes")

    assert 1 == receipt["counts"]["memories"]
    assert [] == terminal.answer("memories", "--all")
    assert 0 != terminal.ana("erase", "memory", "user.nick", "--yes").exit_code


def test_a_part_can_be_erased(terminal: Hers) -> None:
    """A topic or one memory goes, and the rest stays; the bare command explains itself."""
    for key in ("user.name", "people.tom.role", "people.tom.phone"):
        terminal.ana("remember", key, "gerente da loja")
    [name] = terminal.answer("memories", "--prefix", "user")

    assert 2 == json.loads(terminal.ana("erase", "topic", "people.tom", "--yes").stdout)["counts"]["memories"]
    assert 1 == json.loads(terminal.ana("erase", "memory", name["id"], "--yes").stdout)["counts"]["memories"]
    assert [] == terminal.answer("memories", "--all")
    assert "conversation" in terminal.run("erase").stdout


def test_erasing_asks_first(terminal: Hers) -> None:
    """Without a yes nothing is erased."""
    terminal.ana("remember", "user.name", "Ana")

    assert 1 == terminal.ana("erase", "person").exit_code
    assert 1 == len(terminal.answer("memories"))


def test_audit_verify_finds_an_edit(terminal: Hers) -> None:
    """Intact is 0; touched is 2, with the place."""
    terminal.ana("remember", "user.name", "Ana")

    assert 0 == terminal.run("audit", "verify").exit_code
    behind(terminal.folder, "UPDATE audit SET why = 'nothing to see here'")
    broken = terminal.run("audit", "verify", "--tenant", "acme", "--json")

    assert 2 == broken.exit_code
    assert 1 == json.loads(broken.stdout)[0]["faults"][0]["position"]


def test_audit_show_prints_entries(terminal: Hers) -> None:
    """One JSON object a line."""
    terminal.ana("remember", "user.name", "Ana")
    [line] = terminal.run("audit", "show", "--tenant", "acme").stdout.splitlines()

    assert ("create", "ana") == tuple(json.loads(line)[field] for field in ("action", "actor"))


def test_nothing_found_is_said_in_words(terminal: Hers) -> None:
    """No empty table, and an empty list for programs."""
    terminal.run("remember", "user.name", "Eva", "--tenant", "acme", "--user", "eva")

    assert "No memory of ana at acme matches" in terminal.ana("memories").stdout
    assert "No hits in the memory of ana" in terminal.ana("recall", "farinha").stdout
    assert [] == terminal.answer("memories")


def test_entities_and_memories_are_forgotten_and_restored(terminal: Hers) -> None:
    """One by its key, or all together; what is named wrongly is refused."""
    with SyncRememora.open(str(terminal.folder), background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        ana.remember("user.city", "Recife")
        for key in ("broa", "cuca"):
            ana.entities.mention("product", key, key)

    assert ["broa"] == [item["key"] for item in terminal.answer("entities", "forget", "broa")]
    assert ["cuca"] == [item["key"] for item in terminal.answer("entities", "list")]
    assert 1 == terminal.ana("entities", "restore", "torta").exit_code
    assert 1 == terminal.ana("entities", "restore").exit_code
    assert ["broa"] == [item["key"] for item in terminal.answer("entities", "restore", "--all")]
    assert "broa" in terminal.ana("entities", "list").output
    terminal.answer("forget", "user.city")

    assert "Recife" == terminal.answer("restore", "user.city")["value"]
    assert ["user.city"] == [item["key"] for item in terminal.answer("memories")]


def test_memories_show_their_subject(terminal: Hers) -> None:
    """Subject and attribute stand in 80 columns, an unknown subject as such; a timeline is asked for by both."""
    for value in ("R$ 10", "R$ 12"):
        terminal.ana("remember", "projects.pao_de_queijo.price", value)
    terminal.ana("remember", "user.note_s1a2b3c4", "lá o aluguel é 3 mil")
    lines = terminal.ana("memories").stdout.splitlines()
    (project,) = [line for line in lines if line.startswith("projects")]
    (unknown,) = [line for line in lines if line.startswith("user.note")]
    held = terminal.answer("timeline", "projeto Pão de Queijo", "--attribute", "price")

    assert ["key", "subject", "attribute", "value"] == lines[0].split()[:4]
    assert "pao de queijo  price" in project
    assert "unknown" in unknown
    assert max(map(len, lines)) <= 80
    assert ["R$ 10", "R$ 12"] == [item["value"] for item in held]


def test_an_explanation_tells_the_value_of_an_attribute(terminal: Hers) -> None:
    """Under its name, beside the statement that says it; a slot has said it already."""
    with SyncRememora.open(str(terminal.folder), background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        ana.remember("user.city", "Recife")
        (plan,) = ana.gate.note("O plano básico custa R$ 89 por mês").memories
    shown, city = (terminal.ana("explain", key).stdout.splitlines() for key in (plan.key, "user.city"))

    assert "  price: R$ 89 por mês" in shown
    assert not [line for line in city if line.strip().startswith("city:")]
    assert "R$ 89 por mês" == terminal.answer("explain", plan.key)["memory"]["attribute_value"]
