"""Tables say why: a stranger learns from a comment or a docstring what a table is for."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator
from itertools import pairwise

from tests.house.source import PACKAGE, modules

LONG = 4
"""Lines from which on a constant at the head of a module is a table."""
GENERATED = ("adapters/sql/migrations/",)
Table = ast.Assign | ast.AnnAssign


def runs(tree: ast.Module) -> Iterator[list[ast.stmt]]:
    """Statements of a module that stand together: those between two blank lines explain one another."""
    run: list[ast.stmt] = []
    for statement, following in pairwise([*tree.body, None]):
        assert statement is not None
        run.append(statement)
        if following is None or following.lineno > (statement.end_lineno or 0) + 1:
            yield run
            run = []


def unexplained(source: str) -> list[int]:
    """Lines of tables that stand with no comment and no docstring."""
    bare = [run for run in runs(ast.parse(source)) if not has_string(run) and any(map(is_table, run))]
    # Few modules have such a table: only their comments are looked for.
    commented = comments(source) if bare else set()
    return [
        part.lineno
        for run in bare
        if commented.isdisjoint(range(run[0].lineno - 1, (run[-1].end_lineno or 0) + 1))
        for part in run
        if is_table(part)
    ]


def has_string(run: list[ast.stmt]) -> bool:
    """Tell whether a docstring stands among these statements."""
    return any(isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant) for part in run)


def comments(source: str) -> set[int]:
    """Lines with a comment."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return {token.start[0] for token in tokens if token.type == tokenize.COMMENT}


def is_table(statement: ast.stmt) -> bool:
    """Tell whether a statement gives a name to a value of several lines; `__all__` speaks for itself."""
    if not isinstance(statement, Table) or "__all__" in ast.unparse(statement).partition("=")[0]:
        return False
    return (statement.end_lineno or 0) - statement.lineno + 1 >= LONG


def test_every_table_is_explained() -> None:
    """A table of four or more lines has a comment or a docstring, of its own or of those it stands with."""
    places = [
        f"{path}:{line}"
        for path in modules()
        if not path.startswith(GENERATED)
        for line in unexplained((PACKAGE / path).read_text(encoding="utf-8"))
    ]

    assert [] == places


def test_an_unexplained_table_is_noticed() -> None:
    """The rule above can fail; a comment above, a comment inside and a docstring below satisfy it."""
    table = "NAMES = {\n    1: 2,\n    3: 4,\n}\n"

    assert [1] == unexplained(table)
    assert [2] == unexplained("\n" + table)
    assert [] == unexplained(f"# Why.\n{table}")
    assert [] == unexplained(table.replace("1: 2,", "1: 2,  # Why."))
    assert [] == unexplained(f'{table}"""Why."""\n')
