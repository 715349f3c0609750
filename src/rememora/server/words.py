"""Types that many routes share: names, pages and times."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Generic, TypeVar

import msgspec
from msgspec import Meta

T = TypeVar("T")

PRINTABLE = r"^[^\x00-\x1f\x7f-\xa0\xad\u2028\u2029]+$"

Name = Annotated[str, Meta(min_length=1, max_length=255, pattern=PRINTABLE, description="An id or a label.")]
WRITTEN = r"^\s*[^\s\x00][^\x00]*$"
"""At least one visible character, and no NUL; written without backtracking."""
Prose = Annotated[str, Meta(min_length=1, max_length=1_000_000, pattern=WRITTEN)]
Moment = Annotated[datetime, Meta(tz=True, description="A moment with its time zone, as ISO 8601.")]
Cursor = Annotated[str, Meta(min_length=1, max_length=2048, description="`next` of the page before.")]
Limit = Annotated[int, Meta(ge=1, le=1000, description="Maximum number of items.")]


class ItemList(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """A complete list."""

    items: list[T]


class Paging(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One page of a longer list."""

    limit: Limit = 50
    after: Cursor | None = None
