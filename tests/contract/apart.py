"""Owners of a case's own, so that the cases of a loop share a store and nothing in it."""

from __future__ import annotations

from itertools import count

from rememora.domain.scope import Scope

_numbers = count(1)


def apart(pair: tuple[Scope, Scope]) -> tuple[Scope, Scope]:
    """The same pair in tenants that no other case has, as much alike as before."""
    text = f"{next(_numbers)}-"
    one, other = pair
    swapped = (one.tenant, one.user) == (other.user, other.tenant)

    def numbered(scope: Scope) -> Scope:
        user = f"{text}{scope.user}" if swapped else scope.user
        return Scope(f"{text}{scope.tenant}", user, scope.conversation)

    return numbered(one), numbered(other)


def tenants_apart(pair: tuple[str, str]) -> tuple[str, str]:
    """The same for the names of two tenants."""
    text = f"{next(_numbers)}-"
    return f"{text}{pair[0]}", f"{text}{pair[1]}"
