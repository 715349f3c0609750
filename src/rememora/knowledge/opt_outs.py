"""Opt-outs of a person: nothing is saved while memory is paused, nor any kind of fact they excluded."""

from __future__ import annotations

from typing import Final

from rememora.domain.memory import MemoryDraft
from rememora.domain.scope import Scope
from rememora.domain.verdict import Refuse
from rememora.gate.policy import Policy
from rememora.ports.store import UnitOfWork

PAUSED: Final = "prefs.memory_paused"
"""True while nothing new may be remembered about a person; existing memories stay in use."""
UNWANTED: Final = "prefs.not_kept"
"""The categories of which a person wants nothing remembered."""
NOT_WANTED: Final = ("refuse.paused", "refuse.unwanted_kind")
"""Reason for refusing something that would be saved if the person had not opted out."""
_ASKED = ("explicit_user", "inferred")


def is_paused(work: UnitOfWork, scope: Scope) -> bool:
    """Return whether the person paused their memory."""
    held = work.memories.active(scope.person(), PAUSED, shared=False)
    return held is not None and held.value is True


def unwanted(work: UnitOfWork, scope: Scope, draft: MemoryDraft, policy: Policy) -> Refuse | None:
    """Return why the person does not want this saved; None if they do, and for profile and company facts."""
    if draft.source not in _ASKED or draft.key in (PAUSED, UNWANTED):
        return None
    if is_paused(work, scope):
        return _refusal("refuse.paused", policy)
    named = work.memories.active(scope.person(), UNWANTED, shared=False)
    kinds = named.value if named is not None and isinstance(named.value, list) else ()
    return _refusal("refuse.unwanted_kind", policy) if draft.category in kinds else None


def _refusal(reason: str, policy: Policy) -> Refuse:
    return Refuse(reason=reason, why=policy.why(reason), confidence=1.0)
