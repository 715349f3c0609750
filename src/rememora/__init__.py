"""The memory of AI agents: what was said, what is known, and what is going on right now."""

from rememora.app import Conversation, Rememora, Tenant, UserMemory
from rememora.domain.audit import AuditEntry, ChainReport
from rememora.domain.entity import Entity
from rememora.domain.episode import Episode, Summary
from rememora.domain.event import Event
from rememora.domain.hit import Hit
from rememora.domain.memory import Memory, MemoryFilter, Outcome, Proposal, Quarantined
from rememora.domain.message import Attachment, ConversationRecord, Message, NewMessage, Page, Removed
from rememora.domain.profile import Profile
from rememora.domain.receipt import Receipt, ReceiptReport
from rememora.domain.rights import ADMIN, USER, Rights
from rememora.domain.scope import Scope
from rememora.domain.verdict import Ask, Correct, Forget, Origin, Quarantine, Refuse, Save
from rememora.gate import No, Value, Yes
from rememora.handles.access import Access, Operator
from rememora.settings import Settings
from rememora.sync import SyncAccess, SyncConversation, SyncOperator, SyncRememora, SyncTenant, SyncUserMemory

__all__ = [
    "ADMIN",
    "USER",
    "Access",
    "Ask",
    "Attachment",
    "AuditEntry",
    "ChainReport",
    "Conversation",
    "ConversationRecord",
    "Correct",
    "Entity",
    "Episode",
    "Event",
    "Forget",
    "Hit",
    "Memory",
    "MemoryFilter",
    "Message",
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
    "Rights",
    "Save",
    "Scope",
    "Settings",
    "Summary",
    "SyncAccess",
    "SyncConversation",
    "SyncOperator",
    "SyncRememora",
    "SyncTenant",
    "SyncUserMemory",
    "Tenant",
    "UserMemory",
    "Value",
    "Yes",
]
