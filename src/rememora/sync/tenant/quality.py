"""`TenantQuality` without `await`; `make sync` writes this file from `handles/tenant/quality.py`."""

from __future__ import annotations

from rememora.domain.quality import VerdictCount
from rememora.domain.trend import Trend
from rememora.handles.tenant import quality as wrapped
from rememora.portal import Portal


class SyncTenantQuality:
    """Figures of one tenant: verdicts of the gate, and figures over time."""

    def __init__(self, portal: Portal, inner: wrapped.TenantQuality) -> None:
        self._portal = portal
        self._inner = inner

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._inner!r}>"

    def verdicts(self) -> list[VerdictCount]:
        """Count the gate's verdicts and reasons for this tenant's people, the most frequent first."""
        return self._portal.run(self._inner.verdicts())

    def trend(self, *, days: int = 30) -> Trend:
        """The tenant's last days: turns, recalls, verdicts, corrections, and what waited in the whole store."""
        return self._portal.run(self._inner.trend(days=days))
