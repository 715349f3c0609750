"""The first two layers of a mission: the request (W3) and its budget (W4)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from rememora.errors import InvalidInput

_WORD = r"[A-Za-z0-9_\u00c0-\u1fff\u3040-\uffdc-]+"
Name = Annotated[str, Meta(max_length=64, pattern=rf"^{_WORD}(?: {_WORD})*(?![\s\S])")]
"""A name of an agent, an operation or a key: words without a dot, since dots separate the steps of a path."""

Moment = Annotated[datetime, Meta(tz=True)]
Percent = Annotated[int, Meta(ge=0, le=100)]
Count = Annotated[int, Meta(ge=0)]
Kind = Literal["complex", "trivial", "entry", "simple"]
Complexity = Literal["comparative", "deep", "investment_analysis"]


class StrictPart(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Part of a mission with fixed fields; any other field is refused by name (W13)."""


class OpenPart(StrictPart, frozen=True, kw_only=True):
    """Part of a mission that keeps unknown fields under `extra` (W13)."""

    extra: dict[str, Any] = {}


class Spend(StrictPart, frozen=True, kw_only=True):
    """Tokens and API calls: used, reserved, or requested."""

    tokens: Count = 0
    calls: Count = 0

    def __post_init__(self) -> None:
        # Checked when made, not only when written: less than nothing would give budget back.
        if self.tokens < 0 or self.calls < 0:
            raise InvalidInput("spend", "less than nothing")

    def __add__(self, other: Spend) -> Spend:
        return Spend(tokens=self.tokens + other.tokens, calls=self.calls + other.calls)

    def fits(self, limit: Spend | Budget) -> bool:
        """Return whether both figures stay within `limit`."""
        return self.tokens <= limit.tokens and self.calls <= limit.calls


class Budget(StrictPart, frozen=True, kw_only=True):
    """Limits on the tokens and API calls of a whole mission."""

    tokens: Annotated[int, Meta(ge=1_000, le=50_000)] = 20_000
    calls: Annotated[int, Meta(ge=5, le=50)] = 25


class Classification(OpenPart, frozen=True, kw_only=True):
    """Type of the request, and the prompts chosen for it."""

    kind: Kind = "complex"
    domain: str | None = None
    prompts: tuple[str, ...] = ()


class CoordinatorCandidate(OpenPart, frozen=True, kw_only=True):
    """A coordinator that could take the mission, and why."""

    coordinator: Name
    score: Percent
    reason: str


class Intake(OpenPart, frozen=True, kw_only=True):
    """The query as it was asked, and the first reading of it."""

    query: Annotated[str, Meta(min_length=1)]
    classification: Classification | None = None
    candidates: tuple[CoordinatorCandidate, ...] = ()


class Override(OpenPart, frozen=True, kw_only=True):
    """The best candidate was not chosen, for a reason."""

    instead_of: Name
    reason: Annotated[str, Meta(min_length=1)]


Timeout = Annotated[int, Meta(ge=30, le=300)]
"""Time limit of a whole mission, in seconds."""


class Orchestrator(OpenPart, frozen=True, kw_only=True):
    """The objective, its coordinator, and its limits."""

    deadline: Moment
    objective: str | None = None
    coordinator: Name | None = None
    override: Override | None = None
    complexity: Complexity | None = None
    timeout_s: Timeout = 120
    budget: Budget = Budget()
    spent: Spend = Spend()
