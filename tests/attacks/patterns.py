"""Every regular expression of the package, as it is compiled, with the module that compiles it."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import sys
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any, NamedTuple

import rememora

_RULES = ("words", "orders", "sensitive", "intents", "worth", "facts", "personal", "topics")
_SKIPPED = ("rememora.adapters.sql.migrations",)
_COMPILERS = ("gate/patterns.py",)
_compiler: Any = importlib.import_module("re._compiler")


class Compiled(NamedTuple):
    """A pattern, its flags and the file that compiled it."""

    pattern: str
    flags: int
    place: str


def every_pattern() -> list[Compiled]:
    """Import and build everything afresh in this process, and note what is compiled meanwhile."""
    patterns: dict[tuple[str, int], Compiled] = {}
    compile_one = _compiler.compile

    def noting(pattern: Any, flags: int = 0) -> Any:
        place = _caller()
        if isinstance(pattern, str) and place:
            patterns.setdefault((pattern, int(flags)), Compiled(pattern, int(flags), place))
        return compile_one(pattern, flags)

    re.purge()
    _compiler.compile = noting
    try:
        for item in _build_all():
            patterns.setdefault((item.pattern, item.flags), item)
        _read_all()
    finally:
        _compiler.compile = compile_one
    # Rules of the gate are compiled many lines at a time; they are listed line by line.
    apart = [value for value in patterns.values() if value.place not in _COMPILERS]
    return [*apart, *{line.pattern: line for line in rule_lines()}.values()]


def _caller() -> str:
    """The file of the package that asks for a pattern, if it is one of the package."""
    frame = sys._getframe(2)
    while "/re/__init__" in frame.f_code.co_filename and frame.f_back is not None:
        frame = frame.f_back
    name = frame.f_code.co_filename
    return name.rpartition("/rememora/")[2] if "/src/rememora/" in name else ""


def _modules() -> Iterator[ModuleType]:
    """Every module of the package whose own needs are installed here."""
    for module in list(pkgutil.walk_packages(rememora.__path__, "rememora.")):
        if not module.name.startswith(_SKIPPED):
            try:
                yield importlib.import_module(module.name)
            except ImportError:
                continue


def _build_all() -> Iterator[Compiled]:
    """Patterns held by modules or written in calls; what builds one when first used is called meanwhile."""
    for module in _modules():
        place = str(module.__file__).rpartition("/rememora/")[2]
        for made in vars(module).values():
            if hasattr(made, "cache_clear") and not inspect.signature(made).parameters:
                made.cache_clear()
                made()
            yield from (Compiled(item.pattern, _own_flags(item), place) for item in _held(made))
        tree = ast.parse(inspect.getsource(module))
        yield from (Compiled(text, 0, place) for text in _written(tree))


def _held(value: Any) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern):
        if isinstance(value.pattern, str):
            yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _held(item)
    elif isinstance(value, tuple | list):
        for item in value:
            yield from _held(item)


def _own_flags(pattern: re.Pattern[str]) -> int:
    return pattern.flags & ~re.UNICODE


def _written(tree: ast.AST) -> Iterator[str]:
    """Constant patterns of calls such as `re.search(r"…", text)`, and of types (`Meta(pattern=r"…")`)."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and called.value.id == "re":
            named = [*node.args[:1], *(keyword.value for keyword in node.keywords if keyword.arg == "pattern")]
        else:
            named = [keyword.value for keyword in node.keywords if keyword.arg == "pattern"]
        yield from (item.value for item in named if isinstance(item, ast.Constant) and isinstance(item.value, str))


def _read_all() -> None:
    """Read texts that lead through the patterns put together where they are used."""
    from rememora.gate.judge import evaluate
    from rememora.knowledge.mentions import mentions

    for text in (
        "Meu nome é Ana Souza, trabalho na Acme em Recife desde 2020 e o CAC passou de R$ 30 para R$ 40.",
        "Errado, o prazo é dia 12, não 10!",
        "Use the OpenAI API at https://example.com or mail ana@example.com.",
    ):
        evaluate(text)
        mentions(text)
    _read_control()


def _read_control() -> None:
    """Read what only points, answers and times, whose patterns are made of the words of the language packs."""
    from rememora.gate import answers, erasure, pointing
    from rememora.ranking.when import rewriting

    for made in (pointing._forms, answers._pattern, erasure._said, rewriting._rewrites):
        made.cache_clear()
    for name in pointing._FRAMES:
        pointing._forms(name)
    for name in answers._FORMS:
        answers._pattern(name)
    for name in ("final", "formal"):
        erasure._said(name)
    rewriting._rewrites("es")


def rule_lines() -> Iterator[Compiled]:
    """Each line of each rule file as the pattern it becomes; plain words are patterns as well."""
    from rememora.gate import patterns
    from rememora.gate.policy import load_policy

    policy = load_policy()
    for name in _RULES:
        for block in _leaves({key: value for key, value in policy.document[name].items() if key != "words"}):
            for line in patterns.lines(block):
                try:
                    yield Compiled(patterns.single(line, policy._words).pattern, 0, f"gate/rules/{name}.toml")
                except re.error:
                    continue


def _leaves(piece: Any) -> Iterator[str]:
    if isinstance(piece, str):
        yield piece
    elif isinstance(piece, Mapping):
        for value in piece.values():
            yield from _leaves(value)
    elif isinstance(piece, list):
        for value in piece:
            yield from _leaves(value)
