"""The named queries: SQL in files, loaded by name, overridden per engine by the same name."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import msgspec

from rememora.adapters.sql.tables import tables

_HEAD = re.compile(r"^-- name: (\w+)\n", re.MULTILINE)
_COMMENT = re.compile(r"^-- (.*)\n", re.MULTILINE)
_OPERATOR = "operator: "


class NamedQuery(msgspec.Struct, frozen=True, kw_only=True):
    """One named statement; only an operator's may look across tenants."""

    name: str
    about: str
    sql: str
    operator: bool


@cache
def queries(engine: str) -> dict[str, NamedQuery]:
    """All queries as `engine` runs them."""
    folder = Path(__file__).parent
    named = moving() | _read(folder)
    overrides = folder / engine
    if overrides.is_dir():
        named |= _read(overrides)
    return named


@cache
def own(engine: str) -> dict[str, NamedQuery]:
    """Return the queries of this engine only; names in braces are tables and roles, never parameters."""
    return _read(Path(__file__).parent / engine / "own")


@cache
def moving() -> dict[str, NamedQuery]:
    """The queries that move every table from one store to another."""
    template = (Path(__file__).parent / "moving.template").read_text(encoding="utf-8")
    return {query.name: query for table in tables() for query in parse(table.fill(template))}


def _read(folder: Path) -> dict[str, NamedQuery]:
    named: dict[str, NamedQuery] = {}
    for file in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if file.name.endswith(".sql"):
            for query in parse(file.read_text(encoding="utf-8")):
                if query.name in named:
                    raise ValueError(f"query {query.name} is defined twice")
                named[query.name] = query
    return named


def parse(text: str) -> list[NamedQuery]:
    """The queries of one file."""
    _, *parts = _HEAD.split(text)
    return [_query(name, body) for name, body in zip(parts[::2], parts[1::2], strict=True)]


def _query(name: str, body: str) -> NamedQuery:
    about = " ".join(_COMMENT.findall(body))
    return NamedQuery(
        name=name,
        about=about.removeprefix(_OPERATOR),
        sql=_COMMENT.sub("", body).strip().removesuffix(";"),
        operator=about.startswith(_OPERATOR),
    )
