"""Every cache keyed by text is one that an erasure empties, or holds nothing that a person may have said."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.house.source import PACKAGE

from rememora.caches import forget_people, forgets, person_cache

HARMLESS = {
    "context/fence.py:_shown": "single characters",
    "gate/lexicon.py:_frames": "paths of rules",
    "history/sentences.py:compiled": "patterns of this program",
    "ranking/when/asking.py:compiled": "patterns of this program",
    "language/words.py:_informal": "names of languages",
    "gate/answers.py:_pattern": "names of forms",
    "gate/erasure.py:_said": "names of kinds of words",
    "gate/pointing.py:_forms": "names of forms",
    "language/packs.py:attributes_of": "names of languages",
    "language/packs.py:calendar_of": "names of languages",
    "language/packs.py:control_of": "names of languages",
    "language/packs.py:facts_of": "names of languages",
    "language/packs.py:names_of_days": "names of languages",
    "language/packs.py:questions_of": "names of languages",
    "language/packs.py:gate_words_of": "names of languages",
    "language/packs.py:lexicon_of": "names of languages",
    "language/packs.py:phrases_of": "names of languages",
    "language/packs.py:figure_words_of": "names of languages",
    "language/packs.py:topic_words_of": "names of languages",
    "language/packs.py:cue_words_of": "names of languages",
    "language/packs.py:length_words_of": "names of languages",
    "language/packs.py:reasons_of": "names of languages",
    "language/packs.py:_base_of": "names of languages",
    "language/packs.py:replies_of": "names of languages",
    "language/packs.py:words_of": "names of languages",
    "ranking/when/rewriting.py:_rewrites": "names of languages",
    "adapters/sql/queries/__init__.py:queries": "names of engines",
    "adapters/sql/queries/__init__.py:own": "names of engines",
    "adapters/sql/postgres/texts.py:text": "names of statements",
    "adapters/sql/postgres/session.py:own_statement": "names of statements",
    "adapters/sql/schema.py:snapshot": "names of engines",
    "adapters/sql/packing.py:_named": "names of types of this package",
    "dashboard/frame.py:_file": "a file of the package",
    "server/pages/frame.py:_text": "names of files of this package",
}
"""Caches keyed by text that nobody but this program writes, and what that text is."""

PLAIN = {"cache", "lru_cache"}


def decorated() -> Iterator[tuple[str, ast.FunctionDef]]:
    """Every function of the package that is cached by the plain decorators."""
    for file in sorted(Path(PACKAGE).rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and any(_name(item) in PLAIN for item in node.decorator_list):
                yield f"{file.relative_to(PACKAGE)}:{node.name}", node


def _name(node: ast.expr) -> str:
    called = node.func if isinstance(node, ast.Call) else node
    return called.id if isinstance(called, ast.Name) else getattr(called, "attr", "")


def _takes_text(function: ast.FunctionDef) -> bool:
    given = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    given += [function.args.vararg] if function.args.vararg is not None else []
    kinds = [ast.unparse(item.annotation) for item in given if item.annotation is not None]
    return any(kind.split("|")[0].strip() in ("str", "object", "bytes") for kind in kinds)


def test_a_cache_keyed_by_text_is_emptied_by_an_erasure() -> None:
    """`lru_cache` on a text is a copy of it that no table knows of: such a cache is a `person_cache`."""
    keyed = {name for name, function in decorated() if _takes_text(function)}

    assert set() == keyed - HARMLESS.keys()
    assert set() == HARMLESS.keys() - keyed


def test_dictionaries_that_remember_words_are_registered() -> None:
    """A module or class that keeps words under the names below says how they are forgotten."""
    kept = ("self._known: dict[str", "_known: dict[str", "_seen: dict[str", "_cache: dict[str")
    keeping = [
        str(file.relative_to(PACKAGE))
        for file in sorted(Path(PACKAGE).rglob("*.py"))
        if any(mark in file.read_text(encoding="utf-8") for mark in kept)
    ]
    keeping = [name for name in keeping if name != "tenancy/quotas.py"]  # What it knows are tenants.
    registered = [name for name in keeping if "forgets(" in (Path(PACKAGE) / name).read_text(encoding="utf-8")]

    assert keeping == registered


def test_an_erasure_empties_what_is_registered() -> None:
    """Functions and methods alike; what is gone itself is not asked."""
    calls: list[str] = []

    @person_cache(maxsize=8)
    def known(text: str) -> str:
        return text.upper()

    class Holder:
        def forget(self) -> None:
            calls.append("forgot")

    holder = Holder()
    forgets(holder.forget)
    known("segredo")
    forget_people()
    held = known.cache_info().currsize
    del holder
    forget_people()

    assert 0 == held
    assert ["forgot"] == calls
