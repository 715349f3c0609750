"""A `Session` for the OpenAI Agents SDK: the items of a thread as one conversation, and memory for the model.

History is append-only: an item that is popped stays on record, and is no longer given back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from rememora.app import Rememora
from rememora.domain.ids import new_id
from rememora.domain.message import Message, Role, every_item
from rememora.handles.conversation import Conversation
from rememora.integrations.openai_proxy import last_said, text_of, with_memory
from rememora.integrations.turns import load_turn

if TYPE_CHECKING:
    from agents import SessionSettings, TResponseInputItem
    from agents.run import CallModelData, ModelInputData

T = TypeVar("T")
PAGE = 500
ITEM, TEXT, POPPED = "agents_item", "agents_text", "agents_popped"
_TEXTS = ("content", "output", "arguments")
"""Fields of an item whose text is the message's own."""


class RememoraSession:
    """The thread of one user: `Runner.run(agent, text, session=session)`.

    With `RunConfig(call_model_input_filter=session.add_memory)` the model is given its memory, before the
    person's message and for that call alone; requests to memory are carried out as the message is stored.
    """

    def __init__(
        self,
        memory: Rememora,
        *,
        session_id: str,
        user: str,
        tenant: str,
        budget: int | None = None,
        session_settings: SessionSettings | None = None,
    ) -> None:
        self.session_id = session_id
        self.session_settings = session_settings
        self._chat: Conversation = memory.user(user, tenant=tenant).conversation(session_id)
        self._budget = budget

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Return the items of the thread, the newest `limit` of them, oldest first."""
        newest = limit if limit is not None else getattr(self.session_settings, "limit", None)
        items = [item for _, item in await self._items()]
        return (
            items
            if newest is None
            else items[len(items) - newest :]
            if 0 < newest < len(items)
            else items[:newest]
        )

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Store items at the end of the thread, all of them, also where the caller is cancelled meanwhile."""
        if items:
            await _seen_through(self._add([dict(item) for item in items]))

    async def pop_item(self) -> TResponseInputItem | None:
        """Take the newest item out of the thread, and return it."""
        return await _seen_through(self._pop())

    async def clear_session(self) -> None:
        """Remove the thread with all that hangs on it."""
        await _seen_through(self._chat.delete())

    async def add_memory(self, data: CallModelData[Any]) -> ModelInputData:
        """Add what is remembered to one call of the model; a filter for `RunConfig.call_model_input_filter`."""
        given = data.model_data
        messages: list[Any] = list(given.input)
        query = last_said(messages)
        if not query:
            return given
        turn = await load_turn(self._chat, query, known=map(text_of, messages), budget=self._budget)
        if turn.text:
            given.input = with_memory({"input": messages}, "responses", turn.text)["input"]
        return given

    async def _items(self) -> list[tuple[Message, Any]]:
        """Return the items that stand, each with the message it is kept in."""
        pairs: list[tuple[Message, Any]] = []
        async for message in every_item(self._chat.messages, limit=PAGE):
            # History is never rewritten: taking an item back is a message of its own, which names the one that
            # it takes back.
            if POPPED in message.metadata:
                pairs = [pair for pair in pairs if pair[0].id != message.metadata[POPPED]]
            elif ITEM in message.metadata:
                pairs.append((message, _item(message)))
            elif message.role in ("user", "assistant"):
                pairs.append((message, {"role": message.role, "content": message.content}))
        return pairs

    async def _add(self, items: list[dict[str, Any]]) -> None:
        drafts = [_draft(item) for item in items]
        await self._chat.append_many(drafts)
        spoken = {draft["id"] for draft in drafts if draft["role"] == "user"}
        for message in await self._chat.last_turns():
            if message.id in spoken:
                await self._chat.act_on(message)

    async def _pop(self) -> Any:
        items = await self._items()
        if not items:
            return None
        message, item = items[-1]
        await self._chat.append(
            "system", "The item before this one was taken back.", metadata={POPPED: message.id}
        )
        return item


def _draft(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return the message that an item is kept in: its text as content, once, and the rest as metadata.

    A tool may answer with far more than metadata holds.
    """
    content = _said(item)
    field = next((name for name in _TEXTS if item.get(name) == content), None)
    kept = {ITEM: {name: value for name, value in item.items() if name != field}}
    return {
        "role": _role(item),
        "content": content,
        "id": new_id(),
        "metadata": kept if field is None else {**kept, TEXT: field},
    }


def _item(message: Message) -> dict[str, Any]:
    """Return the item that a message keeps."""
    rest, field = message.metadata[ITEM], message.metadata.get(TEXT)
    return rest if field is None else {**rest, field: message.content}


def _role(item: Mapping[str, Any]) -> Role:
    """Return the role an item is stored under; calls and results of tools are a tool's."""
    given = item.get("role")
    if given in ("user", "assistant"):
        return "user" if given == "user" else "assistant"
    return "system" if given in ("system", "developer") else "tool"


def _said(item: Mapping[str, Any]) -> str:
    """Return the text by which an item is read and found."""
    texts = [text_of(item), item.get("output"), item.get("arguments"), item.get("name"), item.get("type")]
    return next((str(text) for text in texts if isinstance(text, str) and text.strip()), "item")


async def _seen_through(work: Coroutine[Any, Any, T] | Awaitable[T]) -> T:
    """Await a change to its end, so that a caller who is cancelled knows how it came out."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        raise
