"""The working memory of a mission as items of a pack: data, since agents and their sources wrote it (W13)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from rememora.domain.context import Item
from rememora.domain.mission import Mission
from rememora.domain.mission_work import Coordinator, FinalAnswer

LONGEST = 2_000
"""Characters of one item: a result may be as long as a document, and others want to be told too."""


def mission_items(mission: Mission) -> tuple[Item, ...]:
    """List what a mission is about, how far it got and what it found, the most telling first."""
    return tuple(_item(mission, label, text) for label, text in _lines(mission) if text)


def _lines(mission: Mission) -> Iterator[tuple[str, str]]:
    lead = mission.orchestrator
    yield "request", mission.intake.query
    yield "status", mission.status
    yield from _final(mission.final)
    # Most missions have the request as their objective; telling it twice costs tokens.
    if lead.objective != mission.intake.query:
        yield "objective", lead.objective or ""
    yield "coordinator", lead.coordinator or ""
    for name, coordinator in mission.coordinators.items():
        yield from ((f"{name}: {label}", text) for label, text in _of(coordinator))


def _of(coordinator: Coordinator) -> Iterator[tuple[str, str]]:
    for name, value in coordinator.collected.items():
        yield f"found {name}", _plain(value)
    for warning in coordinator.warnings:
        yield "warning", warning if isinstance(warning, str) else warning.text
    for decision in coordinator.decisions:
        yield "decision", f"{decision.what} ({decision.reason})"
    yield "missing", ", ".join((*coordinator.gaps.critical, *coordinator.gaps.complementary))
    running = (f"{name} {run.state}" for name, run in coordinator.runs.items())
    yield "operations", ", ".join(running)
    yield from _free(coordinator.extra)


def _final(final: FinalAnswer) -> Iterator[tuple[str, str]]:
    yield "answer", final.answer or ""
    yield "error", final.error or ""
    if final.consolidation is None:
        return
    for part in ("supporting", "calculations", "comparisons"):
        for name, value in getattr(final.consolidation, part).items():
            yield f"{part} {name}", _plain(value)
    yield "limitations", ", ".join(final.consolidation.limitations)
    yield from _free(final.consolidation.extra)


def _free(extra: dict[str, Any]) -> Iterable[tuple[str, str]]:
    return ((name, _plain(value)) for name, value in extra.items())


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _item(mission: Mission, label: str, text: str) -> Item:
    cut = len(text) > LONGEST
    return Item(
        section="mission",
        text=f"{label}: {text[:LONGEST]}{' …' if cut else ''}",
        kind="mission",
        id=mission.id,
        origin="assistant",
        reason="the turn belongs to this mission",
        conversation=mission.session,
        at=mission.created_at,
        cut=cut,
    )
