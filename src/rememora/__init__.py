"""The memory of AI agents: what was said, what is known, and what is happening now."""

import typing
import warnings

from rememora.app import Rememora
from rememora.context.render import render
from rememora.domain.audit import AuditEntry, ChainReport
from rememora.domain.context import (
    ContextPack,
    Item,
    LeftOut,
    MemoryAction,
    MissingLayer,
    Reply,
    ReplyPart,
    Situation,
)
from rememora.domain.document import StoredDocument
from rememora.domain.entity import Entity
from rememora.domain.episode import Episode, Summary
from rememora.domain.event import Event
from rememora.domain.hit import Hit
from rememora.domain.memory import Memory, MemoryFilter, Outcome, Proposal, Quarantined, edition_of
from rememora.domain.message import Attachment, ConversationRecord, Message, NewMessage, Page, Removed
from rememora.domain.modules import Module
from rememora.domain.profile import Profile
from rememora.domain.receipt import Receipt, ReceiptReport
from rememora.domain.rights import ADMIN, OPERATOR, USER, Rights
from rememora.domain.scope import Scope
from rememora.domain.signature import verify_webhook
from rememora.domain.task import Task, TaskDone, TaskFailed
from rememora.domain.verdict import Ask, Correct, Forget, Origin, Quarantine, Refuse, Save
from rememora.gate import No, Value, Yes
from rememora.handles.access import Access
from rememora.handles.conversation import Conversation
from rememora.handles.documents import UserDocuments
from rememora.handles.missions import UserMissions
from rememora.handles.operator import Operator
from rememora.handles.tenant import Tenant
from rememora.handles.user import UserMemory
from rememora.settings import Settings
from rememora.sync import (
    SyncAccess,
    SyncConversation,
    SyncOperator,
    SyncRememora,
    SyncTenant,
    SyncUserDocuments,
    SyncUserMemory,
    SyncUserMissions,
)

__all__ = [
    "ADMIN",
    "OPERATOR",
    "USER",
    "Access",
    "Ask",
    "Attachment",
    "AuditEntry",
    "ChainReport",
    "ContextPack",
    "Conversation",
    "ConversationRecord",
    "Correct",
    "Entity",
    "Episode",
    "Event",
    "Forget",
    "Hit",
    "Item",
    "LeftOut",
    "Memory",
    "MemoryAction",
    "MemoryFilter",
    "Message",
    "MissingLayer",
    "Module",
    "NewMessage",
    "No",
    "Operator",
    "Origin",
    "Outcome",
    "Page",
    "Profile",
    "Proposal",
    "Quarantine",
    "Quarantined",
    "Receipt",
    "ReceiptReport",
    "Refuse",
    "Rememora",
    "Removed",
    "Reply",
    "ReplyPart",
    "Rights",
    "Save",
    "Scope",
    "Settings",
    "Situation",
    "StoredDocument",
    "Summary",
    "SyncAccess",
    "SyncConversation",
    "SyncOperator",
    "SyncRememora",
    "SyncTenant",
    "SyncUserDocuments",
    "SyncUserMemory",
    "SyncUserMissions",
    "Task",
    "TaskDone",
    "TaskFailed",
    "Tenant",
    "UserDocuments",
    "UserMemory",
    "UserMissions",
    "Value",
    "Yes",
    "edition_of",
    "render",
    "verify_webhook",
]

_RENAMED: dict[str, str] = {
    "Deed": "MemoryAction",
    "Done": "TaskDone",
    "Failed": "TaskFailed",
    "Missing": "MissingLayer",
    "Piece": "ReplyPart",
}
"""Names before 0.2 and their successors; the old ones work for one more release."""


if not typing.TYPE_CHECKING:  # a type checker is to refuse unknown names, and the old ones

    def __getattr__(name: str) -> object:
        if name in _RENAMED:
            warnings.warn(f"rememora.{name} is now rememora.{_RENAMED[name]}", DeprecationWarning, stacklevel=2)
            return globals()[_RENAMED[name]]
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
