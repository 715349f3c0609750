"""An agent of the OpenAI Agents SDK whose session remembers, with the SDK's scripted model in place of a real one.

Run it with `python examples/openai_agents_session.py`; it needs the extra `openai-agents`.
"""

from __future__ import annotations

import asyncio
import tempfile

from agents import Agent, RunConfig, Runner
from agents.testing import ScriptedModel, assistant_message

from rememora import Rememora
from rememora.integrations.openai_agents import RememoraSession


async def main(folder: str) -> None:
    """Two threads of one person; the second knows what was said in the first."""
    async with Rememora.open(folder) as rememora:
        model = ScriptedModel([[assistant_message("Noted.")], [assistant_message("An aisle seat.")]])
        agent = Agent(name="desk", model=model)
        for thread, text in (("t1", "I prefer aisle seats."), ("t2", "Which seat should you book?")):
            session = RememoraSession(rememora, session_id=thread, user="ana", tenant="acme")
            config = RunConfig(tracing_disabled=True, call_model_input_filter=session.add_memory)
            result = await Runner.run(agent, text, session=session, run_config=config)
            print(f"{text} -> {result.final_output}")
        print("told the model:", "aisle seats" in str(model.calls[-1].input))
        print("items of the second thread:", len(await session.get_items()))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(main(folder))
