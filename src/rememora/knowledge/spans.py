"""Spans of one key: at any moment at most one value stands under it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from rememora.ports.knowledge import Span

END = datetime.max.replace(tzinfo=UTC)


def fitted(spans: Iterable[Span], taken: Sequence[Span]) -> list[Span]:
    """The parts of `spans` in which nothing else stood under the key, nor an earlier one of them."""
    kept: list[Span] = []
    for span in spans:
        kept += _outside(span, [*taken, *kept])
    return kept


def _outside(span: Span, taken: Iterable[Span]) -> list[Span]:
    since, until = span.since, span.until or END
    found: list[Span] = []
    for other in sorted(taken, key=lambda each: each.since):
        began, ended = other.since, other.until or END
        if ended <= since or began >= until or began == ended:
            continue
        if began > since:
            found.append(Span(since=since, until=began))
        since = max(since, ended)
    if since < until:
        found.append(Span(since=since, until=None if until == END else until))
    return found
