"""Column types that mean the same on every engine."""

from __future__ import annotations

import sqlalchemy as sa

WHOLE = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
"""A whole number of 64 bits."""

BYTES = sa.LargeBinary()
"""Raw bytes."""

CLUSTERED = {"sqlite_with_rowid": False, "sqlite_strict": True}
"""Rows of one key prefix lie together, which is how memory is read."""

PLAIN = {"sqlite_strict": True}
"""Rows in the order they came, for those that are large."""


def text(name: str, *, nullable: bool = False) -> sa.Column[str]:
    """A text column."""
    return sa.Column(name, sa.Text(), nullable=nullable)


def whole(name: str, *, nullable: bool = False) -> sa.Column[int]:
    """A whole-number column; moments are whole microseconds."""
    return sa.Column(name, WHOLE, nullable=nullable)


def owner() -> tuple[sa.Column[str], sa.Column[str]]:
    """The first two columns of every key: whose row it is."""
    return text("tenant_id"), text("user_id")


def real(name: str) -> sa.Column[float]:
    """A column of numbers with a fraction."""
    return sa.Column(name, sa.REAL(), nullable=False)


def raw(name: str, *, nullable: bool = False) -> sa.Column[bytes]:
    """A column of bytes."""
    return sa.Column(name, BYTES, nullable=nullable)
