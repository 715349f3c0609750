"""Conversations and messages in SQL."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from rememora.adapters.sql.columns import (
    RowDecoder,
    from_json,
    of_conversation,
    of_person,
    to_json,
    to_micros,
    to_moment,
)
from rememora.adapters.sql.erasing import erase_history
from rememora.adapters.sql.transaction import Repository, Row
from rememora.domain.message import Attachment, ConversationRecord, Message
from rememora.domain.receipt import ErasurePlan
from rememora.domain.scope import Scope
from rememora.domain.visibility import MessageVisibility, Reason
from rememora.domain.window import Edition, new_stamp
from rememora.ports.history import ReservedPlaces

_NEWEST = 2**62
MOST_CHARACTERS = 8 * 1024 * 1024
_attachments = msgspec.json.Decoder(tuple[Attachment, ...]).decode


class SqlConversations(Repository):
    """The threads of a user, in SQL."""

    def reserve(self, scope: Scope, places: ReservedPlaces) -> ConversationRecord:
        taken = {
            "messages": places.messages,
            "turns": places.turns,
            "first": to_micros(places.first),
            "last": to_micros(places.last),
            "channel": places.channel,
            "counted": 0 if places.unread else places.messages,
            "edition": new_stamp(),
        }
        row = self._tx.one("reserve_places", {**of_conversation(scope), **taken})
        assert row is not None
        return _record.of(scope, row)

    def describe(
        self,
        scope: Scope,
        *,
        channel: str | None,
        metadata: Mapping[str, Any] | None,
        at: datetime,
        hidden: Reason | None = None,
    ) -> ConversationRecord:
        # Empty metadata is stored here, unlike elsewhere: NULL would leave what is there.
        text = None if metadata is None else to_json(metadata) or "{}"
        about = {"channel": channel, "metadata": text, "at": to_micros(at), "hidden": hidden}
        row = self._tx.one("describe_conversation", {**of_conversation(scope), **about})
        assert row is not None
        return _record.of(scope, row)

    def unjudged(self, scope: Scope, *, limit: int) -> list[ConversationRecord]:
        rows = self._tx.all("unjudged_conversations", {**of_person(scope), "limit": limit})
        return [_record.of(scope, row) for row in rows]

    def hide(self, scope: Scope, hidden: Reason | None) -> None:
        self._tx.send("hide_conversation", {**of_conversation(scope), "hidden": hidden})

    def renew(self, scope: Scope) -> int:
        return self._tx.run("renew_edition", {**of_conversation(scope), "edition": new_stamp()})

    def get(self, scope: Scope) -> ConversationRecord | None:
        return self._find("conversation", of_conversation(scope), lambda row: _record.of(scope, row))

    def newest(self, scope: Scope, *, limit: int, before: tuple[datetime, str] | None) -> list[ConversationRecord]:
        params: dict[str, object] = {**of_person(scope), "limit": limit}
        if before is None:
            rows = self._tx.all("newest_conversations", params)
        else:
            params |= {"before_at": to_micros(before[0]), "before_id": before[1]}
            rows = self._tx.all("newest_conversations_before", params)
        return [_record.of(scope, row) for row in rows]

    def mark_folded(self, scope: Scope, *, folded: int) -> None:
        self._tx.send("mark_folded", {**of_conversation(scope), "folded": folded})

    def mark_cut(self, scope: Scope, *, before: int, cut: int) -> bool:
        return self._tx.run("mark_cut", {**of_conversation(scope), "before": before, "cut": cut}) == 1

    def mark_counted(self, scope: Scope, *, before: int, counted: int) -> bool:
        return self._tx.run("mark_counted", {**of_conversation(scope), "before": before, "counted": counted}) == 1

    def count_no_further(self, scope: Scope) -> None:
        self._tx.send("count_no_further", of_person(scope))

    def remove(self, scope: Scope) -> int:
        return self._tx.run("remove_conversation", of_conversation(scope))

    def erase(self, scope: Scope, plan: ErasurePlan) -> int:
        return erase_history(self._tx, scope, plan, one="remove_conversation", every="erase_conversations")


class SqlMessages(Repository):
    """Messages in the order they were appended, in SQL."""

    def add(self, scope: Scope, messages: Sequence[Message]) -> None:
        place = of_conversation(scope)
        if len(messages) == 1:
            self._tx.send("add_message", _columns(place, messages[0]))
            return
        for piece in _pieces(messages):
            self._tx.send("add_messages", {**place, "messages": _rows(piece).decode()})

    def with_ids(self, scope: Scope, ids: Sequence[str]) -> dict[str, Message]:
        place = of_conversation(scope)
        rows = (self._tx.one("message_with_id", {**place, "id": id_}) for id_ in ids)
        return {row[1]: _message(scope, row) for row in rows if row is not None}

    def newest(self, scope: Scope, *, limit: int, before: int | None = None) -> list[Message]:
        params = {**of_conversation(scope), "limit": limit, "before": _NEWEST if before is None else before}
        return [_message(scope, row) for row in reversed(self._tx.all("newest_messages", params))]

    def after(self, scope: Scope, *, limit: int, seq: int) -> list[Message]:
        params = {**of_conversation(scope), "limit": limit, "seq": seq}
        return [_message(scope, row) for row in self._tx.all("messages_after", params)]

    def turns(self, scope: Scope, *, limit: int) -> list[Message]:
        rows = self._tx.all("newest_turns", {**of_conversation(scope), "limit": limit})
        return [_message(scope, row) for row in reversed(rows)]

    def edition(self, scope: Scope) -> Edition:
        row = self._tx.one("window_edition", of_conversation(scope))
        return Edition(0, 0, 0) if row is None else Edition(*row)

    def turns_after(self, scope: Scope, *, limit: int, seq: int) -> list[Message]:
        params = {**of_conversation(scope), "limit": limit, "seq": seq}
        return [_message(scope, row) for row in self._tx.all("turns_after", params)]

    def count_turns_after(self, scope: Scope, *, seq: int) -> int:
        row = self._tx.one("count_turns_after", {**of_conversation(scope), "seq": seq})
        return row[0] if row else 0

    def mark(self, scope: Scope, id: str) -> MessageVisibility | None:
        row = self._tx.one("message_mark", {**of_conversation(scope), "id": id})
        return None if row is None else MessageVisibility(*row)

    def judge(self, scope: Scope, id: str, judged: Reason | None, *, shown: str | None = None) -> None:
        self._tx.send("judge_message", {**of_conversation(scope), "id": id, "judged": judged, "shown": shown})

    def hide(self, scope: Scope, id: str, hidden: Reason | None) -> None:
        self._tx.send("hide_message", {**of_conversation(scope), "id": id, "hidden": hidden})

    def unjudged(self, scope: Scope, *, limit: int, seq: int = 0) -> list[Message]:
        params = {**of_conversation(scope), "limit": limit, "seq": seq}
        return [_message(scope, row) for row in self._tx.all("unjudged_messages", params)]

    def remove(self, scope: Scope) -> int:
        return self._tx.run("remove_messages", of_conversation(scope))

    def erase(self, scope: Scope, plan: ErasurePlan) -> int:
        return erase_history(self._tx, scope, plan, one="remove_messages", every="erase_messages")

    def texts(self, scope: Scope, plan: ErasurePlan, *, limit: int) -> list[str]:
        if not plan.history:
            return []
        params = {**of_conversation(scope), "conversation": plan.conversation, "limit": limit}
        return [row[0] for row in self._tx.all("message_texts", params)]


class _Row(msgspec.Struct):
    """A message as one of many goes in."""

    seq: int
    id: str
    role: str
    content: str
    modality: str
    attachments: str | None
    metadata: str | None
    created_at: int
    hidden: str | None
    shown: str | None


def _rows(messages: Sequence[Message]) -> bytes:
    return msgspec.json.encode(
        [
            _Row(
                message.seq,
                message.id,
                message.role,
                message.content,
                message.modality,
                to_json(message.attachments),
                to_json(message.metadata),
                to_micros(message.created_at),
                message.hidden,
                message.shown,
            )
            for message in messages
        ]
    )


def _pieces(messages: Sequence[Message]) -> Iterator[list[Message]]:
    """Messages that go in together: as many as keep a statement within what an engine takes."""
    piece: list[Message] = []
    length = 0
    for message in messages:
        length += len(message.content)
        # A single message may be longer than the limit: it goes alone.
        if piece and length > MOST_CHARACTERS:
            yield piece
            piece, length = [], len(message.content)
        piece.append(message)
    if piece:
        yield piece


# Columns in the order of the queries of conversations.
_record = RowDecoder(
    ConversationRecord,
    "id channel messages turns folded cut counted metadata created_at updated_at hidden",
    metadata=from_json,
)


def _message(scope: Scope, row: Row) -> Message:
    seq, id, role, content, modality, attachments, metadata, created_at, hidden, shown = row
    assert scope.conversation is not None
    return Message(
        tenant=scope.tenant,
        user=scope.user,
        conversation=scope.conversation,
        seq=seq,
        id=id,
        role=role,
        content=content,
        modality=modality,
        attachments=_attachments(attachments) if attachments else (),
        metadata=from_json(metadata),
        created_at=to_moment(created_at),
        hidden=hidden,
        shown=shown,
    )


def _columns(place: Mapping[str, object], message: Message) -> dict[str, object]:
    return {
        **place,
        "seq": message.seq,
        "id": message.id,
        "role": message.role,
        "content": message.content,
        "modality": message.modality,
        "attachments": to_json(message.attachments),
        "metadata": to_json(message.metadata),
        "created_at": to_micros(message.created_at),
        "hidden": message.hidden,
        "shown": message.shown,
    }
