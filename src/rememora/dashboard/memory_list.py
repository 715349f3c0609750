"""The list on a person's page: memories narrowed by words and filters, page by page."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, cast
from urllib.parse import urlencode

import msgspec

from rememora.dashboard.sentences import matches, subject
from rememora.dashboard.words import Language
from rememora.domain.memory import Memory, MemoryFilterOptions
from rememora.handles.user import UserMemory
from rememora.language import fold

PAGE = 60
STEP = 200
LONGEST = 200
MOST_READ = 5_000
"""Most memories that a search by words or date looks through."""
STATES = ("active", "hushed", "forgotten")
SAID = {"said": "explicit_user", "inferred": "inferred", "profile": "profile_seed", "company": "admin_system"}
DAYS = {"7": 7, "30": 30, "365": 365}


class Filters(msgspec.Struct, frozen=True, kw_only=True):
    """Filters of the list, read from the address; an unknown one narrows nothing."""

    q: str = ""
    category: str = ""
    subject: str = ""
    said: str = ""
    days: str = ""
    state: str = "active"
    after: str = ""

    @property
    def narrows(self) -> bool:
        """Return whether any filter is set."""
        return bool(self.q or self.category or self.subject or self.said or self.days or self.state != "active")

    def options(self) -> MemoryFilterOptions:
        """Return the filters that the store applies itself."""
        filters: dict[str, Any] = {"status": "deleted" if self.state == "forgotten" else "active"}
        if self.state != "forgotten":
            filters["suppressed"] = self.state == "hushed"
        if self.category:
            filters["category"] = self.category
        if self.said:
            filters["source"] = SAID[self.said]
        return cast("MemoryFilterOptions", filters)

    def address(self, **changed: str) -> str:
        """The query of an address with these filters, some of them changed."""
        given = {**msgspec.structs.asdict(self), "after": "", **changed}
        return urlencode({name: value for name, value in given.items() if value})


class MemoryListPage(msgspec.Struct, frozen=True, kw_only=True):
    """One page of the list; `cut` where a search ended before everything was looked through."""

    memories: tuple[Memory, ...]
    next: str | None = None
    cut: bool = False


def filters_of(query: Mapping[str, str], categories: Mapping[str, Any]) -> Filters:
    """The filters that an address names."""
    known = {"category": categories, "said": SAID, "days": DAYS, "state": STATES}
    given = {name: query.get(name, "") for name in known}
    kept = {name: value for name, value in given.items() if value and value in known[name]}
    typed = {name: query.get(name, "").strip()[:LONGEST] for name in ("q", "subject")}
    return Filters(after=query.get("after", ""), **typed, **kept)


async def listed(person: UserMemory, filters: Filters, language: Language) -> MemoryListPage:
    """The memories that the filters let through."""
    if not (filters.q or filters.days or filters.subject):
        page = await person.memories.list(limit=PAGE, after=filters.after or None, **filters.options())
        return MemoryListPage(memories=page.items, next=page.next)
    return await _searched(person, filters, language)


async def _searched(person: UserMemory, filters: Filters, language: Language) -> MemoryListPage:
    since = datetime.now(UTC) - timedelta(days=DAYS[filters.days]) if filters.days else None
    matching: list[Memory] = []
    after, read = filters.after or None, 0
    # Sentences exist only on the page and in its language, so they are searched here; a bound keeps a rare word
    # from reading everything.
    while read < MOST_READ and len(matching) < PAGE:
        page = await person.memories.list(limit=STEP, after=after, **filters.options())
        read += len(page.items)
        matching += [
            memory
            for memory in page.items
            if (since is None or memory.updated_at >= since)
            and (not filters.q or matches(memory, language, filters.q))
            and fold(filters.subject) in fold(subject(memory, language))
        ]
        after = page.next
        if after is None:
            return MemoryListPage(memories=tuple(matching))
    return MemoryListPage(memories=tuple(matching), next=after, cut=read >= MOST_READ)
