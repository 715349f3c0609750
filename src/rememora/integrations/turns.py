"""One turn of somebody else's agent: act on the message, add memory, store the answer once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from rememora.context.render import markdown
from rememora.domain.context import ContextPack, MemoryAction
from rememora.domain.message import Message
from rememora.handles.conversation import Conversation


class OpenTurn(msgspec.Struct, frozen=True, kw_only=True):
    """A turn under way: the id of the person's message, what is remembered for it, and the memories in that."""

    text: str = ""
    asked: str | None = None
    used: tuple[str, ...] = ()
    waiting: Message | None = None
    """The person's message, if it is still to be acted on."""


async def begin_turn(
    chat: Conversation, message: Message, *, known: Iterable[str], budget: int | None, may_wait: bool = False
) -> OpenTurn:
    """Do what a stored message asks of memory, and load what is remembered for it.

    With `may_wait`, a message whose answer does not need it is left to the caller to act on (`waiting`).
    """
    waits = may_wait and not await chat.acts_first(message)
    deeds = () if waits else await chat.act_on(message)
    turn = await load_turn(chat, message.content, known=known, budget=budget, question=message.id, deeds=deeds)
    return msgspec.structs.replace(turn, waiting=message) if waits else turn


async def load_turn(
    chat: Conversation,
    query: str,
    *,
    known: Iterable[str],
    budget: int | None,
    question: str | None = None,
    deeds: Sequence[MemoryAction] = (),
) -> OpenTurn:
    """Load what is remembered for a query, without the recent messages that the agent holds anyway (`known`)."""
    pack = await chat.context(query, budget=budget, deeds=deeds)
    return OpenTurn(text=markdown(beyond(pack, known)), asked=question, used=pack.memory_ids)


async def keep_answer(chat: Conversation, turn: OpenTurn, answer: str) -> None:
    """Store the answer to a turn, once; a call of a tool says nothing, and is no answer."""
    if turn.asked and answer.strip():
        await store_answer(chat, turn.asked, answer, used=turn.used)


async def store_answer(
    chat: Conversation, question: str, answer: str, *, used: Sequence[str] = (), changed: Sequence[str] = ()
) -> Message:
    """Store the answer to a message under an id of its own, with the memories that were used and changed."""
    about = {"used_memories": list(used), "changed_memories": list(changed)}
    metadata = {"in_reply_to": question, **{name: ids for name, ids in about.items() if ids}}
    return await chat.append("assistant", answer, id=f"{question}.answer", metadata=metadata)


def beyond(pack: ContextPack, known: Iterable[str]) -> ContextPack:
    """Return the pack without the recent messages that are known."""
    texts = set(known)
    items = tuple(item for item in pack.items if item.section != "recent" or item.text not in texts)
    return msgspec.structs.replace(pack, items=items)
