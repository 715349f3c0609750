"""Responders that do as a test tells them: the model is what is truly outside."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

from rememora.domain.context import ContextPack
from rememora.domain.prompt import Prompt


class ScriptedResponder:
    """Says the given pieces, then fails where it was told to; waits for `going` before each but the first."""

    def __init__(self, pieces: Sequence[str] = ("Olá, ", "Ana."), *, fault: Exception | None = None) -> None:
        self.pieces = pieces
        self.fault = fault
        self.going = asyncio.Event()
        self.going.set()
        self.prompts: list[Prompt] = []
        self.packs: list[ContextPack] = []
        self.closed_early = False

    @property
    def name(self) -> str:
        return "scripted"

    async def ready(self) -> None: ...

    async def answer(self, prompt: Prompt, pack: ContextPack) -> str:
        return "".join([piece async for piece in self.stream(prompt, pack)])

    async def stream(self, prompt: Prompt, pack: ContextPack) -> AsyncIterator[str]:
        self.prompts.append(prompt)
        self.packs.append(pack)
        try:
            for number, piece in enumerate(self.pieces):
                if number:
                    await self.going.wait()
                yield piece
        except (GeneratorExit, asyncio.CancelledError):
            self.closed_early = True
            raise
        if self.fault is not None:
            raise self.fault

    async def close(self) -> None: ...
