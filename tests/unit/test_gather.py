"""Gathering: all layers at once, and none that fails or is late stops a turn."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

import pytest
from tests.clock import MIDDAY

from rememora.context.gather import Gatherer, Layer, PackRequest, Source
from rememora.domain.context import Item, MissingLayer, Section, Situation
from rememora.domain.scope import Scope

ASK = PackRequest(scope=Scope("acme", "ana", "c1"), query="oi", language="pt", now=MIDDAY, situation=Situation())
SECRET = "segredo de ana"


def giving(section: Section, *, after: asyncio.Event | None = None, ring: asyncio.Event | None = None) -> Source:
    async def give(ask: PackRequest) -> Sequence[Item]:
        if ring is not None:
            ring.set()
        if after is not None:
            await after.wait()
        return [Item(section=section, text=section, kind="x")]

    return give


async def failing(ask: PackRequest) -> Sequence[Item]:
    raise RuntimeError(SECRET)


async def test_layers_are_asked_at_once() -> None:
    """A layer that waits for another one is served, whichever comes first."""
    bell = asyncio.Event()
    layers = [
        Layer(name="first", source=giving("profile", after=bell)),
        Layer(name="second", source=giving("tenant", ring=bell)),
    ]
    gathered = await Gatherer(layers, deadline_seconds=5).gather(ASK)

    assert ["tenant", "profile"] == [item.section for item in gathered.items]
    assert () == gathered.missing


async def test_a_failing_layer_is_named_and_counted_and_the_others_go_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The pack says which layer failed; the log does not say what it was about."""
    gatherer = Gatherer(
        [Layer(name="bad", source=failing), Layer(name="good", source=giving("profile"))], deadline_seconds=5
    )
    with caplog.at_level(logging.WARNING):
        gathered = await gatherer.gather(ASK)
        await gatherer.gather(ASK)

    assert ["profile"] == [item.section for item in gathered.items]
    assert (MissingLayer(layer="bad", why="failed"),) == gathered.missing
    assert {("bad", "failed"): 2} == dict(gatherer.misses)
    assert "RuntimeError" in caplog.text
    assert SECRET not in caplog.text


async def test_a_late_layer_is_left_out_and_told_to_stop() -> None:
    """Nobody waits for it longer than the deadline, and it does not go on for nothing."""
    ended = asyncio.Event()

    async def endless(ask: PackRequest) -> Sequence[Item]:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return []

    layers = [Layer(name="slow", source=endless), Layer(name="good", source=giving("profile"))]
    gathered = await Gatherer(layers, deadline_seconds=0.02).gather(ASK)
    await ended.wait()

    assert ["profile"] == [item.section for item in gathered.items]
    assert (MissingLayer(layer="slow", why="late"),) == gathered.missing


async def test_a_layer_that_is_switched_off_is_not_asked() -> None:
    """It is named as off and counted as nothing."""
    gatherer = Gatherer([Layer(name="bad", source=failing, on=False)], deadline_seconds=5)
    gathered = await gatherer.gather(ASK)

    assert (MissingLayer(layer="bad", why="off"),) == gathered.missing
    assert {} == dict(gatherer.misses)


async def test_a_caller_that_goes_away_takes_the_layers_along() -> None:
    """Cancelling the gathering cancels what it started."""
    began, ended = asyncio.Event(), asyncio.Event()

    async def endless(ask: PackRequest) -> Sequence[Item]:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return []

    gathering = asyncio.create_task(Gatherer([Layer(name="x", source=endless)], deadline_seconds=60).gather(ASK))
    await began.wait()
    gathering.cancel()
    with pytest.raises(asyncio.CancelledError):
        await gathering
    await ended.wait()

    assert ended.is_set()
