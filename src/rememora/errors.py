"""Everything Rememora raises, as one tree.

    RememoraError
    ├── UsageError (ValueError)
    │   ├── SettingsError          field, value, allowed
    │   └── InvalidInput           field
    ├── NotFound (LookupError)     kind, id, near
    ├── Conflict
    │   ├── ChangedMeanwhile
    │   ├── ModelMismatch          command
    │   ├── SchemaOutdated         command
    │   ├── SigningKeyChanged      command
    │   ├── EventsMissed           subscriber, missed, since
    │   └── TransferDiffers        tables
    ├── Forbidden
    │   ├── KeyRejected
    │   ├── RightMissing           right
    │   ├── ConfirmationNeeded     confirmation, expires_at
    │   ├── ConfirmationRejected
    │   └── UnsafeRole             command
    ├── MemoryRefused              verdict, reason
    ├── QuotaExceeded              quota, limit, resets_at
    │   └── TooManyTries
    ├── MissionRefused             mission_id
    │   ├── LoopRefused
    │   ├── DepthExceeded
    │   ├── BudgetExceeded
    │   ├── DeadlinePassed
    │   ├── FloodRefused
    │   └── BreakerOpen            agent, fallback
    └── Unavailable
        ├── StoreUnavailable
        │   ├── StoreDamaged       command
        │   └── StoreForked
        ├── ModelUnavailable
        ├── MissingExtra (ImportError)   extra
        └── PluginFailed           group, name, package

The docstring of a class is its default message; `code` is stable and safe to match on.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import ClassVar


class RememoraError(Exception):
    """Something went wrong in Rememora."""

    code: ClassVar[str] = "error"

    def __init__(self, message: str | None = None) -> None:
        self.message = message or (type(self).__doc__ or "").strip()
        super().__init__(self.message)


class UsageError(RememoraError, ValueError):
    """The call is not valid."""

    code = "usage"


class SettingsError(UsageError):
    """A setting has a value that is not allowed."""

    code = "settings"

    def __init__(self, field: str, value: object, allowed: str) -> None:
        self.field, self.value, self.allowed = field, value, allowed
        super().__init__(f"{field} = {value!r} is not allowed: {allowed}")


class InvalidInput(UsageError):
    """A field of the input is not valid."""

    code = "invalid_input"

    def __init__(self, field: str, reason: str) -> None:
        self.field, self.reason = field, reason
        super().__init__(f"{field}: {reason}")


class NotFound(RememoraError, LookupError):
    """Nothing has that id."""

    code = "not_found"

    def __init__(self, kind: str, id: str, *, near: str | None = None) -> None:
        self.kind, self.id, self.near = kind, id, near
        super().__init__(f"no {kind} {id!r} here" + (f"; did you mean {near!r}?" if near else ""))


class Conflict(RememoraError):
    """The change does not fit what is stored."""

    code = "conflict"


class ChangedMeanwhile(Conflict):
    """The item has changed since it was read; read it again."""

    code = "changed_meanwhile"


class ModelMismatch(Conflict):
    """The index was made with another embedding model."""

    code = "model_mismatch"

    def __init__(self, message: str, command: str) -> None:
        self.command = command
        super().__init__(f"{message}; run: {command}")


class SchemaOutdated(Conflict):
    """The store's schema is not the one this version of Rememora works with."""

    code = "schema_outdated"

    def __init__(self, message: str, command: str) -> None:
        self.command = command
        super().__init__(f"{message}; run: {command}")


class SigningKeyChanged(Conflict):
    """The audit chain was signed with a different key."""

    code = "signing_key_changed"

    def __init__(self, message: str, command: str) -> None:
        self.command = command
        super().__init__(f"{message}; run: {command}")


class TransferDiffers(Conflict):
    """Two stores that should be equal are not."""

    code = "transfer_differs"

    def __init__(self, tables: Sequence[str], descriptions: Sequence[str]) -> None:
        self.tables = tuple(tables)
        super().__init__(
            f"the stores differ in {', '.join(descriptions)}; stop every writer of the source, then transfer again"
        )


class EventsMissed(Conflict):
    """A subscriber was inactive for so long that events it had not received were removed."""

    code = "events_missed"

    def __init__(self, subscriber: str, missed: int, since: datetime) -> None:
        self.subscriber, self.missed, self.since = subscriber, missed, since
        super().__init__(
            f"{subscriber!r} has been inactive since {since.isoformat(' ', 'seconds')}, and {missed} events that "
            "it had not received were removed; subscribe with resume=True to receive the remaining and new ones"
        )


class Forbidden(RememoraError):
    """This is not allowed here."""

    code = "forbidden"


class KeyRejected(Forbidden):
    """The credential is missing, unknown, expired or revoked."""

    code = "key_rejected"


class RightMissing(Forbidden):
    """The actor lacks a right."""

    code = "right_missing"

    def __init__(self, right: str) -> None:
        self.right = right
        super().__init__(f"the right {right!r} is missing")


class ConfirmationNeeded(Forbidden):
    """An erasure by link must be confirmed: repeat the request with the confirmation before it expires."""

    code = "confirmation_needed"

    def __init__(self, confirmation: str, expires_at: datetime) -> None:
        self.confirmation, self.expires_at = confirmation, expires_at
        super().__init__()


class ConfirmationRejected(Forbidden):
    """The confirmation is forged, expired, already used, or was given for something else."""

    code = "confirmation_rejected"


class UnsafeRole(Forbidden):
    """The database role could read rows of other tenants."""

    code = "unsafe_role"

    def __init__(self, message: str, command: str) -> None:
        self.command = command
        super().__init__(f"{message}; run: {command}")


class MemoryRefused(RememoraError):
    """The gate did not allow this to become a memory."""

    code = "memory_refused"

    def __init__(self, verdict: str, reason: str, message: str) -> None:
        self.verdict, self.reason = verdict, reason
        super().__init__(message)


class QuotaExceeded(RememoraError):
    """The tenant has used up the quota of its plan."""

    code = "quota_exceeded"

    def __init__(self, quota: str, limit: int, resets_at: datetime) -> None:
        self.quota, self.limit, self.resets_at = quota, limit, resets_at
        super().__init__(f"the plan allows {limit} {quota} until {resets_at.isoformat()}")


class TooManyTries(QuotaExceeded):
    """Too many sign-in attempts."""

    code = "too_many_tries"

    def __init__(self, quota: str, limit: int, resets_at: datetime) -> None:
        super().__init__(quota, limit, resets_at)
        self.message = f"too many sign-in attempts; try again after {resets_at.isoformat()}"
        self.args = (self.message,)


class MissionRefused(RememoraError):
    """The mission no longer accepts this."""

    code = "mission_refused"

    def __init__(self, mission_id: str, message: str | None = None) -> None:
        self.mission_id = mission_id
        super().__init__(message)


class LoopRefused(MissionRefused):
    """The call would close a loop between agents."""

    code = "loop_refused"


class DepthExceeded(MissionRefused):
    """The call would make the chain of calls too deep."""

    code = "depth_exceeded"


class BudgetExceeded(MissionRefused):
    """The call's limit exceeds the rest of the budget."""

    code = "budget_exceeded"


class DeadlinePassed(MissionRefused):
    """The deadline has passed."""

    code = "deadline_passed"


class FloodRefused(MissionRefused):
    """Too many messages in too short a time."""

    code = "flood_refused"


class BreakerOpen(MissionRefused):
    """The agent keeps failing and is not called for a while."""

    code = "breaker_open"

    def __init__(self, mission_id: str, agent: str, fallback: str | None = None) -> None:
        self.agent, self.fallback = agent, fallback
        instead = f"; {fallback} stands in" if fallback else ""
        super().__init__(mission_id, f"{agent} keeps failing and is not called for a while{instead}")


class Unavailable(RememoraError):
    """A service that Rememora depends on does not respond."""

    code = "unavailable"


class StoreUnavailable(Unavailable):
    """The store does not respond."""

    code = "store_unavailable"


class StoreDamaged(StoreUnavailable):
    """The stored bytes cannot be read."""

    code = "store_damaged"

    def __init__(self, message: str, command: str = "rememora doctor") -> None:
        self.command = command
        super().__init__(f"{message}; to see what is damaged run: {command}")


class StoreForked(StoreUnavailable):
    """The store was opened before this process was forked; open it after the fork, or spawn the process."""

    code = "store_forked"


class ModelUnavailable(Unavailable):
    """The model does not respond, or its answer cannot be used."""

    code = "model_unavailable"


class MissingExtra(Unavailable, ImportError):
    """An optional package is not installed."""

    code = "missing_extra"

    def __init__(self, extra: str) -> None:
        self.extra = extra
        super().__init__(f"this needs an optional package: pip install 'rememora[{extra}]'")


class PluginFailed(Unavailable):
    """A plugin cannot be used: it does not import, its factory fails, or it does not fulfil its contract."""

    code = "plugin_failed"

    def __init__(self, group: str, name: str, *, package: str, reason: str) -> None:
        self.group, self.name, self.package = group, name, package
        super().__init__(f"the plugin {name!r} of {group} (package {package}) {reason}")
