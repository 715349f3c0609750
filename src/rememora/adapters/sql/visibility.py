"""Source messages of memories and mentions, in SQL."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from rememora.adapters.sql.columns import of_conversation, of_person
from rememora.adapters.sql.transaction import Repository, Row
from rememora.domain.receipt import ErasurePlan
from rememora.domain.scope import SHARED, Scope
from rememora.domain.visibility import MemorySource, Reason


class SqlSources(Repository):
    """The links between what is known and what was said, in SQL."""

    def add(self, scope: Scope, source: MemorySource) -> None:
        self._tx.send("add_source", _columns(scope, source))

    def add_all(self, scope: Scope, sources: Iterable[MemorySource]) -> None:
        self._tx.many("add_source", [_columns(scope, source) for source in sources])

    def of_memories(self, scope: Scope, memories: Iterable[str]) -> list[MemorySource]:
        whose = of_person(scope)
        return [
            _source(row) for id in memories for row in self._tx.all("sources_of_memory", {**whose, "memory": id})
        ]

    def of_message(self, scope: Scope, id: str) -> list[MemorySource]:
        rows = self._tx.all("sources_of_message", {**of_conversation(scope), "message": id})
        return [_source(row) for row in rows]

    def of_key(self, scope: Scope, key: str, *, shared: bool) -> list[MemorySource]:
        owner = SHARED if shared else scope.user
        rows = self._tx.all("sources_of_key", {"tenant": scope.tenant, "owner": owner, "key": key})
        return [_source(row) for row in rows]

    def mark(self, scope: Scope, memory: str, hidden: Reason | None) -> None:
        self._tx.send("mark_source", {**of_person(scope), "memory": memory, "hidden": hidden})

    def conversation_of(self, scope: Scope, message: str) -> str | None:
        row = self._tx.one("conversation_of_message", {**of_person(scope), "message": message})
        return None if row is None else str(row[0])

    def saying(self, scope: Scope, text: str, *, limit: int) -> list[tuple[str, str]]:
        plain = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        rows = self._tx.all("messages_saying", {**of_person(scope), "text": f"%{plain}%", "limit": limit})
        return [(row[0], row[1]) for row in rows]

    def add_mention(self, scope: Scope, key: str, message: str) -> None:
        self._tx.send("add_mention_source", {**of_conversation(scope), "key": key, "message": message})

    def mentioned_in(self, scope: Scope, messages: Sequence[str]) -> list[str]:
        place = of_conversation(scope)
        rows = [row for id in messages for row in self._tx.all("mentioned_in", {**place, "message": id})]
        return sorted({str(row[0]) for row in rows})

    def hidden_mentions(self, scope: Scope, keys: Sequence[str]) -> dict[str, int]:
        rows = {key: self._tx.one("hidden_mentions", {**of_person(scope), "key": key}) for key in keys}
        return {key: 0 if row is None else int(row[0]) for key, row in rows.items()}

    def forget_mentions(self, scope: Scope, key: str | None = None) -> None:
        if key is None:
            self._tx.send("forget_stray_mentions", of_person(scope))
        else:
            self._tx.send("forget_mentions_of", {**of_person(scope), "key": key})

    def remove(self, scope: Scope) -> int:
        mentions = self._tx.run("remove_mention_sources", of_conversation(scope))
        return mentions + self._tx.run("remove_sources", of_conversation(scope))

    def erase(self, scope: Scope, plan: ErasurePlan) -> int:
        if plan.person:
            mentions = self._tx.run("erase_mention_sources", of_person(scope))
            return mentions + self._tx.run("erase_sources", of_person(scope))
        gone = sum(self._tx.run("erase_source", {"tenant": scope.tenant, "memory": id}) for id in plan.memories)
        self.forget_mentions(scope)
        if plan.conversation is not None and plan.history:
            gone += self.remove(scope.within(plan.conversation))
        return gone


class SqlUnjudged(Repository):
    """The operator's view of what is still to be judged, in SQL."""

    def users(self, *, limit: int) -> list[Scope]:
        return [Scope(row[0], row[1]) for row in self._tx.all("unjudged_users", {"limit": limit})]


def _columns(scope: Scope, source: MemorySource) -> dict[str, object]:
    return {"tenant": scope.tenant, **msgspec.structs.asdict(source)}


def _source(row: Row) -> MemorySource:
    user, memory, conversation, message, hidden = row
    return MemorySource(user=user, memory=memory, conversation=conversation, message=message, hidden=hidden)
