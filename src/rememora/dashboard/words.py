"""Texts of the pages in Portuguese and English, kept as data."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any, Literal

Language = Literal["pt", "en"]
LANGUAGES: tuple[Language, ...] = ("pt", "en")
TAGS = {"pt": "pt-BR", "en": "en"}


@cache
def texts(language: Language) -> dict[str, str]:
    """Every text of a language, by its dotted name."""
    raw = files(__package__).joinpath("words", f"{language}.toml").read_text("utf-8")
    return dict(_flat(tomllib.loads(raw)))


def text(language: Language, name: str, /, **values: Any) -> str:
    """One text, with values in its places."""
    template = texts(language)[name]
    return template.format(**values) if values else template


def count(language: Language, name: str, number: int, /, **values: Any) -> str:
    """A text that depends on a number: `name.one` or `name.many`."""
    return text(language, f"{name}.{'one' if number == 1 else 'many'}", n=number, **values)


def language_of(header: str) -> Language:
    """The first of a browser's languages that the pages have; English where it asks for neither."""
    tags = (part.partition(";")[0].strip().lower()[:2] for part in header.split(","))
    return next((language for tag in tags for language in LANGUAGES if language == tag), "en")


def _flat(tree: dict[str, Any], before: str = "") -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for name, value in tree.items():
        pairs += _flat(value, f"{before}{name}.") if isinstance(value, dict) else [(before + name, value)]
    return pairs
