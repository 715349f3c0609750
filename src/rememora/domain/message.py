"""History nouns: messages, and the conversations that hold them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from datetime import datetime
from typing import Annotated, Any, Generic, Literal, TypeVar, get_args

import msgspec
from msgspec import Meta

from rememora.domain.check import check_json, check_mapping, check_name, check_text, check_time
from rememora.domain.visibility import Reason
from rememora.errors import InvalidInput

T = TypeVar("T")
Role = Literal["user", "assistant", "system", "tool"]
Modality = Literal["chat", "voice"]
Json = Mapping[str, Any]

CONTENT_BYTES = 1024 * 1024
_ROLES = get_args(Role)
_MODALITIES = get_args(Modality)


class Attachment(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Description of a file that came with a message; never its bytes."""

    name: Annotated[str, Meta(min_length=1)]
    media_type: str | None = None
    url: str | None = None
    size_bytes: Annotated[int, Meta(ge=0)] | None = None
    description: str | None = None


class NewMessage(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A message before it has a position in its conversation; validated when it is created."""

    role: Role
    content: str
    id: str | None = None
    created_at: datetime | None = None
    modality: Modality = "chat"
    attachments: tuple[Attachment, ...] = ()
    metadata: Json = {}

    def __post_init__(self) -> None:
        if self.role not in _ROLES:
            raise InvalidInput("role", f"must be one of {', '.join(_ROLES)}")
        if self.modality not in _MODALITIES:
            raise InvalidInput("modality", f"must be one of {', '.join(_MODALITIES)}")
        check_text("content", self.content, max_bytes=CONTENT_BYTES)
        if self.id is not None:
            check_name("id", self.id)
        if self.created_at is not None:
            check_time("created_at", self.created_at)
        # As they read when they come back: the same message given twice is then the same in every field.
        if self.attachments != ():
            msgspec.structs.force_setattr(self, "attachments", attachments_of(self.attachments))
        if self.metadata != {}:
            msgspec.structs.force_setattr(self, "metadata", check_mapping("metadata", self.metadata))

    @classmethod
    def of(cls, fields: NewMessage | Mapping[str, Any]) -> NewMessage:
        """Build a validated message from a mapping, as importers provide it."""
        if isinstance(fields, NewMessage):
            return fields
        if not isinstance(fields, Mapping):
            raise InvalidInput("messages", f"must hold mappings or messages, not {type(fields).__name__}")
        if not fields.keys() <= _FIELDS:
            raise InvalidInput(min(map(str, fields.keys() - _FIELDS)), "is not a field of a message")
        for field in ("role", "content"):
            if field not in fields:
                raise InvalidInput(field, "is missing")
        return cls(**fields)


_FIELDS = frozenset(NewMessage.__struct_fields__)


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """One message by one side; `seq` is its position in the conversation, from 1."""

    tenant: str
    user: str
    conversation: str
    seq: int
    id: str
    role: Role
    content: str
    modality: Modality
    attachments: tuple[Attachment, ...]
    metadata: Json
    created_at: datetime
    hidden: Reason | None = None
    """The reason why it is shown only in its own history."""
    shown: str | None = None
    """The text that later windows of its own conversation show instead, with secrets masked."""


class ConversationRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One conversation of a user; hosts also call it a session.

    Of its turns (messages except the system's), `folded` are in the summary and `cut` are in episodes. The
    mentions of its first `counted` messages have been counted.
    """

    tenant: str
    user: str
    id: str
    channel: str
    messages: int
    turns: int
    folded: int = 0
    cut: int = 0
    counted: int = 0
    metadata: Json
    created_at: datetime
    updated_at: datetime
    hidden: Reason | None = None
    """The reason why its metadata is hidden from models."""


class Page(msgspec.Struct, Generic[T], frozen=True):
    """One page of a longer list; `next` is the cursor of the following page, None on the last one."""

    items: tuple[T, ...]
    next: str | None = None


async def every_item(list_page: Callable[..., Awaitable[Page[T]]], **options: Any) -> AsyncIterator[T]:
    """Yield the items of every page that `list_page` lists with these options."""
    page = await list_page(**options)
    for item in page.items:
        yield item
    while page.next is not None:
        page = await list_page(**options, after=page.next)
        for item in page.items:
            yield item


class Removed(msgspec.Struct, frozen=True, kw_only=True):
    """Counts of deleted items, by kind."""

    conversations: int = 0
    messages: int = 0
    summaries: int = 0
    episodes: int = 0
    embeddings: int = 0
    cached: int = 0


def question_of(message: Message | NewMessage) -> str | None:
    """Return the id of the message that an answer replies to, if it names one."""
    named = message.metadata.get("in_reply_to") if message.role == "assistant" else None
    return named if isinstance(named, str) else None


def attachments_of(values: object) -> tuple[Attachment, ...]:
    """Validate attachments given as mappings or as nouns."""
    try:
        # Through plain values, so that a noun made with wrong types is checked as well.
        attachments = msgspec.convert(msgspec.to_builtins(values), tuple[Attachment, ...])
    except (msgspec.ValidationError, TypeError) as error:
        raise InvalidInput("attachments", str(error)) from None
    check_json("attachments", attachments)
    return attachments
