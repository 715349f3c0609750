"""The same verbs without `await`, for plain code."""

from rememora.sync.app import SyncRememora
from rememora.sync.tenant import SyncAccess, SyncOperator, SyncTenant
from rememora.sync.user import SyncConversation, SyncUserDocuments, SyncUserMemory, SyncUserMissions

__all__ = [
    "SyncAccess",
    "SyncConversation",
    "SyncOperator",
    "SyncRememora",
    "SyncTenant",
    "SyncUserDocuments",
    "SyncUserMemory",
    "SyncUserMissions",
]
