"""Checks of a store: chains, keys, rows, engines, and work that waits."""

from __future__ import annotations

from rememora.domain.audit import ChainReport
from rememora.domain.integrity import Integrity
from rememora.knowledge import audit
from rememora.wiring import opening
from rememora.wiring.parts import Parts


class StoreHealth:
    """Checks of the store and its engines."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def verify_audit(self, *, acting: str) -> list[ChainReport]:
        """An operator's act: check the chain of every tenant."""
        return await audit.verify_all(self._parts.store, acting=acting, signer=self._parts.desk.signer)

    async def check_signing_key(self) -> None:
        """Raise `SigningKeyChanged` where another key than the one that is here signed the audit chain."""
        await audit.check_key(self._parts.store, acting="operator", signer=self._parts.desk.signer)

    async def check_integrity(self) -> Integrity:
        """An operator's act: look through all that is stored for damage; it reads every page and every row."""
        return await self._parts.store.integrity()

    async def index_lag(self, *, most: int | None = None) -> int:
        """Count the items found by words only, until they have their vector; with `most`, up to that number."""
        return await self._parts.store.index(lambda keeper: keeper.lag(most=most), reading=True)

    async def ask_engines(self) -> dict[str, str]:
        """Check each configured engine other than the store; an empty text where it answers, else the fault."""
        return await opening.ask_engines(self._parts)
