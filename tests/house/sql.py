"""Reads a query just far enough to know whether each table in it is bound to the tenant."""

from __future__ import annotations

import re

_TEXT = re.compile(r"'(?:[^']|'')*'")
_TABLE = re.compile(
    r"\b(?:FROM|JOIN|UPDATE|INTO)\s+(?!SELECT|LATERAL\b|\w+\s*\()(\w+)(?:\s+(?:AS\s+)?(\w+))?", re.IGNORECASE
)
_BOUND = re.compile(r"(?:\b(\w+)\.)?\btenant_id\s*=\s*(?:(:tenant)\b|(\w+)\.tenant_id\b)")
_INSERT = re.compile(r"\bINSERT\s+INTO\s+(\w+)\s*\(([^)]*)\)\s*VALUES\s*\(([^)]*)\)", re.IGNORECASE)
_COPY = re.compile(
    r"\bINSERT\s+INTO\s+(\w+)\s*\(([^)]*)\)\s*(SELECT\s+(.*?)\s+FROM\s.*?)(?=\bON\s+CONFLICT\b|$)",
    re.IGNORECASE | re.DOTALL,
)
_CONFLICT = re.compile(r"\bON\s+CONFLICT\s*\(([^)]*)\)", re.IGNORECASE)
_KEYWORDS = frozenset(
    ("where", "set", "on", "join", "left", "inner", "cross", "order", "group", "limit", "values", "union", "using")
)


def unbound(sql: str) -> list[str]:
    """The tables of a query that may show or change another tenant's rows."""
    plain = _TEXT.sub("''", sql)
    insert = _INSERT.search(plain)
    if insert is not None:
        table, columns, values = insert.groups()
        into = [] if _inserts_for_tenant(plain, columns, values) else [table]
        return into + _answered(plain)
    copy = _COPY.search(plain)
    if copy is not None:
        table, columns, source, values = copy.groups()
        into = [] if _inserts_for_tenant(plain, columns, values) else [table]
        return into + _unbound(source, outer=frozenset()) + _answered(plain)
    return _unbound(plain, outer=frozenset())


def _answered(sql: str) -> list[str]:
    """The tables that an INSERT asks for its answer."""
    _, *answer = re.split(r"\bRETURNING\b", sql, flags=re.IGNORECASE)
    return _unbound(" ".join(answer), outer=frozenset())


def _inserts_for_tenant(sql: str, named: str, given: str) -> bool:
    columns, values = ([part.strip() for part in text.split(",")] for text in (named, given))
    conflict = _CONFLICT.search(sql)
    in_conflict = conflict is None or "tenant_id" in [part.strip() for part in conflict.group(1).split(",")]
    return dict(zip(columns, values, strict=False)).get("tenant_id") == ":tenant" and in_conflict


def _unbound(sql: str, *, outer: frozenset[str]) -> list[str]:
    """A statement and, for themselves, the queries inside it; `outer` is bound around it already."""
    mine, inner = _split(sql)
    texts: list[str] = []
    for arm in re.split(r"\b(?:UNION(?:\s+ALL)?|EXCEPT|INTERSECT)\b", mine, flags=re.IGNORECASE):
        tables = _tables(arm)
        # A table named again inside is another reading of it, and must be bound again.
        bound = _closed(_bindings(arm, tables), outer - tables.keys())
        texts += [table for alias, table in tables.items() if alias not in bound]
        outer = outer | bound
    return texts + [table for item in inner for table in _unbound(item, outer=outer)]


def _split(sql: str) -> tuple[str, list[str]]:
    """The text outside all brackets, and the queries that stand in brackets."""
    text, inner, depth, start = "", [], 0, 0
    for place, char in enumerate(sql):
        if char == "(":
            start = place + 1 if depth == 0 else start
            depth += 1
        elif char == ")":
            depth -= 1
            if depth == 0:
                inner.append(sql[start:place])
                text += " () "
        elif depth == 0:
            text += char
    return text, [item for item in inner if re.search(r"\bSELECT\b", item, re.IGNORECASE)]


def _tables(sql: str) -> dict[str, str]:
    named = ((table, alias) for table, alias in _TABLE.findall(sql))
    return {(table if not alias or alias.lower() in _KEYWORDS else alias): table for table, alias in named}


def _bindings(sql: str, tables: dict[str, str]) -> dict[str, set[str]]:
    """Which alias is held equal to what: the parameter, or another alias. An OR beside it holds nothing."""
    if re.search(r"\bOR\b", sql, re.IGNORECASE):
        return {}
    held: dict[str, set[str]] = {}
    for alias, parameter, other in _BOUND.findall(sql):
        mine = alias or (next(iter(tables)) if len(tables) == 1 else "")
        held.setdefault(mine, set()).add(parameter or other)
        if other:
            held.setdefault(other, set()).add(mine)
    return held


def _closed(held: dict[str, set[str]], outer: frozenset[str]) -> frozenset[str]:
    """Every alias that leads to the parameter, directly or through others."""
    bound = {":tenant", *outer}
    while fresh := {alias for alias, others in held.items() if others & bound} - bound:
        bound |= fresh
    return frozenset(bound - {":tenant"})
