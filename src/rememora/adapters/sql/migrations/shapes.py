"""Column types that mean the same on every engine."""

from __future__ import annotations

import sqlalchemy as sa

WHOLE = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
"""A whole number of 64 bits."""

BYTES = sa.LargeBinary()
"""Raw bytes."""

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
"""Text that compares byte by byte, so that every engine puts it in the same order."""

REAL: sa.types.TypeEngine[float] = sa.REAL().with_variant(sa.Double(), "postgresql")
"""A number with a fraction, of 64 bits."""


class _Vector(sa.types.UserDefinedType[bytes]):
    """pgvector's type, of no fixed dimension: the model may change."""

    cache_ok = True

    def get_col_spec(self, **_: object) -> str:
        return "vector"


VECTOR = sa.LargeBinary().with_variant(_Vector(), "postgresql")
"""Floats of 32 bits."""

CLUSTERED = {"sqlite_with_rowid": False, "sqlite_strict": True}
"""Rows of one key prefix lie together, which is how memory is read."""

PLAIN = {"sqlite_strict": True}
"""Rows in the order they came, for those that are large."""


def text(name: str, *, nullable: bool = False) -> sa.Column[str]:
    """A text column."""
    return sa.Column(name, TEXT, nullable=nullable)


def whole(name: str, *, nullable: bool = False) -> sa.Column[int]:
    """A whole-number column; moments are whole microseconds."""
    return sa.Column(name, WHOLE, nullable=nullable)


def owner() -> tuple[sa.Column[str], sa.Column[str]]:
    """The first two columns of every key: whose row it is."""
    return text("tenant_id"), text("user_id")


def real(name: str) -> sa.Column[float]:
    """A column of numbers with a fraction."""
    return sa.Column(name, REAL, nullable=False)


def raw(name: str, *, nullable: bool = False) -> sa.Column[bytes]:
    """A column of bytes."""
    return sa.Column(name, BYTES, nullable=nullable)
