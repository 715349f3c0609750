"""The policy: versioned files in this package, read once and served unchanged."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any, cast

import msgspec

from rememora.domain.profile import KEYS
from rememora.domain.verdict import VerdictReason
from rememora.gate import pack_words, patterns
from rememora.gate.months import calendar_words
from rememora.language.packs import CODES, attributes_of, reasons_of
from rememora.reading.labels import ATTRIBUTES

_FOLDER = Path(__file__).with_name("rules")
# Every file of `rules/`; with the words of the packs they are the policy document, which is served unchanged.
_FILES = (
    "policy",
    "words",
    "lexicon",
    "orders",
    "sensitive",
    "intents",
    "worth",
    "facts",
    "personal",
    "topics",
)


INSIST = "insist"
"""Code of the sentence that follows a sensitive reason where the person can insist."""

GENERAL = "operating"
"""The namespace of statements that no rule reads closer."""

STATEMENTS = ("rule", "note")
"""Names of a statement there where no word of it names it: one that is sure, and one that is doubtful."""


class Category(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of memory, the namespaces of its keys and who reads it by default."""

    name: str
    pt: str
    en: str
    scope: str
    namespaces: tuple[str, ...]


class Policy:
    """The rules as plain data (`document`) and, compiled when first used, as patterns."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.document = document
        self._words: Mapping[str, str] = document["words"]["words"]
        self._listed = {name: frozenset(entries) for name, entries in document["lists"].items()}
        self._compiled: dict[tuple[str, ...], Any] = {}

    @property
    def version(self) -> str:
        """Version of the rules."""
        return str(self.document["policy"]["version"])

    @cached_property
    def categories(self) -> tuple[Category, ...]:
        """All categories in their order."""
        return tuple(
            msgspec.convert({"name": name, **fields}, Category)
            for name, fields in self.document["policy"]["categories"].items()
        )

    @cached_property
    def _category_of_namespace(self) -> dict[str, str]:
        return {space: category.name for category in self.categories for space in category.namespaces}

    def category_of(self, key: str) -> str | None:
        """Category of a dotted key by its namespace."""
        return self._category_of_namespace.get(key.partition(".")[0])

    @cached_property
    def fixed_keys(self) -> frozenset[str]:
        """Keys that rules write out whole, and those that have a name of their own: they hold nobody's words."""
        general = {f"{GENERAL}.{name}" for name in STATEMENTS}
        named = (key for code in CODES for key in attributes_of(code).labels)
        return frozenset({*KEYS.values(), *self._rule_keys, *general, *named})

    @cached_property
    def attributes(self) -> frozenset[str]:
        """Names of attributes that hold nobody's words: those that are read, and the ends of fixed keys."""
        return frozenset({*ATTRIBUTES, *(key.rpartition(".")[2] for key in self.fixed_keys)})

    @cached_property
    def key_stems(self) -> frozenset[str]:
        """Beginnings of keys whose rest is made of a message's words: `people.`, `operating.note_`."""
        spaces = {f"{space}." for space in self._category_of_namespace}
        return frozenset({*spaces, *(f"{GENERAL}.{name}_" for name in STATEMENTS)})

    @cached_property
    def _rule_keys(self) -> frozenset[str]:
        return frozenset(rule["key"] for rule in self.document["facts"]["rule"])

    def threshold(self, name: str) -> float:
        """A number of the policy."""
        return float(self.document["policy"]["thresholds"][name])

    def why(self, code: str) -> VerdictReason:
        """The human reason behind a code."""
        return reason_of(code)

    def why_insist(self, code: str) -> VerdictReason:
        """The reason why something sensitive is refused, and what it takes to have it kept all the same."""
        reason, how = self.why(code), self.why(INSIST)
        others = {code: f"{text} {how.told_in(code)}" for code, text in reason.others.items()}
        return VerdictReason(pt=f"{reason.pt} {how.pt}", en=f"{reason.en} {how.en}", others=others)

    def plain(self, *path: str) -> Any:
        """A piece of the document as it is written."""
        piece: Any = self.document
        for name in path:
            piece = piece[name]
        return piece

    def listed(self, name: str) -> frozenset[str]:
        """The plain words of a list."""
        return self._listed[name]

    def any_of(self, text: str, *path: str) -> re.Match[str] | None:
        """A match of any of the lines under `path`."""
        for pattern in self._compile(path, patterns.union):
            if match := pattern.search(text):
                return cast("re.Match[str]", match)
        return None

    def one(self, *path: str) -> re.Pattern[str]:
        """The single pattern under `path`."""
        pattern: re.Pattern[str] = self._compile(path, patterns.single)
        return pattern

    def each(self, *path: str) -> tuple[re.Pattern[str], ...]:
        """A pattern a line under `path`."""
        compiled: tuple[re.Pattern[str], ...] = self._compile(path, patterns.each)
        return compiled

    def compile_each(self, block: str) -> tuple[re.Pattern[str], ...]:
        """Patterns of a block that has no path of its own, such as a rule in a list."""
        return patterns.each(block, self._words)

    def _compile(self, path: tuple[str, ...], how: Any) -> Any:
        if path not in self._compiled:
            self._compiled[path] = how(self.plain(*path), self._words)
        return self._compiled[path]


def reason_of(code: str) -> VerdictReason:
    """Return the human reason behind a code, in every language that has a pack."""
    said = {language: reasons_of(language)[code] for language in CODES}
    return VerdictReason(pt=said.pop("pt"), en=said.pop("en"), others=said)


def is_policy_loaded() -> bool:
    """Return whether the policy is there already; reading it from its files takes a while."""
    return load_policy.cache_info().currsize > 0


@cache
def load_policy() -> Policy:
    """The policy that ships with the package."""
    known = pack_words.lines()
    document = {
        name: pack_words.with_lines(tomllib.loads((_FOLDER / f"{name}.toml").read_text("utf-8")), known)
        for name in _FILES
    }
    document["reasons"] = {
        code: {language: reasons_of(language)[code] for language in CODES} for code in reasons_of("en")
    }
    for name, category in document["policy"]["categories"].items():
        category.update(pack_words.labels(name))
    document["lexicon"] = pack_words.classes(document["lexicon"])
    document["facts"]["rule"] = pack_words.fact_rules(document["facts"]["rule"])
    document["intents"]["forget"]["everything"] = pack_words.everything()
    document["topics"]["attributes"] = pack_words.pointed_at(document["topics"]["attributes"])
    document["words"]["words"] = {**pack_words.words(document["words"]["words"]), **calendar_words()}
    document["lists"] = pack_words.lists(document["words"].pop("lists"))
    document["pairs"] = pack_words.pairs()
    return Policy(document)
