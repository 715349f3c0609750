"""A Pydantic-AI agent that remembers, with a function in place of a model.

Run it with `python examples/pydantic_ai_memory.py`; it needs the extra `pydantic-ai`.
"""

from __future__ import annotations

import asyncio
import tempfile

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from rememora import Rememora
from rememora.integrations.pydantic_ai import RememoraMemory


def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Answer from what the model is shown."""
    asks = "Which seat" in str(messages[-1])
    known = "An aisle seat." if "aisle seats" in str(messages) else "I do not know you yet."
    return ModelResponse(parts=[TextPart(known if asks else "Noted.")])


async def main(folder: str) -> None:
    """Two runs; the second knows the first."""
    async with Rememora.open(folder) as rememora:
        memory = RememoraMemory(rememora, tenant="acme", user="ana")
        agent = Agent(FunctionModel(answer), capabilities=[memory])
        for text in ("I prefer aisle seats.", "Which seat should you book?"):
            print(f"{text} -> {(await agent.run(text)).output}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(main(folder))
