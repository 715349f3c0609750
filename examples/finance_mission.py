"""A mission in the finance domain, with no model: which of two funds did better after costs?

Run it with `python examples/finance_mission.py`. One source is down on purpose, to show its fallback at work.
"""

from __future__ import annotations

import asyncio

from rememora import Rememora
from rememora.missions import (
    AgentAnswer,
    CallContext,
    Consolidation,
    MissionOutcome,
    Operation,
    OperationPlan,
    Options,
    Spend,
)

PRICES = {"AURORA11": (100.0, 112.4), "BANDEIRANTE11": (100.0, 109.1)}
FEES = {"AURORA11": 0.031, "BANDEIRANTE11": 0.004}


async def funds(call: CallContext) -> OperationPlan | Consolidation:
    """Compare funds: return after costs, fees, quotes, rendimento de fundos."""
    if not call.collected:
        call.decide("compare net of fees", reason="gross returns hide a fee of 3 %")
        quotes = tuple(
            Operation(id=f"quote-{name}", executor="exchange", payload=name, priority="high") for name in PRICES
        )
        fees = Operation(id="fees", executor="registry", payload=sorted(FEES))
        net = Operation(id="net", executor="calculator", after=(*(quote.id for quote in quotes), "fees"))
        return OperationPlan(operations=(*quotes, fees, net))
    net_returns = call.collected["net"]
    return Consolidation(
        supporting={"fees": call.collected["fees"]},
        calculations=net_returns,
        comparisons={"best": max(net_returns, key=net_returns.get)},
        limitations=("Past returns say little about the next year.",),
    )


async def exchange(call: CallContext) -> AgentAnswer:
    """Quotes; it is down today."""
    raise ConnectionError(f"no quote for {call.payload}")


async def archive(call: CallContext) -> AgentAnswer:
    """Quotes of yesterday, from a file."""
    first, last = PRICES[call.payload]
    return AgentAnswer(value=last / first - 1, spent=Spend(calls=1), source="yesterday's file")


async def registry(call: CallContext) -> AgentAnswer:
    """Yearly fees."""
    return AgentAnswer(value={name: FEES[name] for name in call.payload}, spent=Spend(calls=1))


async def calculator(call: CallContext) -> dict[str, float]:
    """Return less fee, in percent."""
    fees = call.collected["fees"]
    return {name: round(100 * (call.collected[f"quote-{name}"] - fees[name]), 2) for name in PRICES}


async def word(consolidation: Consolidation, found: tuple[str, ...]) -> str:
    """Word the answer; the first try boasts and is held back."""
    best = consolidation.comparisons["best"]
    boast = "" if found else " It is a guaranteed gain."
    return f"{best} did better: {consolidation.calculations[best]} % after fees.{boast}"


async def main() -> MissionOutcome:
    async with Rememora.open(":memory:") as rememora:
        ana = rememora.user("ana", tenant="acme")
        return await ana.missions.run(
            "Qual fundo rendeu mais depois de custos, AURORA11 ou BANDEIRANTE11?",
            coordinators={"funds": funds},
            executors={"exchange": exchange, "archive": archive, "registry": registry, "calculator": calculator},
            options=Options(
                complexity="comparative",
                fallbacks={"exchange": "archive"},
                forbidden=("guaranteed",),
                synthesize=word,
            ),
        )


if __name__ == "__main__":
    told = asyncio.run(main())
    print(told.answer)
    print(f"status {told.status}, {told.account.calls} calls, {told.account.messages} messages,", end=" ")
    print(f"stood in: {', '.join(told.account.fallbacks)}")
    for warning in told.warnings:
        print(f"warning: {warning}")
