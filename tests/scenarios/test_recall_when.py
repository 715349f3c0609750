"""Days that a question names begin and end where the person is."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from rememora import Rememora, Settings
from rememora.testing import SettableClock, WordEmbedder

# Half past ten in the evening of the 15th in São Paulo.
NOW = datetime(2026, 11, 16, 1, 30, tzinfo=UTC)


@pytest.fixture
async def late(settings: Settings) -> AsyncIterator[Rememora]:
    clock = SettableClock(NOW)
    async with Rememora.open(
        settings=settings, embedder=WordEmbedder(), clock=clock, background=False
    ) as rememora:
        ana = rememora.user("ana", tenant="acme")
        for day, thing in ((14, "pão"), (15, "bolo")):
            at = datetime(2026, 11, day, 15, tzinfo=UTC)
            await ana.conversation(thing).append("user", f"comprei {thing}", created_at=at)
        yield rememora


async def yesterday(rememora: Rememora) -> str:
    """What was bought yesterday, as recall has it."""
    hits = await rememora.user("ana", tenant="acme").recall("o que comprei ontem?", kinds=["message"])
    return hits[0].content


async def test_without_a_zone_days_are_those_of_utc(late: Rememora) -> None:
    """In London it is the 16th."""
    assert "comprei bolo" == await yesterday(late)


async def test_days_are_those_of_the_person(late: Rememora) -> None:
    """As soon as their zone is known, and no longer than that."""
    ana = late.user("ana", tenant="acme")
    await ana.recall("o que comprei ontem?")
    await ana.profile.seed(timezone="America/Sao_Paulo")

    assert "comprei pão" == await yesterday(late)

    await ana.forget("user.timezone")

    assert "comprei bolo" == await yesterday(late)


async def test_a_zone_that_does_not_exist_is_none(late: Rememora) -> None:
    """What somebody once wrote there does not break their recall."""
    await late.user("ana", tenant="acme").profile.seed(timezone="Terra Média")

    assert "comprei bolo" == await yesterday(late)
