"""Events that other systems may receive: their types and the schema they follow."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, ClassVar, Final, Self, TypeVar

import msgspec

from rememora.domain.ids import new_id
from rememora.domain.scope import Scope

SCHEMA: Final = 2
"""Current version of the event schema; `event_versions` converts to others."""


Shown = Callable[[str], str]
"""A key or a name, as others than the owner of a memory see it."""


class Payload(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Payload of one event type; its docstring is its documentation."""

    type: ClassVar[str] = ""

    def masked(self, key: Shown, name: Shown) -> Self:
        """Return the payload with keys passed through `key`, and subjects and attributes through `name`."""
        return self


class ConversationDeleted(Payload, frozen=True, kw_only=True):
    """A conversation and everything that belongs to it was removed; the counts say how much."""

    type = "conversation.deleted"
    messages: int
    summaries: int = 0
    episodes: int = 0
    embeddings: int = 0


class EpisodeCreated(Payload, frozen=True, kw_only=True):
    """A run of turns became an episode, the event's subject; with its summary only if a setting allows it."""

    type = "memory.episode.created"
    tenant_id: str
    session_id: str
    turn_count: int
    summary: str | None = None


class MemorySeeded(Payload, frozen=True, kw_only=True):
    """The base profile was written; `changed` names the keys with a new value."""

    type = "memory.seeded"
    ref: str
    changed: tuple[str, ...]
    unchanged: int = 0

    def masked(self, key: Shown, name: Shown) -> Self:
        return msgspec.structs.replace(self, changed=tuple(map(key, self.changed)))


class MemorySaveAttempt(Payload, frozen=True, kw_only=True):
    """The gate judged a candidate memory, and gave its verdict and reason.

    A `key` that the policy does not name appears as its namespace and a digest, as in every event.
    """

    type = "memory.save_attempt"
    worthy: bool
    verdict: str
    reason: str
    source: str
    key: str | None = None
    category: str | None = None
    memory: str | None = None
    subject: str | None = None
    attribute: str | None = None

    def masked(self, key: Shown, name: Shown) -> Self:
        return _masked(self, key, name)


class MemoryUpdated(Payload, frozen=True, kw_only=True):
    """A memory was created or its state changed; `change` says how, `replaced` names the one it superseded.

    `subject` is `me`, `company` or the digest of a name, and is left out where it is not known.
    """

    type = "memory.updated"
    memory: str
    key: str
    category: str
    scope: str
    change: str
    replaced: str | None = None
    subject: str | None = None
    attribute: str | None = None

    def masked(self, key: Shown, name: Shown) -> Self:
        return _masked(self, key, name)


class MemoryDeleted(Payload, frozen=True, kw_only=True):
    """A memory was forgotten and can be restored; when `erased`, memories were erased and are not named here."""

    type = "memory.deleted"
    memory: str | None = None
    key: str | None = None
    erased: bool = False
    count: int = 1
    receipt: str | None = None
    subject: str | None = None
    attribute: str | None = None

    def masked(self, key: Shown, name: Shown) -> Self:
        return _masked(self, key, name)


class ModuleTaskCreated(Payload, frozen=True, kw_only=True):
    """Work was handed to a module."""

    type = "module.task.created"
    task_id: str
    correlation_id: str
    module: str
    kind: str


class ModuleTaskCompleted(Payload, frozen=True, kw_only=True):
    """A module did its work."""

    type = "module.task.completed"
    task_id: str
    correlation_id: str
    module: str
    kind: str
    attempts: int


class ModuleTaskFailed(Payload, frozen=True, kw_only=True):
    """A module will not do its work: it failed, was given up, or was cancelled."""

    type = "module.task.failed"
    task_id: str
    correlation_id: str
    module: str
    kind: str
    attempts: int
    error_code: str


class CrmDelegationSent(Payload, frozen=True, kw_only=True):
    """The CRM module did its work; the summary is one line of its own. Exactly one end per task."""

    type = "crm.delegation.sent"
    task_id: str
    correlation_id: str
    tenant_id: str
    result_summary: str


class CrmDelegationFailed(Payload, frozen=True, kw_only=True):
    """The CRM module will not do its work; the code names the reason. Exactly one end per task."""

    type = "crm.delegation.failed"
    task_id: str
    correlation_id: str
    tenant_id: str
    error_code: str


class MissionCreated(Payload, frozen=True, kw_only=True):
    """A team of agents started to work on a request."""

    type = "mission.created"
    mission_id: str


class MissionCompleted(Payload, frozen=True, kw_only=True):
    """The answer of a mission was sent; the payload counts what it used."""

    type = "mission.completed"
    mission_id: str
    tokens: int
    calls: int


class MissionFailed(Payload, frozen=True, kw_only=True):
    """A mission ended without an answer; the payload counts what it used."""

    type = "mission.failed"
    mission_id: str
    tokens: int
    calls: int


class MissionTimedOut(Payload, frozen=True, kw_only=True):
    """A mission timed out; the payload counts what it used."""

    type = "mission.timeout"
    mission_id: str
    tokens: int
    calls: int


class MissionRefusal(Payload, frozen=True, kw_only=True):
    """A call inside a mission was refused for this reason for the first time."""

    type = "mission.refused"
    mission_id: str
    reason: str
    agent: str


class MissionBreakerOpened(Payload, frozen=True, kw_only=True):
    """An agent of a mission kept failing and is not called for a while."""

    type = "mission.breaker_opened"
    mission_id: str
    agent: str


class MissionStalled(Payload, frozen=True, kw_only=True):
    """A mission has made no progress for too long."""

    type = "mission.stalled"
    mission_id: str


class MissionDeleted(Payload, frozen=True, kw_only=True):
    """A mission and everything in it was deleted."""

    type = "mission.deleted"
    mission_id: str


T = TypeVar("T", bound=MemorySaveAttempt | MemoryUpdated | MemoryDeleted)


def _masked(payload: T, key: Shown, name: Shown) -> T:
    """Return the payload of one memory as others than its owner see it."""
    return msgspec.structs.replace(
        payload,
        key=payload.key and key(payload.key),
        subject=payload.subject and name(payload.subject),
        attribute=payload.attribute and name(payload.attribute),
    )


PAYLOADS: tuple[type[Payload], ...] = (
    ConversationDeleted,
    EpisodeCreated,
    MemorySeeded,
    MemorySaveAttempt,
    MemoryUpdated,
    MemoryDeleted,
    ModuleTaskCreated,
    ModuleTaskCompleted,
    ModuleTaskFailed,
    CrmDelegationSent,
    CrmDelegationFailed,
    MissionCreated,
    MissionCompleted,
    MissionFailed,
    MissionTimedOut,
    MissionRefusal,
    MissionBreakerOpened,
    MissionStalled,
    MissionDeleted,
)
"""Every event type, in the order of the documentation."""


class Event(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One event. `id` is the same in every delivery, so that a consumer can drop duplicates."""

    id: str
    type: str
    tenant: str
    user: str
    conversation: str | None = None
    occurred_at: datetime
    position: int = 0
    version: int = 1
    """Version of the schema that the payload follows; 1 is left out, because old events have no version."""
    subject: str | None = None
    """Id of the event's subject, if the payload does not name it."""
    payload: dict[str, Any]


def event_of(scope: Scope, payload: Payload, *, at: datetime, subject: str | None = None) -> Event:
    """Build the event that carries `payload` of `scope`; the store assigns its position."""
    return Event(
        id=new_id(),
        type=payload.type,
        tenant=scope.tenant,
        user=scope.user,
        conversation=scope.conversation,
        occurred_at=at,
        version=SCHEMA,
        subject=subject,
        payload=msgspec.to_builtins(payload),
    )
