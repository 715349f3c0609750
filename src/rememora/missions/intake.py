"""The first reading of a query where no model reads it: which coordinators speak its words (W3; pure)."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any

from rememora.domain.mission_intake import Classification, CoordinatorCandidate, Intake, Kind
from rememora.language import fold

_WORD = re.compile(r"\w{3,}")


def read_intake(query: str, coordinators: Mapping[str, Callable[..., Any]]) -> Intake:
    """Score each coordinator by the query's words found in its name and docstring."""
    words = _words(query)
    scored = [_candidate(name, agent, words) for name, agent in coordinators.items()]
    # Sorting is stable: equals stay in the order they were given.
    candidates = tuple(sorted(scored, key=lambda candidate: -candidate.score))
    best = candidates[0] if candidates else None
    return Intake(
        query=query,
        classification=Classification(kind=_kind(words, best), domain=best.coordinator if best else None),
        candidates=candidates,
    )


def _candidate(name: str, agent: Callable[..., Any], words: frozenset[str]) -> CoordinatorCandidate:
    own = _words(f"{name.replace('_', ' ')} {inspect.getdoc(agent) or ''}")
    found = sorted(words & own)
    score = len(found) * 100 // max(1, len(words))
    return CoordinatorCandidate(coordinator=name, score=score, reason=f"knows {len(found)} of {len(words)} words")


def _kind(words: frozenset[str], best: CoordinatorCandidate | None) -> Kind:
    if best is None or not words:
        return "entry"
    if len(words) <= 2:
        return "trivial" if best.score == 0 else "simple"
    return "complex"


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(fold(text)))
