"""Answers of a reading model in tests, and the memories that are known afterwards."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

from rememora import Memory, UserMemory
from rememora.language.keys import is_statement
from rememora.ports.outside import Model

QUOTE = "minha sócia, que toca o financeiro"
TEXT = f"me ajuda a escrever para {QUOTE}"
"""A request: the reader without a model keeps nothing of it, and the fact in it is left to the model."""
SALES = TEXT.replace("o financeiro", "as vendas")
SALES_QUOTE = QUOTE.replace("o financeiro", "as vendas")
NOTHING = '{"statements": []}'
Opening = Callable[[Model | None], AbstractAsyncContextManager[UserMemory]]


def stated(statement: str = QUOTE, **more: Any) -> dict[str, Any]:
    """One statement as a model gives it; it quotes itself."""
    given = {"action": "add", "statement": statement, "quote": statement, "certainty": 0.9, "duration": "lasting"}
    about = {"subject": "sócia", "relation": "sócia", "attribute": "role", "value": "toca o financeiro"}
    return {**given, **about, **more}


def answer(*statements: dict[str, Any], **more: Any) -> str:
    """A model's answer of some statements, or of one."""
    return json.dumps({"statements": statements or [stated(**more)]})


async def say(ana: UserMemory, text: str = TEXT, *, settle: bool = True, key: str | None = None) -> str:
    """One turn, and what the worker does after it; returns the message's id."""
    reply = await ana.conversation("c1").reply(text, key=key)
    if settle:
        await ana._parts.worker.settle()
    return reply.asked.id


async def known(ana: UserMemory) -> dict[str, Memory]:
    """Return the known memories, a slot by its key and a statement by its words."""
    return {
        str(memory.value) if is_statement(memory.key) else memory.key: memory
        for memory in (await ana.memories.list(limit=100)).items
    }


async def reasons(ana: UserMemory) -> list[str]:
    """Why tries at keeping were refused or kept, newest first."""
    return [attempt.reason for attempt in await ana.gate.attempts()]
