"""Old names of the handles' verbs, which work until 0.3 with a `DeprecationWarning`."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final

REMOVED_IN: Final = "0.3"

USER: Final[Mapping[str, str]] = {
    "acts": "audit.list",
    "answer": "proposals.answer",
    "as_of": "memories.as_of",
    "attempts": "gate.attempts",
    "cancel": "tasks.cancel",
    "confirm": "memories.confirm",
    "correct": "memories.correct",
    "delegate": "tasks.delegate",
    "dependents": "memories.dependents",
    "explain": "memories.explain",
    "export": "archive.export",
    "forget_entity": "entities.forget",
    "history": "memories.history",
    "import_": "archive.load",
    "import_note": "archive.load_note",
    "infer": "gate.infer",
    "judge": "gate.judge",
    "list_episodes": "conversations.episodes",
    "memory": "memories.get",
    "mention": "entities.mention",
    "nearest": "memories.nearest",
    "note": "gate.note",
    "note_access": "audit.note_access",
    "read": "gate.read",
    "related": "context",
    "reply_apart": "conversations.reply_unstored",
    "restore": "memories.restore",
    "restore_entities": "entities.restore_all",
    "restore_entity": "entities.restore",
    "seed_profile": "profile.seed",
    "sources": "memories.sources",
    "suppress": "memories.suppress",
    "task": "tasks.get",
    "timeline": "memories.timeline",
}
"""Old verbs of `UserMemory`; `memories`, `entities`, `tasks`, `conversations` and `proposals` are in `OldCall`."""

TENANT: Final[Mapping[str, str]] = {
    "approve": "quarantine.approve",
    "claim_task": "tasks.claim",
    "complete_task": "tasks.complete",
    "dead_letters": "events.dead_letters",
    "deliveries": "events.deliveries",
    "fail_task": "tasks.fail",
    "masked_memories": "memories.list_masked",
    "newest_audit": "audit.newest",
    "newest_events": "events.newest",
    "note_access": "audit.note_access",
    "quarantined": "quarantine.list",
    "reject": "quarantine.reject",
    "release_task": "tasks.release",
    "renew_task": "tasks.renew",
    "requests": "audit.requests",
    "retry_dead_letters": "events.retry_dead_letters",
    "stop_mission": "missions.stop",
    "trend": "quality.trend",
    "verdicts": "quality.verdicts",
    "verify_audit": "audit.verify",
    "verify_receipt": "audit.verify_receipt",
}
"""Old verbs of `Tenant`; `events`, `tasks`, `missions`, `memories` and `audit` are in `OldCall`."""

OPERATOR: Final[Mapping[str, str]] = {
    "adopt_tenants": "tenants.adopt",
    "change_tenant": "tenants.change",
    "create_tenant": "tenants.create",
    "erase_tenant": "tenants.erase",
    "first_user": "tenants.first_user",
    "people": "tenants.people",
    "tenant": "tenants.get",
}
"""Old verbs of `Operator`; `tenants` is in `OldCall`."""

STORE: Final[Mapping[str, str]] = {
    "accept_invitation": "sessions.accept_invitation",
    "add_module": "modules.add",
    "admit": "credentials.admit",
    "admit_link": "credentials.admit_link",
    "admit_session": "sessions.admit",
    "ask_engines": "health.ask_engines",
    "ask_to_confirm": "credentials.ask_to_confirm",
    "break_glass": "sessions.break_glass",
    "change_password": "sessions.change_password",
    "check_integrity": "health.check_integrity",
    "check_signing_key": "health.check_signing_key",
    "confirm": "credentials.confirm",
    "consume": "events.consume",
    "index_lag": "health.index_lag",
    "invitation": "sessions.invitation",
    "relay_to_redis": "events.relay_to_redis",
    "replay": "events.replay",
    "serve_module": "modules.serve",
    "sign_in": "sessions.sign_in",
    "sign_out": "sessions.sign_out",
    "subscribe": "events.subscribe",
    "verify_audit": "health.verify_audit",
    "webhook": "events.webhook",
}
"""Old verbs of `Rememora`."""

CONVERSATION: Final[Mapping[str, str]] = {"heed": "act_on"}
"""Old verb of `Conversation`."""


class OldVerbs:
    """A handle whose old verbs forward to the new ones; type checkers only see the new ones."""

    _old: ClassVar[Mapping[str, str]] = {}

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Return the verb that an old name refers to."""
            if name not in self._old:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            _warn(name, self._old[name])
            return operator.attrgetter(self._old[name])(self)


class OldUserVerbs(OldVerbs):
    """The old verbs of `UserMemory`."""

    _old = USER


class OldTenantVerbs(OldVerbs):
    """The old verbs of `Tenant`."""

    _old = TENANT


class OldOperatorVerbs(OldVerbs):
    """The old verbs of `Operator`."""

    _old = OPERATOR


class OldStoreVerbs(OldVerbs):
    """The old verbs of `Rememora`."""

    _old = STORE


class OldConversationVerbs(OldVerbs):
    """The old verb of `Conversation`."""

    _old = CONVERSATION


class OldCall:
    """A noun with the name of an old verb that listed it: calling it lists it."""

    if not TYPE_CHECKING:

        def __call__(self, *args: Any, **options: Any) -> Any:
            """List the noun."""
            _warn(f"{type(self).__name__}(…)", f"{type(self).__name__}.list(…)")
            return self.list(*args, **options)


def _warn(old: str, new: str) -> None:
    """Warn about an old name, and name its replacement, at the line that used it."""
    warnings.warn(f"`{old}` is now `{new}`; {REMOVED_IN} removes it", DeprecationWarning, stacklevel=3)
