"""`Memory` and `AsyncMemory` of mem0 over Rememora: `from rememora.compat.mem0 import Memory`.

The verbs, parameters and results are mem0's; what is kept passes the gate, belongs to a tenant and is audited.
An id holds the person it belongs to (`…@alice`), because mem0's calls by id name none.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import Any, Self

from rememora.app import Rememora
from rememora.compat.mem0_rows import (
    RAW_KEY,
    SCOPES,
    expiry_of,
    history_of,
    is_expired,
    matches,
    name_of,
    parts_of,
    person_of,
    row_of,
    scope_of,
    text_of,
)
from rememora.domain.memory import Memory as Known
from rememora.domain.memory import Outcome
from rememora.domain.message import every_item
from rememora.domain.scope import split_owner
from rememora.errors import NotFound
from rememora.handles.user import UserMemory
from rememora.integrations.openai_proxy import text_of as openai_text
from rememora.portal import Portal
from rememora.settings import Settings
from rememora.sync.shell import Shell, verb

logger = logging.getLogger(__name__)
Row = dict[str, Any]
TENANT = "mem0"
FETCHED = 100
THRESHOLD = 0.1
"""Score below which mem0 leaves a result out, unless it is told another one."""
PEOPLE = 100_000
EXTRAS = "mem0-extras"
_UNSET: Any = object()


class AsyncMemory:
    """mem0's `AsyncMemory`; the store is opened with the first call."""

    def __init__(
        self,
        config: Any = None,
        *,
        url: str | None = None,
        tenant: str = TENANT,
        settings: Settings | None = None,
        rememora: Rememora | None = None,
    ) -> None:
        if config is not None:
            logger.warning("mem0's configuration has no effect here: models and stores are Rememora's settings")
        self.tenant = tenant
        self._given = rememora
        self._opened: Rememora | None = None
        self._url, self._settings = url, settings
        self._lock = asyncio.Lock()

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any] | None = None, **how: Any) -> Self:
        """Build one as mem0 does; only `rememora` of the configuration (url, tenant) has an effect."""
        options = dict((config_dict or {}).get("rememora", {}))
        others = [name for name in config_dict or {} if name != "rememora"]
        return cls(others or None, **{**options, **how})

    async def add(
        self,
        /,
        messages: str | Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        user_id: Any = None,
        agent_id: Any = None,
        run_id: Any = None,
        metadata: Mapping[str, Any] | None = None,
        infer: bool = True,
        **more: Any,
    ) -> dict[str, Any]:
        """Learn from messages; with `infer=False` keep each message unchanged.

        `results` are mem0's; `refused`, where something was not kept, gives the reason for each text.
        """
        scope = scope_of({"user_id": user_id, "agent_id": agent_id, "run_id": run_id}, why="add() needs")
        extras = {
            **scope,
            "metadata": _without_identity(metadata or {}),
            "expiration_date": expiry_of(_known(more, "expiration_date")),
        }
        person = await self._person(person_of(scope))
        added = AddResult(person, extras)
        chat = person.conversation(scope.get("run_id", "mem0"), channel="mem0")
        for role, content, name in _said(messages):
            said = {"role": role, **({"actor_id": name} if name else {})}
            # mem0 does not read such texts: they are kept whole under a key of their own, and not as history.
            if not infer:
                await added.raw(content, said)
                continue
            message = await chat.append(role, content)
            # Only the person states facts about themselves; answers are history.
            if role == "user":
                await added.told(content, await person.gate.note(content, ref=message.id), {})
        return added.answer()

    async def get(self, memory_id: str) -> Row | None:
        """Return one memory, or None."""
        located = await self._found(memory_id)
        if located is None:
            return None
        person, memory, root = located
        row = row_of(memory, root, person.scope.user, await _extras(person, root))
        return {**row, "score": None}

    async def get_all(
        self,
        /,
        *,
        filters: Mapping[str, Any] | None = None,
        top_k: int = 20,
        show_expired: bool = False,
        **top_level: Any,
    ) -> dict[str, list[Row]]:
        """List memories, by key; ids are given in `filters`, as mem0 wants them."""
        # mem0 1 called it so.
        top_k = top_level.pop("limit", None) or top_k
        _check_limits(top_k)
        conditions = _filters(filters, top_level)
        rows: list[Row] = []
        async with aclosing(self._rows(conditions)) as listed:
            async for row in listed:
                if len(rows) >= top_k:
                    break
                if show_expired or not is_expired(row):
                    rows.append(row)
        return {"results": rows}

    async def search(
        self,
        /,
        query: str,
        *,
        top_k: int = 20,
        filters: Mapping[str, Any] | None = None,
        threshold: float | None = THRESHOLD,
        explain: bool = False,
        show_expired: bool = False,
        **top_level: Any,
    ) -> dict[str, list[Row]]:
        """Search memories, best first; `score` is from 0 to 1, and `score_details` its parts where asked for."""
        if not str(query).strip():
            raise ValueError("Invalid query: must be a non-empty string.")
        top_level.pop("rerank", None)
        top_k = top_level.pop("limit", None) or top_k
        threshold = THRESHOLD if threshold is None else threshold
        _check_limits(top_k, threshold)
        conditions = _filters(filters, top_level)
        person = await self._person(person_of(scope_of(conditions, why="filters need")))
        rows: list[Row] = []
        # More than asked for, because mem0's filters apply to metadata that the index does not hold.
        for hit in await person.recall(query, kinds=["memory"], limit=FETCHED):
            memory = await person.memories.get(hit.id)
            root = await _root(person, memory)
            row = row_of(memory, root, person.scope.user, await _extras(person, root))
            kept = hit.score >= threshold and matches(conditions, row) and (show_expired or not is_expired(row))
            if kept and len(rows) < top_k:
                details = {"score_details": dict(hit.parts)} if explain else {}
                rows.append({**row, "score": hit.score, **details})
        return {"results": rows}

    async def update(
        self,
        memory_id: str,
        text: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        expiration_date: Any = _UNSET,
        data: str | None = None,
    ) -> dict[str, str]:
        """Change a memory's text, metadata or expiration date; its id stays."""
        said = text if text is not None else data
        if said is None and metadata is None and expiration_date is _UNSET:
            raise ValueError("At least one of text, metadata, or expiration_date must be provided.")
        person, memory, root = await self._existing(memory_id)
        if said is not None:
            outcome = await person.memories.correct(memory.id, said, why="mem0 update")
            if not outcome.memories:
                raise ValueError(f"Memory not updated: {_why(outcome)}")
        extras = await _extras(person, root)
        # mem0 adds new metadata to the old, key by key.
        if metadata is not None:
            extras["metadata"] = {**(extras.get("metadata") or {}), **_without_identity(metadata)}
        if expiration_date is not _UNSET:
            extras["expiration_date"] = expiry_of(expiration_date)
        await put_extras(person, root, extras)
        return {"message": "Memory updated successfully!"}

    async def delete(self, memory_id: str) -> dict[str, str]:
        """Forget one memory; it can be restored through Rememora."""
        person, memory, _ = await self._existing(memory_id)
        await person.forget(memory.id, why="mem0 delete")
        return {"message": "Memory deleted successfully!"}

    async def delete_all(self, user_id: Any = None, agent_id: Any = None, run_id: Any = None) -> dict[str, str]:
        """Forget all memories of a user, an agent or a run."""
        named = {"user_id": user_id, "agent_id": agent_id, "run_id": run_id}
        scope = scope_of(named, why="delete_all() needs")
        for row in [row async for row in self._rows(scope)]:
            await self.delete(row["id"])
        return {"message": "Memories deleted successfully!"}

    async def history(self, memory_id: str) -> list[Row]:
        """List what happened to one memory, oldest first."""
        parts = parts_of(memory_id)
        if parts is None:
            return []
        person = await self._person(parts[1])
        try:
            root = await _root(person, await person.memories.get(parts[0]))
        except NotFound:
            return []
        entries = await person.memories.history(root.key)
        memories = {
            id: await person.memories.get(id) for id in {entry.memory for entry in entries if entry.memory}
        }
        return history_of(entries, memories, memory_id, (await _extras(person, root)).get("role"))

    async def reset(self) -> None:
        """Forget every memory of every person of the tenant."""
        rememora = await self._rememora()
        people = await rememora.operator(acting="mem0").tenants.people(limit=PEOPLE)
        for user, agent in [split_owner(owner) for tenant, owner in people if tenant == self.tenant]:
            await rememora.user(user, tenant=self.tenant, agent=agent).forget("all", why="mem0 reset")

    async def close(self) -> None:
        """Close the store, where this object opened it."""
        if self._opened is not None:
            await self._opened.close()
            self._opened = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def chat(self, query: str) -> None:
        """Raise, as mem0 does."""
        raise NotImplementedError("Chat function not implemented yet.")

    async def _rememora(self) -> Rememora:
        if self._given is not None:
            return self._given
        async with self._lock:
            if self._opened is None:
                self._opened = await Rememora.open(self._url, settings=self._settings)
        return self._opened

    async def _person(self, user: str) -> UserMemory:
        return (await self._rememora()).user(user, tenant=self.tenant)

    async def _rows(self, filters: Mapping[str, Any]) -> AsyncGenerator[Row]:
        person = await self._person(person_of(scope_of(filters, why="filters need")))
        async for memory in every_item(person.memories.list, limit=FETCHED, scope="personal"):
            root = await _root(person, memory)
            row = row_of(memory, root, person.scope.user, await _extras(person, root))
            if matches(filters, row):
                yield row

    async def _found(self, memory_id: str) -> tuple[UserMemory, Known, Known] | None:
        """Return a memory as it stands now, and the first of those it stands in place of."""
        parts = parts_of(memory_id)
        if parts is None:
            return None
        person = await self._person(parts[1])
        try:
            root = await _root(person, await person.memories.get(parts[0]))
            memory = root if root.status == "active" else await person.memories.get(root.key)
        except NotFound:
            return None
        return (person, memory, root) if (await _root(person, memory)).id == root.id else None

    async def _existing(self, memory_id: str) -> tuple[UserMemory, Known, Known]:
        located = await self._found(memory_id)
        if located is None:
            raise ValueError(f"Memory with id {memory_id} not found")
        return located


class AddResult:
    """Outcome of one `add`."""

    def __init__(self, person: UserMemory, extras: Mapping[str, Any]) -> None:
        self._person, self._extras = person, extras
        self._rows: list[Row] = []
        self._refused: list[Row] = []

    async def raw(self, text: str, message: Mapping[str, Any]) -> None:
        """Keep a text unchanged, once for each agent and run that said it."""
        whose = [self._extras[name] for name in SCOPES[1:] if name in self._extras]
        digest = hashlib.sha256("\n".join([text, *whose]).encode()).hexdigest()
        key = f"{RAW_KEY}.{digest[:16]}"
        await self.told(text, await self._person.remember(key, text), message)

    async def told(self, text: str, outcome: Outcome, message: Mapping[str, Any]) -> None:
        """Record the outcome of one text."""
        for memory in outcome.memories:
            root = await _root(self._person, memory)
            await put_extras(self._person, root, {**self._extras, **message})
            self._rows.append({**self._row(memory, root, outcome), **message})
        for gone in outcome.replaced:
            if gone.status == "deleted":
                id = name_of((await _root(self._person, gone)).id, self._person.scope.user)
                self._rows.append({"id": id, "memory": text_of(gone), "event": "DELETE"})
        if outcome.refusal is not None:
            question = None if outcome.question is None else outcome.question.question("en")
            self._refused.append({"memory": text, "reason": _why(outcome), "question": question})

    def _row(self, memory: Known, root: Known, outcome: Outcome) -> Row:
        row: Row = {"id": name_of(root.id, self._person.scope.user), "memory": text_of(memory)}
        before = next((old for old in outcome.replaced if old.id == memory.supersedes), None)
        if memory.status == "deleted":
            return {**row, "event": "DELETE"}
        if before is not None:
            return {**row, "event": "UPDATE", "previous_memory": text_of(before)}
        return {**row, "event": "ADD"}

    def answer(self) -> dict[str, Any]:
        """Return mem0's answer, with the refused texts."""
        return {"results": self._rows, **({"refused": self._refused} if self._refused else {})}


def _why(outcome: Outcome) -> str:
    return "nothing of it is kept" if outcome.verdict is None else outcome.verdict.why.en


def _known(more: Mapping[str, Any], *names: str) -> Any:
    """Return the first of these parameters; one of mem0's that has no meaning here is refused by name."""
    if more.get("prompt") is not None:
        logger.warning("mem0's prompt has no effect here: no model decides what is kept")
    for name, value in more.items():
        if name not in (*names, "prompt") and value is not None:
            raise ValueError(f"{name} is not supported")
    return next((more[name] for name in names if name in more), None)


def _without_identity(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return metadata without fields that say whose a memory is: as in mem0, parameters alone decide that."""
    return {name: value for name, value in metadata.items() if name not in (*SCOPES, "actor_id")}


def _check_limits(top_k: object, threshold: object = THRESHOLD) -> None:
    """Refuse a number that mem0 refuses."""
    if not isinstance(top_k, int) or isinstance(top_k, bool) or top_k < 0:
        raise ValueError(f"Invalid top_k: {top_k}. Must be a non-negative integer.")
    if not isinstance(threshold, int | float) or not 0 <= threshold <= 1:
        raise ValueError(f"Invalid threshold: {threshold}. Must be between 0 and 1 (inclusive).")


def _filters(filters: Mapping[str, Any] | None, top_level: Mapping[str, Any]) -> dict[str, Any]:
    """Return what narrows a list; mem0 1 named the ids beside `filters`, and mem0 2 inside them."""
    given = {name: value for name, value in top_level.items() if value is not None}
    unknown = set(given) - {"user_id", "agent_id", "run_id"}
    if unknown:
        raise ValueError(f"{', '.join(sorted(unknown))} is not supported")
    both = {**given, **(filters or {})}
    # mem0 2 accepts the ids inside AND as well; they decide whose memories are searched, so they are needed on
    # top.
    for part in both.get("AND", []):
        both |= {name: part[name] for name in SCOPES if name in part}
    return {**both, **scope_of(both, why="filters must contain")}


def _said(messages: Any) -> list[tuple[Any, str, str | None]]:
    """Return role, text and name of each message but those of the system."""
    if isinstance(messages, str):
        return [("user", messages, None)]
    listed = [messages] if isinstance(messages, Mapping) else messages
    if not isinstance(listed, Sequence):
        raise ValueError("messages must be str, dict, or list[dict]")
    entries = [(message.get("role"), _text(message.get("content")), message.get("name")) for message in listed]
    return [entry for entry in entries if entry[0] in ("user", "assistant", "tool") and entry[1].strip()]


def _text(content: Any) -> str:
    """Return the text of a message, also of one in parts."""
    return openai_text({"content": [content] if isinstance(content, Mapping) else content})


async def _root(person: UserMemory, memory: Known) -> Known:
    """Return the first of the memories that this one stands in place of: mem0's ids outlive a change."""
    seen = {memory.id}
    while memory.supersedes is not None and memory.supersedes not in seen:
        seen.add(memory.supersedes)
        memory = await person.memories.get(memory.supersedes)
    return memory


async def _extras(person: UserMemory, root: Known) -> dict[str, Any]:
    """Return what mem0 keeps beside a memory: metadata, agent, run, role, expiration date."""
    document = await person.documents(EXTRAS).get(root.id)
    return {} if document is None else dict(document.value)


async def extras_of(person: UserMemory, memory: Known) -> dict[str, Any]:
    """Return what mem0 keeps beside a memory, whichever of its versions is given."""
    return await _extras(person, await _root(person, memory))


async def put_extras(person: UserMemory, memory: Known, extras: Mapping[str, Any]) -> None:
    """Store what mem0 keeps beside a memory: metadata, agent, run, role, expiration date."""
    root = await _root(person, memory)
    known = {name: value for name, value in extras.items() if value not in (None, {}) and name != "user_id"}
    documents = person.documents(EXTRAS)
    if known or await documents.get(root.id):
        await documents.put(root.id, known)


class Memory(Shell[AsyncMemory]):
    """mem0's `Memory`: the same verbs without `await`."""

    def __init__(self, config: Any = None, **how: Any) -> None:
        super().__init__(Portal(), AsyncMemory(config, **how))

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any] | None = None, **how: Any) -> Self:
        """Build one as mem0 does; only `rememora` of the configuration (url, tenant) has an effect."""
        made = cls(**how)
        made._inner = AsyncMemory.from_config(config_dict, **how)
        return made

    add = verb(AsyncMemory.add)
    get = verb(AsyncMemory.get)
    get_all = verb(AsyncMemory.get_all)
    search = verb(AsyncMemory.search)
    update = verb(AsyncMemory.update)
    delete = verb(AsyncMemory.delete)
    delete_all = verb(AsyncMemory.delete_all)
    history = verb(AsyncMemory.history)
    reset = verb(AsyncMemory.reset)
    chat = verb(AsyncMemory.chat)

    def close(self) -> None:
        """Close the store."""
        if not self._portal.closed:
            self._portal.run(self._inner.close())
            self._portal.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
