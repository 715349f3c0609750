"""Decides whether a message must be acted on before it is answered, or can be while the model answers it.

Acting takes longer than everything else that a turn needs of memory. What a message asks of memory, and what it
changes, must be done first: the answer tells of it. A question, small talk and a new fact change nothing that the
answer needs, since the model has the message itself.
"""

from __future__ import annotations

import asyncio
from typing import Final

from rememora.context.surroundings import surroundings_of
from rememora.domain.message import Message
from rememora.domain.scope import Scope
from rememora.gate.erasure import final_wish
from rememora.gate.pointing import (
    POINTING_CHARACTERS,
    bare_wish,
    declined,
    known_again,
    righted,
    silenced_topic,
    spoken_again,
    undoes,
)
from rememora.knowledge.base import KnowledgeBase
from rememora.reading.parsed import ParsedMessage, parse_message

ADDRESSED: Final = ("keep", "dont_keep", "forget", "erase", "hush", "undo", "answer", "change", "correct")
"""Acts that the answer must know of: requests to memory, and changes to what is in it."""
LIKELY: Final = 0.2
"""Least chance of such an act; low, because to act first is never wrong, only slower. Of 73 requests to forget and
to correct in two evaluation sets, 72 reach it, and of 154 messages that ask for nothing, 20."""
_WISHES: Final = (bare_wish, righted, known_again, silenced_topic, spoken_again, final_wish)
"""Rules that find a request to memory, each None without one."""


async def acts_first(knowledge: KnowledgeBase, scope: Scope, message: Message) -> bool:
    """Return whether a stored message must be acted on before it is answered."""
    # A long text may hold anything, and nobody waits for a quick answer to it.
    if len(message.content) > POINTING_CHARACTERS:
        return True
    surroundings = await knowledge.store.read(
        scope, lambda work: surroundings_of(work, scope, message), short=True
    )
    if surroundings.questions:
        return True
    return await asyncio.to_thread(addresses_memory, parse_message(message.content, surroundings.turns))


def addresses_memory(message: ParsedMessage) -> bool:
    """Return whether a message may ask something of memory, or change what is in it."""
    if undoes(message) or declined(message) or any(wish(message) is not None for wish in _WISHES):
        return True
    return message.chance(*ADDRESSED) >= LIKELY
