"""Names of keys: each id quoted, so that none can be mistaken for another, and related keys in one slot.

The text between braces decides the slot of a Redis Cluster: a user's windows share one, and so do a
tenant's missions, since one script reads and writes several of them.
"""

from __future__ import annotations

from urllib.parse import quote, unquote

from rememora.domain.scope import Scope


def quoted(text: str) -> str:
    """Only letters, digits and `_.-~` stay as they are: no separator, brace or pattern is left in an id."""
    return quote(text, safe="")


def hot_keys(prefix: str, scope: Scope) -> list[str]:
    """Return the keys of a conversation's cached window, its confirmation, and the reader asking the store."""
    return [
        f"{_of_user(prefix, scope)}:{what}:{quoted(scope.conversation or '')}" for what in ("hot", "sure", "claim")
    ]


def windows_key(prefix: str, scope: Scope) -> str:
    """The names of a user's hot windows."""
    return f"{_of_user(prefix, scope)}:windows"


def gone_key(prefix: str, scope: Scope) -> str:
    """Says for a while that a conversation, or all of a user's, was deleted."""
    return f"{_of_user(prefix, scope)}:gone:{quoted(scope.conversation or '')}"


def mission_member(user: str, mission_id: str) -> str:
    """Return a mission's name among its tenant's."""
    return f"{quoted(user)}/{quoted(mission_id)}"


def member_parts(member: str) -> tuple[str, str]:
    """The user and the id of a member."""
    user, _, mission_id = member.partition("/")
    return unquote(user), unquote(mission_id)


def missions_key(prefix: str, tenant: str, what: str) -> str:
    """One of the keys that a tenant's missions are kept under."""
    return f"{quoted(prefix)}:{{{quoted(tenant)}}}:missions:{what}"


def tenants_key(prefix: str) -> str:
    """Return the key of the tenants that had missions recently."""
    return f"{quoted(prefix)}:missions:tenants"


def stream_key(prefix: str, name: str) -> str:
    """Return the key of the event stream."""
    return f"{quoted(prefix)}:{{events}}:{quoted(name)}"


def erased_event_keys(prefix: str, scope: Scope) -> list[str]:
    """Return the keys that record erased events of a tenant, a user or a conversation, the widest first."""
    parts = (scope.tenant, scope.user, scope.conversation or "")
    names = ("/".join(map(quoted, parts[:count])) for count in (1, 2, 3))
    return [f"{quoted(prefix)}:{{events}}:gone:{name}" for name in names]


def _of_user(prefix: str, scope: Scope) -> str:
    return f"{quoted(prefix)}:{{{quoted(scope.tenant)}/{quoted(scope.user)}}}"
