"""The memory of AI agents: what was said, what is known, and what is going on right now."""

from rememora.app import Conversation, Rememora, Tenant, UserMemory
from rememora.domain.episode import Episode, Summary
from rememora.domain.event import Event
from rememora.domain.hit import Hit
from rememora.domain.message import Attachment, ConversationRecord, Message, NewMessage, Page, Removed
from rememora.domain.scope import Scope
from rememora.handles.access import Access, Operator
from rememora.settings import Settings
from rememora.sync import SyncAccess, SyncConversation, SyncOperator, SyncRememora, SyncTenant, SyncUserMemory

__all__ = [
    "Access",
    "Attachment",
    "Conversation",
    "ConversationRecord",
    "Episode",
    "Event",
    "Hit",
    "Message",
    "NewMessage",
    "Operator",
    "Page",
    "Rememora",
    "Removed",
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
]
