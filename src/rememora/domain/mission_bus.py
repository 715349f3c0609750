"""The message bus of a mission (W5): who called whom, which calls are running, and which agents fail."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta

from rememora.domain.mission_intake import Count, Moment, Name, Spend, StrictPart

Priority = Literal["critical", "high", "normal", "low"]
Refused = Literal["closed", "deadline", "flood", "loop", "depth", "breaker", "budget"]
BreakerState = Literal["closed", "open", "half_open"]
CallKind = Literal["call", "operation", "fallback", "callback"]
"""Kinds of calls: plain, an operation of a plan, a fallback for a failed agent, or the return to the caller."""

PRIORITIES: tuple[Priority, ...] = ("critical", "high", "normal", "low")


class BusMessage(StrictPart, frozen=True, kw_only=True):
    """A call that was admitted: waiting until `started_at` is set, then running until it is settled."""

    id: str
    number: Count
    sender: Name
    to: Name
    sent_at: Moment
    expires_at: Moment
    reserved: Spend = Spend()
    priority: Priority = "normal"
    operation: Name | None = None
    payload: Any = None
    started_at: Moment | None = None
    kind: CallKind = "call"
    callback: Name | None = None
    """The agent that is notified when the call has ended."""


class Edge(StrictPart, frozen=True, kw_only=True):
    """The calls from one agent to another: when the first and the last were sent, and how many of each kind."""

    first_at: Moment
    last_at: Moment
    kinds: dict[CallKind, Count] = {}


class Callback(StrictPart, frozen=True, kw_only=True):
    """A finished call whose caller asked to be notified and has not collected it yet."""

    message: str
    agent: Name
    called: Name
    at: Moment
    ok: bool | None
    operation: Name | None = None
    result: Any = None


class Breaker(StrictPart, frozen=True, kw_only=True):
    """Stops calls to an agent that keeps failing; after a pause one probe decides."""

    state: BreakerState = "closed"
    outcomes: Annotated[tuple[bool, ...], Meta(max_length=10)] = ()
    opened_at: Moment | None = None
    probe: str | None = None
    trips: Count = 0


class Totals(StrictPart, frozen=True, kw_only=True):
    """Running totals of accepted and refused calls."""

    sent: Count = 0
    done: Count = 0
    failed: Count = 0
    timed_out: Count = 0
    withdrawn: Count = 0
    overruns: Count = 0
    refused: dict[Refused, Count] = {}


class MessageBus(StrictPart, frozen=True, kw_only=True):
    """The call graph with counts, the unsettled messages, and the breakers."""

    # Names come in through messages, where they are checked; checking each edge on each write would be dear.
    graph: dict[str, dict[str, Count]] = {}
    edges: dict[str, dict[str, Edge]] = {}
    messages: dict[str, BusMessage] = {}
    callbacks: tuple[Callback, ...] = ()
    totals: Totals = Totals()
    breakers: dict[str, Breaker] = {}
    fallbacks: dict[Name, Name] = {}
    window: tuple[Moment, ...] = ()
    spent_by: dict[str, Spend] = {}
    progress_at: Moment | None = None
