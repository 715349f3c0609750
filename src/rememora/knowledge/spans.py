"""Active periods of one key: at any moment at most one value is active under it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from rememora.ports.knowledge import ActivePeriod

END = datetime.max.replace(tzinfo=UTC)


def fitted(spans: Iterable[ActivePeriod], taken: Sequence[ActivePeriod]) -> list[ActivePeriod]:
    """Return the parts of `spans` in which nothing else was active under the key."""
    kept: list[ActivePeriod] = []
    for span in spans:
        kept += _outside(span, [*taken, *kept])
    return kept


def _outside(span: ActivePeriod, taken: Iterable[ActivePeriod]) -> list[ActivePeriod]:
    since, until = span.since, span.until or END
    periods: list[ActivePeriod] = []
    # Walk the taken periods in order, and keep the gaps between them.
    for other in sorted(taken, key=lambda active_period: active_period.since):
        began, ended = other.since, other.until or END
        if ended <= since or began >= until or began == ended:
            continue
        if began > since:
            periods.append(ActivePeriod(since=since, until=began))
        since = max(since, ended)
    if since < until:
        periods.append(ActivePeriod(since=since, until=None if until == END else until))
    return periods
