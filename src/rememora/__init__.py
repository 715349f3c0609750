"""The memory of AI agents: what was said, what is known, and what is going on right now."""

from rememora.app import Conversation, Rememora, Tenant, UserMemory
from rememora.context.render import render
from rememora.domain.context import ContextPack, Deed, Item, LeftOut, Missing, Piece, Reply, Situation
from rememora.domain.episode import Episode, Summary
from rememora.domain.event import Event
from rememora.domain.hit import Hit
from rememora.domain.message import Attachment, ConversationRecord, Message, NewMessage, Page, Removed
from rememora.domain.scope import Scope
from rememora.settings import Settings
from rememora.sync import SyncConversation, SyncRememora, SyncTenant, SyncUserMemory

__all__ = [
    "Attachment",
    "ContextPack",
    "Conversation",
    "ConversationRecord",
    "Deed",
    "Episode",
    "Event",
    "Hit",
    "Item",
    "LeftOut",
    "Message",
    "Missing",
    "NewMessage",
    "Page",
    "Piece",
    "Rememora",
    "Removed",
    "Reply",
    "Scope",
    "Settings",
    "Situation",
    "Summary",
    "SyncConversation",
    "SyncRememora",
    "SyncTenant",
    "SyncUserMemory",
    "Tenant",
    "UserMemory",
    "render",
]
