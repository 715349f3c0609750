"""The explanation of a memory: its timeline, what it is based on, its dependents, and its history."""

from __future__ import annotations

from typing import Literal

import msgspec

from rememora.domain.audit import AuditEntry
from rememora.domain.memory import Memory, TimelineValue

Tie = Literal["rule", "doubt", "part"]
"""How one memory depends on another: a rule set it, a change puts it in doubt, or it changed a part of it."""
TIES: tuple[tuple[Tie, str], ...] = (("rule", "because"), ("doubt", "doubted_by"), ("part", "follows"))
"""Each kind of dependency, with the field of the dependent memory that names the other one."""


class DependencyLink(msgspec.Struct, frozen=True, kw_only=True):
    """One dependency between two memories, by their ids."""

    dependent: str
    rests_on: str
    tie: Tie


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """Explanation of a memory: its predecessor, timeline, what it is based on, its dependents and its history."""

    memory: Memory
    supersedes: Memory | None
    timeline: list[TimelineValue]
    rests_on: list[Memory]
    dependents: list[Memory]
    links: list[DependencyLink]
    history: list[AuditEntry]


def links_between(dependent: Memory, others: list[Memory]) -> list[DependencyLink]:
    """Return the dependencies of a memory on some others."""
    ids = {other.id for other in others}
    return [
        DependencyLink(dependent=dependent.id, rests_on=named, tie=tie)
        for tie, field in TIES
        if (named := getattr(dependent, field)) in ids
    ]
