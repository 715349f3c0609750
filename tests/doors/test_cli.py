"""The command line: what an operator and a newcomer do, each command on a store of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.behind import behind
from tests.doors.terminal import ANA, Terminal
from typer.testing import CliRunner

from rememora import Rememora, Settings, SyncRememora
from rememora.adapters.sql.folder import FILE
from rememora.cli import app
from rememora.server.serve import first_run

CHATGPT = [
    {
        "title": "Férias",
        "conversation_id": "g1",
        "current_node": "n3",
        "mapping": {
            "n1": {"message": None, "parent": None, "children": ["n2", "n9"]},
            "n2": {
                "message": {
                    "id": "m1",
                    "author": {"role": "user"},
                    "create_time": 1_700_000_000.5,
                    "content": {"content_type": "text", "parts": ["Vou para Recife", {"asset": "x"}]},
                },
                "parent": "n1",
                "children": ["n3"],
            },
            "n3": {
                "message": {
                    "id": "m2",
                    "author": {"role": "assistant"},
                    "content": {"content_type": "text", "parts": ["Boa viagem!"]},
                },
                "parent": "n2",
                "children": [],
            },
            "n9": {
                "message": {"id": "m9", "author": {"role": "user"}, "content": {"parts": ["another branch"]}},
                "parent": "n1",
                "children": [],
            },
        },
    }
]
CLAUDE = [
    {
        "uuid": "k1",
        "name": "Trip",
        "chat_messages": [
            {"uuid": "c1", "sender": "human", "text": "Hi", "created_at": "2025-01-01T10:00:00Z"},
            {"uuid": "c2", "sender": "assistant", "content": [{"type": "text", "text": "Hello"}]},
            {"uuid": "c3", "sender": "human", "text": ""},
        ],
    }
]


def test_tenants_and_keys_live_from_the_terminal(terminal: Terminal) -> None:
    """Opened, given a key, rotated, revoked, suspended."""
    terminal.answer("tenants", "create", "acme", "--plan", "free")
    issued = terminal.answer("keys", "issue", "admin", "--tenant", "acme", "--label", "ci")
    fresh = terminal.answer("keys", "rotate", issued["key"]["id"], "--tenant", "acme")
    terminal.answer("keys", "revoke", issued["key"]["id"], "--tenant", "acme")
    listed = terminal.answer("keys", "list", "--tenant", "acme")

    assert {issued["key"]["id"], fresh["key"]["id"]} == {item["id"] for item in listed}
    assert issued["secret"] not in json.dumps(listed)
    assert "suspended" == terminal.answer("tenants", "change", "acme", "--status", "suspended")["status"]
    assert ["acme"] == [item["id"] for item in terminal.answer("tenants", "list")]
    assert 1000 == terminal.answer("tenants", "usage", "--tenant", "acme")[0]["limit"]
    assert terminal.answer("tenants", "link", "ana", "--tenant", "acme")["token"].startswith("rml_")
    assert "operator" == terminal.answer("keys", "issue", "operator")["key"]["role"]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("keys", "issue", "king", "--tenant", "acme"), 2),
        (("tenants", "change", "acme", "--status", "asleep"), 2),
        (("import", "nothing.json", *ANA), 1),
    ],
)
def test_a_misused_command_says_how_and_exits_so(terminal: Terminal, words: tuple[str, ...], code: int) -> None:
    """Misuse is 2; what Rememora refuses raises its own error, which the entry point turns into 1."""
    done = terminal.run(*words)

    assert 0 != done.exit_code
    assert code == (2 if done.exit_code == 2 else 1)


@pytest.mark.parametrize(("content", "count"), [(CHATGPT, 2), (CLAUDE, 2)])
def test_an_export_of_another_product_comes_in_once(
    terminal: Terminal, tmp_path: Path, content: Any, count: int
) -> None:
    """The form is recognised, the seen path kept in order, and a second import adds nothing."""
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps(content))
    first = terminal.answer("import", str(file), *ANA)
    terminal.answer("import", str(file), *ANA)
    threads = terminal.answer("conversations", *ANA)

    assert (1, count) == (first["conversations"], first["messages"])
    assert [count] == [thread["messages"] for thread in threads]
    assert content[0].get("title") or content[0]["name"] == threads[0]["metadata"]["title"]
    assert "another branch" not in terminal.run("export", *ANA).stdout


def test_a_long_export_is_read_piece_by_piece(terminal: Terminal, tmp_path: Path) -> None:
    """Items longer than what is read at once come in whole."""
    sizes = enumerate([10, 900_000, 5])
    long = [{**CLAUDE[0], "uuid": f"k{n}", "chat_messages": [_said(n, size)]} for n, size in sizes]
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps(long, indent=1))
    counts = terminal.answer("import", str(file), *ANA)

    assert (3, 3) == (counts["conversations"], counts["messages"])


def test_an_import_that_was_broken_off_goes_on(terminal: Terminal, tmp_path: Path) -> None:
    """A file that ends early is refused by name; what came before it is kept, and the whole file adds the rest."""
    whole = json.dumps([{**CLAUDE[0], "uuid": f"k{n}"} for n in range(3)])
    file = tmp_path / "conversations.json"
    file.write_text(whole[: len(whole) * 2 // 3])

    assert 0 != terminal.run("import", str(file), *ANA, "--form", "claude").exit_code
    file.write_text(whole)
    terminal.answer("import", str(file), *ANA)

    assert [2, 2, 2] == [item["messages"] for item in terminal.answer("conversations", *ANA)]


def test_lines_of_json_and_memories_of_mem0_come_in(terminal: Terminal, tmp_path: Path) -> None:
    """Lines without ids are known by their number; memories pass the gate like anything said."""
    lines = tmp_path / "talk.jsonl"
    lines.write_text('{"role": "user", "content": "oi"}\n\n{"role": "assistant", "content": "olá"}\n')
    for _ in range(2):
        terminal.answer("import", str(lines), *ANA)
    mem0 = tmp_path / "mem0.json"
    items = [{"id": "1", "memory": "Prefere respostas curtas"}, {"id": "2", "memory": "ok"}]
    mem0.write_text(json.dumps({"results": items}))
    counts = terminal.answer("import", str(mem0), *ANA)

    assert [2] == [item["messages"] for item in terminal.answer("conversations", *ANA)]
    assert (1, 1) == (counts["kept"], counts["kept_whole"])


def test_memories_of_mem0_are_read_as_said(terminal: Terminal, tmp_path: Path) -> None:
    """It writes of a person in the third person; what the gate would keep of a person's own words is kept."""
    texts = [
        "Name is Ana",
        "User lives in Curitiba",
        "Works at Padaria Sol",
        "Adora café",
        "Card 4111 1111 1111 1111",
    ]
    mem0 = tmp_path / "mem0.json"
    mem0.write_text(json.dumps([{"id": str(n), "memory": text} for n, text in enumerate(texts)]))
    counts = terminal.answer("import", str(mem0), *ANA)

    known = {item["value"] for item in terminal.answer("memories", *ANA)}

    assert {"form": "mem0", "kept_silent": 1, "here_already": 0, "held": 0}.items() <= counts.items()
    assert 4 == counts["kept"] + counts["kept_whole"]
    assert {"Ana", "Curitiba", "Padaria Sol"} <= known
    assert any("café" in value for value in known)


def test_talk_context_gate_and_policy(terminal: Terminal) -> None:
    """A newcomer says something, sees what the answer would rest on, and asks the gate."""
    reply = terminal.answer("chat", "--say", "Oi, sou a Ana", *ANA)
    pack = terminal.answer("context", "quem sou eu?", *ANA)
    verdict = json.loads(CliRunner().invoke(app, ["gate", "Prefiro respostas curtas", "--json"]).stdout)
    policy = json.loads(CliRunner().invoke(app, ["policy", "--json"]).stdout)

    assert reply["answer"]["content"]
    assert pack["items"]
    assert "save" == verdict["verdict"]
    assert "categories" in policy["policy"]
    assert [] == terminal.answer("missions", *ANA)
    begun = terminal.answer("missions", "--begin", "Compare os fundos", "--session", "s1", *ANA)[0]
    turn = terminal.answer("chat", "--say", "e aí?", "--mission", begun["id"], *ANA)
    assert "s1" == begun["session"]
    assert [begun["id"]] == [item["id"] for item in terminal.answer("missions", "--session", "s1", *ANA)]
    assert [] == terminal.answer("missions", "--session", "s2", *ANA)
    assert "mission" in [item["section"] for item in turn["pack"]["items"]]
    events = terminal.answer("events", "list", "--tenant", "acme")

    assert isinstance(events, list)


def test_the_doctor_names_the_remedy(terminal: Terminal) -> None:
    """A sound store passes; a broken chain fails with exit code 4 and says what to run."""
    terminal.answer("tenants", "create", "acme")
    CliRunner().invoke(app, ["remember", "user.city", "Recife", *ANA, "--url", str(terminal.folder)])
    findings = terminal.answer("doctor")

    assert "fail" not in {finding["state"] for finding in findings}
    assert [finding for finding in findings if "keys issue admin" in finding.get("remedy", "")]
    behind(terminal.folder, "UPDATE audit SET why = 'forged'")
    done = terminal.run("doctor")

    assert 4 == done.exit_code
    assert "audit verify" in done.stdout


def test_every_command_explains_itself() -> None:
    """`--help` works for each, and the exit codes are in it."""
    shown = CliRunner().invoke(app, ["--help"]).output

    assert "Exit codes" in shown
    for name in ("serve", "work", "chat", "import", "keys", "tenants", "doctor", "bench", "gate", "policy"):
        assert 0 == CliRunner().invoke(app, [name, "--help"]).exit_code


def _said(number: int, size: int) -> dict[str, str]:
    return {"uuid": f"u{number}", "sender": "human", "text": "x" * size}


def test_the_doctor_finds_damage(terminal: Terminal) -> None:
    """A text that cannot be read is a failure with a remedy, not a traceback."""
    terminal.run("remember", "user.name", "CANARIO", *ANA)
    file = terminal.folder / FILE
    whole = terminal.answer("doctor")
    file.write_bytes(file.read_bytes().replace(b"CANARIO", b"\xff" * 7))
    done = terminal.run("doctor", "--json")
    failed = [finding for finding in json.loads(done.stdout) if finding["state"] == "fail"]

    assert [] == [finding for finding in whole if finding["state"] == "fail"]
    assert 4 == done.exit_code
    assert any("table memories: 1 rows hold text that cannot be read" in finding["what"] for finding in failed)
    assert all("backup" in finding["remedy"] for finding in failed)


def test_a_tenant_that_the_library_wrote_for_is_known_to_the_terminal(terminal: Terminal) -> None:
    """It is listed, gets keys and links, and can be changed; one of which nothing is stored stays unknown."""
    with SyncRememora.open(str(terminal.folder), background=False) as rememora:
        rememora.user("ana", tenant="acme").conversation("c1").append("user", "oi")

    assert "ana" == terminal.answer("tenants", "link", "ana", "--tenant", "acme")["user"]
    assert "admin" == terminal.answer("keys", "issue", "admin", "--tenant", "acme")["key"]["role"]
    assert ["acme"] == [item["id"] for item in terminal.answer("tenants", "list")]
    assert "Acme Ltda" == terminal.answer("tenants", "change", "acme", "--name", "Acme Ltda")["name"]
    assert terminal.run("tenants", "link", "ana", "--tenant", "nobody").exit_code


@pytest.mark.parametrize("tenants", [("acme",), ("acme", "zeta")])
async def test_serving_what_the_library_wrote_is_no_new_store(tmp_path: Path, tenants: tuple[str, ...]) -> None:
    """The first start shows keys to a tenant that is there, and for a person who is; the second shows none."""
    settings = Settings.load({"store.url": str(tmp_path), "recall.embedder": "none"}, environ={})
    async with Rememora.open(settings=settings, background=False) as rememora:
        for tenant in tenants:
            await rememora.user("ana", tenant=tenant).conversation("c1").append("user", "oi")
        first = await first_run(rememora)
        again = await first_run(rememora)
        assert first is not None
        admin = await rememora.credentials.admit(first.admin_key)
        person = await rememora.credentials.admit(first.link)

        assert (False, "acme", "ana") == (first.new, first.tenant, first.user)
        assert ("acme", "admin") == (admin.tenant, admin.role)
        assert ("acme", "ana") == (person.tenant, person.user)
        assert again is None
        assert list(tenants) == [item.id for item in (await rememora.operator(acting="x").tenants.list()).items]
