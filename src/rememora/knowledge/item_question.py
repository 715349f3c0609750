"""Asks which thing of a list is to be forgotten, and removes what the answer picks.

"Tira um dos fornecedores" says which memory is meant and not which part of it: a guess would lose the wrong one.
"""

from __future__ import annotations

import msgspec

from rememora import statements
from rememora.domain.memory import Memory, Outcome, Proposal
from rememora.domain.question import About, Asks
from rememora.knowledge.affected import replace_with_rest
from rememora.knowledge.base import KnowledgeWriter
from rememora.knowledge.control import forget_one
from rememora.knowledge.find import choose
from rememora.knowledge.pending import ask
from rememora.language.amended import parts_of, with_parts
from rememora.language.parsed import ParsedText

_ONE_ITEM = "one_item"
_REASON = "forget.ambiguous"


def ask_which_item(writer: KnowledgeWriter, memory: Memory) -> Proposal:
    """Ask which of the things that a memory lists is meant; a memory without a list is meant as a whole."""
    listing = parts_of(str(memory.value))[0]
    items = statements.items.items_of(listing)
    things = statements.items.things_of(listing, items)
    about = tuple(About(quote=thing) for thing in things) or (About(key=memory.key, value=memory.value),)
    return ask(
        writer,
        kind="forget",
        asks=Asks(form="which_forget" if items else "forget", about=about),
        reason=_REASON,
        candidates=(memory.id,),
        wish={_ONE_ITEM: True} if items else None,
    )


def asks_for_item(question: Proposal) -> bool:
    """Check whether a question offers the things of one list."""
    return (question.wish or {}).get(_ONE_ITEM) is True


def remove_picked(writer: KnowledgeWriter, memory: Memory, reply: ParsedText, *, why: str) -> Outcome | None:
    """Forget the things that a reply picks; None if it picks none. All of them are the whole memory."""
    listing, changes = parts_of(str(memory.value))
    items = statements.items.items_of(listing)
    things = statements.items.things_of(listing, items)
    offered = [
        msgspec.structs.replace(memory, value=thing, attribute_span=None, id=str(at))
        for at, thing in enumerate(things)
    ]
    picked = {int(choice.id) for choice in choose(offered, reply)}
    if not picked:
        return None
    if len(picked) == len(items):
        return Outcome(memories=(forget_one(writer, memory, why=why),))
    listing = with_parts(statements.items.without_items(listing, items, picked), changes)
    gone, rest = replace_with_rest(writer, memory, listing, why=why)
    return Outcome(memories=(gone,), replaced=(rest,))
