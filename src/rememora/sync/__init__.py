"""The same verbs without `await`, for plain code; `make sync` writes this folder from the handles."""

from rememora.sync.access import SyncAccess
from rememora.sync.app import SyncRememora
from rememora.sync.conversation import SyncConversation
from rememora.sync.documents import SyncUserDocuments
from rememora.sync.missions import SyncUserMissions
from rememora.sync.operator import SyncOperator
from rememora.sync.tenant import SyncTenant
from rememora.sync.user import SyncUserMemory

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
