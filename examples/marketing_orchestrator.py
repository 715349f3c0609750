"""Six marketing agents and a memory, as a LangGraph graph that needs no model.

Run it with `python examples/marketing_orchestrator.py`; it needs the extra `langgraph`.
One agent fails on purpose, and the others answer all the same; the second question is dispatched to one alone.
"""

from __future__ import annotations

import asyncio

from rememora import Rememora
from rememora.integrations.langgraph import AgentCall, build_orchestrator

SPEND = {"search": 4_200.0, "social": 2_900.0, "email": 350.0}
SALES = {"search": 61, "social": 22, "email": 19}


async def budget(call: AgentCall) -> str:
    """Orçamento, verba, gasto, custo; budget, spend, cost."""
    return f"R$ {sum(SPEND.values()):,.2f} gastos neste mês"


async def audience(call: AgentCall) -> str:
    """Público, audiência, clientes, segmento; audience, customers, segment."""
    return "mulheres de 25 a 40 anos, capitais do Nordeste"


async def channels(call: AgentCall) -> str:
    """Canais, anúncios, desempenho, campanha; channels, ads, performance, campaign."""
    cost = {name: SPEND[name] / SALES[name] for name in SPEND}
    best = min(cost, key=cost.__getitem__)
    return f"{best} vende mais barato: R$ {cost[best]:.2f} por venda"


async def content(call: AgentCall) -> str:
    """Conteúdo, post, texto, criativo, campanha; content, post, copy, creative, campaign."""
    return "três posts com depoimentos de clientes, um por semana"


def calendar(call: AgentCall) -> str:
    """Calendário, data, prazo, lançamento, campanha; calendar, date, deadline, launch, campaign."""
    return "lançamento na terça-feira, depois do feriado"


async def competitors(call: AgentCall) -> str:
    """Concorrentes, mercado, campanha; competitors, market, campaign."""
    raise ConnectionError("the source of market data is down today")


AGENTS = {
    "budget": budget,
    "audience": audience,
    "channels": channels,
    "content": content,
    "calendar": calendar,
    "competitors": competitors,
}


async def main() -> None:
    async with Rememora.open(":memory:") as memory:
        ana = memory.user("ana", tenant="acme")
        await ana.profile.seed(name="Ana", company="Acme")
        graph = build_orchestrator(agents=AGENTS, memory=memory)
        whose = {"configurable": {"tenant_id": "acme", "user_id": "ana", "thread_id": "campanha"}}
        for query in ("Monte a campanha de novembro da Acme", "Quanto do orçamento já foi gasto?"):
            state = await graph.ainvoke({"query": query}, config=whose)
            print(f"\n> {query}\n  plan: {', '.join(state['plan'])}")
            print(state["synthesized_response"])
        print("\nwhat the second run was given:\n" + state["memory_context"])


if __name__ == "__main__":
    asyncio.run(main())
