"""Each `rememora …` of a page is a command of the program, with options that it takes."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from itertools import takewhile
from typing import Any

import pytest
import typer
from tests.house.source import ROOT
from tests.looped import looped
from typer.main import get_command

from rememora.cli import app

PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "clients").glob("*/*.md")]
SHELL = re.compile(r"^ *```(?:console|sh|bash|shell)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"(?<!`)`(rememora [^`\n]+)`(?!`)")
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"rememora [=:({]")
SET = re.compile(r"[A-Z_]+=.*")
BETWEEN, AWAY = {"&&", "||", "|", ";"}, {">", ">>", "<", "2>", "&"}
CUT = "…"
"""Stands for words that the page leaves out."""


def calls(line: str) -> Iterator[list[str]]:
    """The arguments of each call of the program in a line of shell, also of one that another program starts."""
    words = [*shlex.split(line, comments=True), ";"]
    while words:
        command = list(takewhile(lambda word: word not in BETWEEN, words))
        words = words[len(command) + 1 :]
        while command and SET.fullmatch(command[0]):
            command.pop(0)
        if "--" in command and "rememora" in command[command.index("--") + 1 :][:1]:
            command = command[command.index("--") + 1 :]
        if command and command[0].rpartition("/")[2] == "rememora":
            yield list(takewhile(lambda word: word not in AWAY, command[1:]))


def shell_lines(text: str) -> Iterator[str]:
    """The commands of the shell blocks of a page; a block with a prompt has output too."""
    for block in SHELL.findall(text):
        lines = block.replace("\\\n", " ").splitlines()
        prompted = [line.strip()[2:] for line in lines if line.strip().startswith("$ ")]
        yield from prompted or (line for line in lines if "rememora " in line)


def fault(command: Any, arguments: list[str]) -> str:
    """Return the fault of a call, or nothing; the call is parsed, and no command runs."""
    context = command.context_class(command)
    try:
        given, rest, _ = command.make_parser(context).parse_args(args=list(arguments))
    except MISUSED as error:
        return f"{command.name}: {error}"
    inner = getattr(command, "commands", None)
    if inner is not None and rest and rest[0] in inner:
        return fault(inner[rest[0]], rest[1:])
    if rest:
        return f"{command.name} takes no {rest[0]!r}"
    if inner is not None and not command.invoke_without_command:
        return f"{command.name} needs a command"
    missing = [item.name for item in command.params if item.required and given.get(item.name) in (None, [], ())]
    return f"{command.name} needs {', '.join(missing)}" if missing else ""


def unknown(command: Any, words: list[str]) -> str:
    """The first word of a call, parts of which may be left out, that is neither a command nor an option."""
    for number, word in enumerate(words):
        inner = getattr(command, "commands", None)
        names = {name for item in command.params for name in (*item.opts, *item.secondary_opts)}
        if word.startswith("--") and word.partition("=")[0] not in names:
            return f"{command.name} has no option {word}"
        if inner is not None and not word.startswith("-") and CUT not in word:
            ways, rest = word.split("|"), words[number + 1 :]
            faults = [unknown(inner[way], rest) if way in inner else f"{command.name}: no {way!r}" for way in ways]
            return next(filter(None, faults), "")
    return ""


PROGRAM = get_command(app)
MISUSED: type[Exception] = typer.BadParameter.__mro__[1]
"""The error that click raises for a wrong call; typer may bring a copy of click, whose class is another."""


@looped("name", [str(page.relative_to(ROOT)) for page in PAGES])
def test_every_command_of_a_page_is_one(name: str) -> None:
    """In a shell block with all that it needs; in a sentence with names that exist."""
    text = (ROOT / name).read_text(encoding="utf-8")
    whole = [(line, fault(PROGRAM, call)) for line in shell_lines(text) for call in calls(line)]
    mentioned = [words for words in INLINE.findall(FENCED.sub("", text)) if not CODE.match(words)]
    parts = [(words, unknown(PROGRAM, words.split()[1:])) for words in mentioned]

    assert [] == [f"{line}: {wrong}" for line, wrong in (*whole, *parts) if wrong]


def test_the_pages_have_commands() -> None:
    """The rule above looks at something."""
    texts = [page.read_text(encoding="utf-8") for page in PAGES]

    assert 60 < sum(1 for text in texts for line in shell_lines(text) for _ in calls(line))


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("rememora serve --demo", ""),
        ("rememora erase --verify receipt.json && .venv/bin/rememora doctor > file  # a word", ""),
        ("KEY=1 other add rememora -- rememora mcp --tenant home", ""),
        ("rememora remembr user.name Ana", "takes no 'remembr'"),
        ("rememora events tail --tennant acme", "--tennant"),
        ("rememora keys rotate", "needs id"),
        ("rememora transfer --from ./here", "needs target"),
        ("rememora serve now", "takes no 'now'"),
        ("rememora events", "needs a command"),
    ],
)
def test_a_wrong_command_is_found(line: str, wrong: str) -> None:
    """Unknown commands and options, what is missing, and what is too much."""
    faults = [fault(PROGRAM, call) for call in calls(line)]

    assert faults
    assert [""] * len(faults) == faults if not wrong else wrong in faults[0]
