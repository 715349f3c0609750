"""Remaining time and budget of a mission, and whether a call still fits (W4, W10; pure)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Final

import msgspec

from rememora.domain.mission import Mission
from rememora.domain.mission_bus import BusMessage
from rememora.domain.mission_intake import Budget, Complexity, Orchestrator, Spend, Timeout
from rememora.errors import InvalidInput


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """The time limit and the budget of a mission."""

    timeout_s: Timeout = 120
    budget: Budget = Budget()


class RemainingBudget(msgspec.Struct, frozen=True, kw_only=True):
    """Budget neither used nor reserved, and the time until the deadline."""

    seconds: float
    tokens: int
    calls: int


# Defaults by complexity; a host that knows better passes its own terms.
TERMS: Final[Mapping[Complexity, Terms]] = MappingProxyType(
    {
        "comparative": Terms(timeout_s=120, budget=Budget(tokens=20_000, calls=25)),
        "deep": Terms(timeout_s=180, budget=Budget(tokens=35_000, calls=40)),
        "investment_analysis": Terms(timeout_s=300, budget=Budget(tokens=50_000, calls=50)),
    }
)


def held_to(terms: Terms, *, since: datetime, orchestrator: Orchestrator | None = None) -> Orchestrator:
    """Return the orchestrator's section with these limits, counted from the start of the mission."""
    try:
        deadline = since + timedelta(seconds=terms.timeout_s)
    except OverflowError:
        raise InvalidInput("timeout_s", "must be from 30 to 300 seconds") from None
    if orchestrator is None:
        return Orchestrator(deadline=deadline, timeout_s=terms.timeout_s, budget=terms.budget)
    return msgspec.structs.replace(orchestrator, deadline=deadline, timeout_s=terms.timeout_s, budget=terms.budget)


def left(mission: Mission, now: datetime) -> RemainingBudget:
    """Return what is left of a mission's limits, never negative."""
    used, budget = committed(mission), mission.orchestrator.budget
    return RemainingBudget(
        seconds=max(0.0, (mission.orchestrator.deadline - now).total_seconds()),
        tokens=max(0, budget.tokens - used.tokens),
        calls=max(0, budget.calls - used.calls),
    )


def total(spends: Iterable[Spend]) -> Spend:
    """Add up usages."""
    tokens, calls = 0, 0
    for spend in spends:
        tokens, calls = tokens + spend.tokens, calls + spend.calls
    return Spend(tokens=tokens, calls=calls)


def committed(mission: Mission, *, sender: str | None = None) -> Spend:
    """Return what is used or reserved, by all or by one sender; parallel calls share it."""
    spent = mission.orchestrator.spent if sender is None else mission.bus.spent_by.get(sender, Spend())
    return spent + total(message.reserved for message in _of(mission.bus.messages.values(), sender))


def overdraft(mission: Mission, ask: Spend, *, sender: str) -> str | None:
    """Return why `ask` exceeds the budget or the sender's share of it, if it does."""
    budget = mission.orchestrator.budget
    # What is spent, what running calls may still spend at worst, and this one: a budget cannot be passed by
    # calls that run at the same time.
    total = committed(mission) + ask
    if not total.fits(budget):
        return f"{_figures(total)} would pass the budget of {_figures(budget)}"
    coordinator = mission.coordinators.get(sender)
    if coordinator is None or coordinator.share is None:
        return None
    total = committed(mission, sender=sender) + ask
    if total.fits(coordinator.share):
        return None
    return f"{_figures(total)} would pass {sender}'s share of {_figures(coordinator.share)}"


def _of(messages: Iterable[BusMessage], sender: str | None) -> Iterable[BusMessage]:
    return messages if sender is None else (message for message in messages if message.sender == sender)


def _figures(amount: Spend | Budget) -> str:
    return f"{amount.tokens} tokens and {amount.calls} calls"
