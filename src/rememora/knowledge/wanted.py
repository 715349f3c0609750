"""What a person does not want kept: nothing while memory is paused, and never what is of a kind they named."""

from __future__ import annotations

from typing import Final

from rememora.domain.memory import Wish
from rememora.domain.scope import Scope
from rememora.domain.verdict import Refuse
from rememora.gate.policy import Policy
from rememora.ports.store import UnitOfWork

PAUSED: Final = "prefs.memory_paused"
"""True while nothing new may be remembered of a person; what is known already stays in use."""
UNWANTED: Final = "prefs.not_kept"
"""The categories of which a person wants nothing remembered."""
NOT_WANTED: Final = ("refuse.paused", "refuse.unwanted_kind")
"""Why something is refused that would have been kept, had the person not said otherwise before."""
_ASKED = ("explicit_user", "inferred")


def is_paused(work: UnitOfWork, scope: Scope) -> bool:
    """Whether the person paused their memory."""
    held = work.memories.active(scope.person(), PAUSED, shared=False)
    return held is not None and held.value is True


def unwanted(work: UnitOfWork, scope: Scope, wish: Wish, policy: Policy) -> Refuse | None:
    """Why the person does not want this kept; None where they do, and for what profile and company say."""
    if wish.source not in _ASKED or wish.key in (PAUSED, UNWANTED):
        return None
    if is_paused(work, scope):
        return _refusal("refuse.paused", policy)
    named = work.memories.active(scope.person(), UNWANTED, shared=False)
    kinds = named.value if named is not None and isinstance(named.value, list) else ()
    return _refusal("refuse.unwanted_kind", policy) if wish.category in kinds else None


def _refusal(reason: str, policy: Policy) -> Refuse:
    return Refuse(reason=reason, why=policy.why(reason), confidence=1.0)
