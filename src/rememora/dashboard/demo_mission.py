"""The mission of the demonstration: a team without a model that works slowly enough to be watched at the desk."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress

from rememora.app import Rememora
from rememora.dashboard.demo import ACTING, DEMO_TENANT, DEMO_USER
from rememora.errors import RememoraError
from rememora.missions import AgentAnswer, CallContext, Consolidation, Operation, OperationPlan, Options, Spend

logger = logging.getLogger(__name__)
STEP_SECONDS = 3.0
LOOK_SECONDS = 0.1
QUERY = "Qual moinho sai mais barato com o frete?"
PRICES = {"Moinho Boa Vista": 92, "Moinho Santa Rita": 88}
FREIGHTS = {"Moinho Boa Vista": 6, "Moinho Santa Rita": 14}
_running: set[asyncio.Task[None]] = set()
"""Missions that are being shown: a task that nobody holds may be collected before it has ended."""


async def start_mission(rememora: Rememora, closing: asyncio.Event) -> None:
    """Start the mission, unless it is being shown already; it ends early when the server stops.

    One that was just asked for appears in a moment; of one that was just stopped, the agents finish their step.
    """
    missions = rememora.tenant(DEMO_TENANT, acting=ACTING).missions
    while not (shown := await missions.list(limit=1)) and _running:
        await asyncio.wait(_running, timeout=LOOK_SECONDS)
    if shown:
        return
    task = asyncio.create_task(_run(rememora, closing))
    _running.add(task)
    task.add_done_callback(_running.discard)


async def _run(rememora: Rememora, closing: asyncio.Event) -> None:
    team = _Team(closing)
    try:
        await rememora.user(DEMO_USER, tenant=DEMO_TENANT).missions.run(
            QUERY,
            coordinators={"compras": team.plan},
            executors={
                "cotações": team.quote,
                "planilha": team.read_sheet,
                "fretes": team.freight,
                "calculadora": team.add,
            },
            options=Options(complexity="comparative", fallbacks={"cotações": "planilha"}),
        )
    except (RememoraError, OSError) as error:
        # Stopped at the desk, removed with the demonstration, or the server is stopping.
        logger.info("the mission of the demonstration ended early: %s", type(error).__name__)


class _Team:
    """Agents that take their time."""

    def __init__(self, closing: asyncio.Event) -> None:
        self._closing = closing

    async def _wait(self) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._closing.wait(), STEP_SECONDS)

    async def plan(self, call: CallContext) -> OperationPlan | Consolidation:
        """Compare mills: price of flour and freight; preço da farinha e frete de cada moinho."""
        await self._wait()
        if call.collected:
            costs = call.collected["total"]
            return Consolidation(calculations=costs, comparisons={"best": min(costs, key=costs.get)})
        quotes = Operation(id="preços", executor="cotações", priority="high")
        freights = Operation(id="fretes", executor="fretes")
        total = Operation(id="total", executor="calculadora", after=("preços", "fretes"))
        return OperationPlan(operations=(quotes, freights, total))

    async def quote(self, call: CallContext) -> AgentAnswer:
        """Fetch prices of today; the site is down, so that the stand-in is seen at work."""
        await self._wait()
        raise ConnectionError(f"no answer for {call.payload}")

    async def read_sheet(self, _: CallContext) -> AgentAnswer:
        """Read the prices of last week from a sheet."""
        await self._wait()
        return AgentAnswer(value=PRICES, spent=Spend(calls=1, tokens=350))

    async def freight(self, _: CallContext) -> AgentAnswer:
        """Look up what each mill asks for the delivery."""
        await self._wait()
        return AgentAnswer(value=FREIGHTS, spent=Spend(calls=2, tokens=900))

    async def add(self, call: CallContext) -> dict[str, int]:
        """Add price and freight."""
        await self._wait()
        return {mill: call.collected["preços"][mill] + call.collected["fretes"][mill] for mill in PRICES}
