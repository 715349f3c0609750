"""A program that has a talk and prints what the network was asked to read in each of its turns.

One reader serves a process, and an open memory of another test may hold it: so the test has a process for it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence

from tests.calm import CALM

from rememora import Rememora, Settings
from rememora.reading import BUILTIN, hold_reader, read_builtin
from rememora.reading.parsed import parse_message
from rememora.reading.results import MessageReading

IN_MEMORY = Settings.load({"store.url": ":memory:", **CALM}, environ={})
TURNS = (
    "Oi, eu sou a Lia e moro em Olinda",
    "eu eu trabalho na padaria da Rosa, ela é minha prima",
    "guarda que o fornecedor de fubá é o Tonho",
    "desfaz isso, era outra coisa",
    "qual é o meu nome?",
    "o forno quebrou ontem e o conserto sai 300 reais",
    "na verdade moro em Re\u200bcife",
    "não fala mais da padaria",
    "esquece o fornecedor",
    "apaga pra sempre o meu nome",
    "não",
)
"""Statements, wishes, questions, corrections and refusals; two of them differ from their normal form."""


async def main() -> None:
    """Print for each turn how often the network read it, whole and in its normal form."""
    calls = list[str]()

    def counting(text: str, before: Sequence[str]) -> MessageReading:
        calls.append(text)
        return read_builtin(text, before)

    # Under the name of the reader that the memory below asks for.
    hold_reader(BUILTIN, counting)
    counts = []
    async with Rememora.open(settings=IN_MEMORY, background=False) as rememora:
        chat = rememora.user("ana", tenant="acme").conversation("c1")
        for text in TURNS:
            calls.clear()
            await chat.reply(text)
            counts.append(sum(call in (text, parse_message(text).normal.text) for call in calls))
    print(json.dumps(counts))


if __name__ == "__main__":
    asyncio.run(main())
