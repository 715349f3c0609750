"""A responder that counts the tokens of each answer for its tenant, around any other."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from typing import Protocol

from rememora import telemetry
from rememora.domain.context import ContextPack
from rememora.domain.prompt import Prompt
from rememora.domain.scope import Scope
from rememora.domain.tenancy import Meter
from rememora.ports.responder import Responder


class TokenMeter(Protocol):
    """Counter of tokens."""

    def add(self, scope: Scope, meter: Meter, amount: int) -> None: ...


class MeteredResponder:
    """Counts what the model is given of memory and what it says."""

    def __init__(self, inner: Responder, meter: TokenMeter, counter: Callable[[str], int]) -> None:
        self._inner = inner
        self._tally = meter
        self._counter = counter

    @property
    def name(self) -> str:
        return self._inner.name

    async def ready(self) -> None:
        await self._inner.ready()

    async def answer(self, prompt: Prompt, pack: ContextPack) -> str:
        text = await self._inner.answer(prompt, pack)
        self._count(pack, text)
        return text

    async def stream(self, prompt: Prompt, pack: ContextPack) -> AsyncIterator[str]:
        said: list[str] = []
        words = self._inner.stream(prompt, pack)
        try:
            async for text in words:
                said.append(text)
                yield text
        finally:
            self._count(pack, "".join(said))
            # Whoever is left early must hear of it now, not when it is collected: its call costs money.
            if isinstance(words, AsyncGenerator):
                await words.aclose()

    async def close(self) -> None:
        await self._inner.close()

    def _count(self, pack: ContextPack, text: str) -> None:
        if (measures := telemetry.measures()) is not None:
            measures.pack.observe(pack.tokens)
        self._tally.add(pack.scope, "tokens", pack.tokens + self._counter(pack.query) + self._counter(text))
