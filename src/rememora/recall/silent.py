"""Keeps what a person had forgotten from being told by the turn it came from, or by what was made of that."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from rememora.domain.entity import Entity
from rememora.domain.episode import topics_of
from rememora.domain.hit import FOLDED, Hit
from rememora.domain.message import Message
from rememora.domain.scope import Scope
from rememora.domain.silence import SILENCED, Hushed
from rememora.language import fold
from rememora.ports.store import UnitOfWork

LEAST_CHARACTERS = 12
"""A piece of text shorter than this says nothing about where it comes from."""
_ABOUT = ("used_memories", "changed_memories")


class Hush:
    """Tells by what is known of hushed memories what else would tell of them."""

    def __init__(self, hushed: Iterable[Hushed]) -> None:
        told = tuple(hushed)
        self.ids = frozenset(each.id for each in told)
        self.sources = frozenset(each.source for each in told if each.source)
        self._values = frozenset(_plain(each.value) for each in told if isinstance(each.value, str))
        self._evidence = tuple({_plain(each.evidence) for each in told if each.evidence})
        self._said = tuple(said for said in self._evidence if len(said) >= LEAST_CHARACTERS)

    def hides(self, id: str, text: str, metadata: Mapping[str, Any]) -> bool:
        """Whether a message is where one came from, answers that, was made of one, or says it again."""
        if metadata.get(SILENCED) is True or id in self.sources or metadata.get("in_reply_to") in self.sources:
            return True
        if self.ids and any(not self.ids.isdisjoint(_ids(metadata.get(name))) for name in _ABOUT):
            return True
        return bool(self._said) and any(said in plain for plain in [_plain(text)] for said in self._said)

    def hides_hit(self, hit: Hit) -> bool:
        """Whether a message or a mention that was found would tell of one."""
        if hit.kind == "entity":
            return self.hides_mention(hit.metadata["value"], hit.metadata["mentions"])
        return hit.kind == "message" and self.hides(hit.id, hit.content, hit.metadata)

    def hides_mention(self, value: object, mentions: int) -> bool:
        """Whether something mentioned is such a memory's value, or came up nowhere but where one was said."""
        name = _plain(value) if isinstance(value, str) else ""
        if not name:
            return False
        times = sum(f" {name} " in f" {said} " for said in self._evidence)
        return name in self._values or 0 < mentions <= times


class Silent:
    """What a user's forgotten and silenced memories came from, and what was made of it, inside a unit of work."""

    def __init__(self, work: UnitOfWork, scope: Scope, hush: Hush | None = None) -> None:
        self._work, self._scope = work, scope
        self._hush = hush or Hush(work.memories.silent(scope))

    def hides(self, message: Message) -> bool:
        """Whether a message would tell what is not to be told."""
        return self._hush.hides(message.id, message.content, message.metadata)

    def hides_entity(self, entity: Entity) -> bool:
        """The same for something that was mentioned."""
        return self._hush.hides_mention(entity.value, entity.mentions)

    def told(self, hits: Sequence[Hit]) -> list[Hit]:
        """The hits that may be told, each without what it may not tell."""
        return [kept for hit in hits if (kept := self._retold(hit)) is not None]

    def trimmed(self, text: str, *, conversation: str, last: int) -> str:
        """What was made of the messages up to a place, without theirs; what cannot be told apart stays."""
        return without(text, [source.content for source in self._between(conversation, 1, last)])

    def _retold(self, hit: Hit) -> Hit | None:
        if hit.kind not in FOLDED or hit.conversation is None:
            return None if self._hush.hides_hit(hit) else hit
        sources = self._between(hit.conversation, hit.metadata.get("first_seq", 1), hit.metadata["last_seq"])
        kept = without(hit.content, [source.content for source in sources])
        # What cannot be told apart is not told at all.
        same = _below_heading(kept) == _below_heading(hit.content)
        gone = not kept or (same and any(source.role == "user" for source in sources))
        return None if gone else msgspec.structs.replace(hit, content=kept)

    def _between(self, conversation: str, first: int, last: int) -> list[Message]:
        scope = self._scope.within(conversation)
        answers = [f"{source}.answer" for source in self._hush.sources]
        found = self._work.messages.with_ids(scope, sorted([*self._hush.sources, *answers]))
        known = [message for message in found.values() if first <= message.seq <= last]
        return known + self._work.messages.silenced(scope, first=first, last=last)


def without(text: str, sources: Sequence[str]) -> str:
    """The lines of a text that are taken from none of the sources; its heading without what these speak of."""
    told = [_plain(source) for source in sources]
    return "\n".join(kept for line in text.split("\n") if (kept := _kept(line, told)) is not None)


def _kept(line: str, sources: Sequence[str]) -> str | None:
    """What may be told of a line."""
    topics = topics_of(line)
    if not topics:
        return None if any(_is_of(line, source) for source in sources) else line
    left = [topic for topic in topics if not any(_speaks_of(source, topic) for source in sources)]
    label = line.partition(": ")[0]
    return f"{label}: {', '.join(left)}" if left else None


def _speaks_of(source: str, topic: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(_plain(topic))}(?!\w)", source) is not None


def _below_heading(text: str) -> list[str]:
    return [line for line in text.split("\n") if not topics_of(line)]


def _is_of(line: str, source: str) -> bool:
    """Whether a line, or what it says after naming who said it, stands in the source; or the source in it."""
    plain = _plain(line.removesuffix("…"))
    said = plain.partition(": ")[2] or plain
    pieces = [piece for piece in (plain, said) if len(piece) >= LEAST_CHARACTERS]
    return any(piece in source for piece in pieces) or (len(source) >= LEAST_CHARACTERS and source in plain)


def _ids(named: object) -> Iterable[object]:
    return [each for each in named if isinstance(each, str)] if isinstance(named, list | tuple) else ()


def _plain(text: str) -> str:
    return " ".join(fold(text).split())
