"""The reference pages are what the code says, and each error is one that can be met."""

from __future__ import annotations

import ast
import inspect
import re
from typing import get_args, get_origin

import msgspec
from tests.house.source import PACKAGE, ROOT, modules
from tests.looped import looped
from tools.python_reference import functions, handles, members, signature, types
from tools.write_reference import FOLDER, PAGES, commands, error_types
from typer.main import get_command

import rememora
from rememora import Rememora, errors, missions
from rememora.cli import app
from rememora.domain.event import PAYLOADS
from rememora.handles.user.memories import UserMemories
from rememora.knowledge.export import Document, HeldConversation, HeldMemory
from rememora.server.routes import table
from rememora.server.routes.chat import ChatMessage
from rememora.server.routes.memories import MemoryTarget
from rememora.settings import ALIASES, all_settings, env_name
from rememora.sync.shell import Shell

ASYNC_ONLY = frozenset({"board", "bus"})
"""What agents hold while they work: async by nature, so plain code has no use for it."""

HIDDEN = frozenset({"TERMS", "Agent", "Gate", "Missions", "promote", "sweep"})
"""Names of `rememora.missions` without a heading: its own wiring, a constant, functions that the host writes."""


@looped("page", PAGES)
def test_a_page_is_what_the_code_says(page: str) -> None:
    """`make docs` was run after the last change."""
    assert PAGES[page]() == (FOLDER / page).read_text(encoding="utf-8")


def test_every_setting_is_documented() -> None:
    """Under its own name, its variable, and the names of hosts."""
    text = (FOLDER / "settings.md").read_text(encoding="utf-8")
    names = [*all_settings(), *map(env_name, all_settings()), *ALIASES]

    assert [] == [name for name in names if f"`{name}`" not in text]


def test_every_error_event_and_command_is_documented() -> None:
    """Each has its place on its page."""
    places = {
        "errors.md": [f"`{error.__name__}`" for error in error_types()],
        "events.md": [f"## {kind.type}\n" for kind in PAYLOADS],
        "cli.md": [f"## {path}\n" for path, _ in commands(get_command(app), "rememora")],
    }

    assert all(places.values())
    for page, names in places.items():
        text = (FOLDER / page).read_text(encoding="utf-8")

        assert [] == [name for name in names if name not in text]


def test_every_field_of_every_body_is_documented() -> None:
    """Under the name of its body stand its fields, and which of them have to be sent."""
    text = (FOLDER / "rest.md").read_text(encoding="utf-8")
    kinds = {route.body for route in table() if isinstance(route.body, type(msgspec.Struct))}

    assert {MemoryTarget, ChatMessage} <= kinds
    for kind in kinds:
        shown = text.partition(f"\n### {kind.__name__}\n")[2].partition("\n#")[0]
        rows = {line.split("`")[1]: line.endswith("| required |") for line in shown.splitlines() if "| `" in line}

        assert {field.encode_name: field.required for field in msgspec.structs.fields(kind)} == rows


def test_every_public_name_of_the_package_is_documented() -> None:
    """Every exported name is a handle, a type, a function or a right on the pages, or the twin of a handle."""
    shown = {kind.__name__ for kind in (*handles(), *types())} | {item.__name__ for item in functions()}
    text = (FOLDER / "python.md").read_text(encoding="utf-8")
    names = [*rememora.__all__, *missions.__all__]

    assert {"Conversation", "Tenant", "Hit", "Profile", "TenantAccount", "verify_webhook"} <= shown
    assert [] == [name for name in names if name not in shown and f"`{name}`" not in text and name not in HIDDEN]


def test_every_verb_of_a_handle_is_documented() -> None:
    """Each class of the handles is met on the way from `Rememora`, and each of its verbs has its place."""
    text = (FOLDER / "python.md").read_text(encoding="utf-8")
    verbs = {
        f"{node.name}.{item.name}"
        for path, tree in modules().items()
        if path.startswith("handles/") and path != "handles/deprecated.py"
        for node in tree.body
        if isinstance(node, ast.ClassDef)
        for item in node.body
        if isinstance(item, ast.AsyncFunctionDef) and not item.name.startswith("_")
    }

    assert 90 < len(verbs)
    assert [] == [verb for verb in sorted(verbs) if f"\n### {verb}\n" not in text]
    assert [] == [kind.__name__ for kind in handles() for _, member in members(kind) if not member.__doc__]


def test_a_signature_is_as_it_was_written() -> None:
    """Names, types and defaults, broken into lines where it is long; the object itself is left out."""
    opened = signature(vars(Rememora)["open"].__func__)

    assert "async def confirm(memory: str) -> Memory" == signature(UserMemories.confirm)
    assert opened.startswith("@classmethod\ndef open(\n    url: str | None = None,\n    *,\n")
    assert opened.endswith("    background: bool = True,\n) -> Opening")


async def test_an_export_holds_what_its_page_says() -> None:
    """Each field has its row, and what an import reads is marked so."""
    text = (FOLDER / "export-format.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| `")]
    shown = {name: row[-1] for row in rows for name in re.findall(r"`(\w+)`", row[0])}
    async with Rememora.open(":memory:", background=False) as memory:
        document = await memory.user("ana", tenant="acme").archive.export()
    read = {name for name, word in shown.items() if word in ("yes", "checked")}

    assert set(document) == set(shown)
    assert {*Document.__struct_fields__, "agents"} == read
    for kind in (HeldMemory, HeldConversation):
        assert [] == [name for name in kind.__struct_fields__ if f'"{name}": ' not in text]


def test_every_command_and_option_says_what_it_does() -> None:
    """No command, and no option of one, is without its sentence."""
    silent = [
        f"{path} {option.name}"
        for path, command in commands(get_command(app), "rememora")
        for option in command.params
        if not getattr(option, "help", None) or not command.help
    ]

    assert [] == silent


def test_every_error_can_be_met() -> None:
    """Each leaf of the tree is made somewhere in the package, or should not exist."""
    made = {
        node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        for path, tree in modules().items()
        if path != "errors.py"
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
    }
    made |= {
        ast.unparse(node.exc)
        for tree in modules().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Raise) and node.exc is not None
    }
    made |= {
        node.id
        for tree in modules().values()
        for table in ast.walk(tree)
        if isinstance(table, ast.Dict)
        for node in table.values
        if isinstance(node, ast.Name)
    }
    leaves = [error.__name__ for error in error_types() if not error.__subclasses__()]

    assert [] == [name for name in leaves if name not in made]


def test_errors_are_one_tree() -> None:
    """Codes are unique and spelt like the class, each class is drawn, and its docstring is one line."""
    codes = [error.code for error in error_types()]

    assert len(codes) == len(set(codes))
    for error in error_types():
        assert error.__name__ in (errors.__doc__ or "")
        assert re.fullmatch(r"[^\n]+\.", inspect.getdoc(error) or "")


def test_every_part_by_hand_is_where_the_page_says() -> None:
    """The list of what is written by hand names files and folders that exist."""
    text = (ROOT / "docs/why/dependencies.md").read_text(encoding="utf-8").partition("## Written by hand")[2]
    rows = [
        line.split("|")[1] for line in text.splitlines() if line.startswith("| ") and "`" in line.split("|")[1]
    ]
    named = [name for row in rows for name in re.findall(r"`([a-z_]+[/.][a-z_./]*)`", row)]

    assert 30 < len(named)
    assert [] == [name for name in named if not any((at / name).exists() for at in (PACKAGE, ROOT))]


@looped(
    "shell",
    sorted(
        # A shell of another product's own class has that product's name.
        (kind for kind in Shell.__subclasses__() if kind.__module__.startswith("rememora.sync")),
        key=lambda kind: kind.__name__,
    ),
)
def test_sync_has_the_same_verbs(shell: type) -> None:
    """The same names, parameters, defaults and docstrings as the handle's own; what is returned has no `await`."""
    (handle,) = (get_args(base)[0] for base in vars(shell)["__orig_bases__"] if get_origin(base) is Shell)

    assert f"Sync{handle.__name__}" == shell.__name__
    assert _verbs(handle) == _verbs(shell)
    assert [] == [name for name, member in vars(shell).items() if inspect.iscoroutinefunction(member)]


def test_every_handle_has_a_shell() -> None:
    """A new class of the handles with verbs of its own is reached from plain code too."""
    handles = {
        node.name
        for path, tree in modules().items()
        if path.startswith("handles/")
        for node in tree.body
        if isinstance(node, ast.ClassDef)
        and any(isinstance(item, ast.AsyncFunctionDef) and not item.name.startswith("_") for item in node.body)
    }

    assert {f"Sync{name}" for name in handles} <= {shell.__name__ for shell in Shell.__subclasses__()}


def _verbs(kind: type) -> dict[str, str]:
    result: dict[str, str] = {}
    for name, member in vars(kind).items():
        inner = getattr(member, "__func__", member)
        if name in ASYNC_ONLY or name.startswith("_") or (name == "open" and "Rememora" in kind.__name__):
            continue
        if inspect.isfunction(inner):
            signature = inspect.signature(inner).replace(return_annotation=inspect.Signature.empty)
            result[name] = f"{signature} {inspect.getdoc(inner)}"
        else:
            # A noun is a property of the handle; its shell returns the noun's shell.
            returned = member.fget.__annotations__["return"] if isinstance(member, property) else None
            result[name] = str(returned or member.shell.__name__).removeprefix("Sync")
    return result
