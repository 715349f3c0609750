"""`StoreHealth` without `await`; `make sync` writes this file from `handles/opened/health.py`."""

from __future__ import annotations

from rememora.domain.audit import ChainReport
from rememora.domain.integrity import Integrity
from rememora.handles.opened import health as wrapped
from rememora.portal import Portal


class SyncStoreHealth:
    """Checks of the store and its engines."""

    def __init__(self, portal: Portal, inner: wrapped.StoreHealth) -> None:
        self._portal = portal
        self._inner = inner

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._inner!r}>"

    def verify_audit(self, *, acting: str) -> list[ChainReport]:
        """An operator's act: check the chain of every tenant."""
        return self._portal.run(self._inner.verify_audit(acting=acting))

    def check_signing_key(self) -> None:
        """Raise `SigningKeyChanged` where another key than the one that is here signed the audit chain."""
        return self._portal.run(self._inner.check_signing_key())

    def check_integrity(self) -> Integrity:
        """An operator's act: look through all that is stored for damage; it reads every page and every row."""
        return self._portal.run(self._inner.check_integrity())

    def index_lag(self, *, most: int | None = None) -> int:
        """Count the items found by words only, until they have their vector; with `most`, up to that number."""
        return self._portal.run(self._inner.index_lag(most=most))

    def ask_engines(self) -> dict[str, str]:
        """Check each configured engine other than the store; an empty text where it answers, else the fault."""
        return self._portal.run(self._inner.ask_engines())
