"""The layers that need no search: the newest messages, and the situation that the host describes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from rememora.context.gather import PackRequest, Source
from rememora.context.notes import mark_retold, outdated
from rememora.domain.context import QUIET, Item, Section, Situation
from rememora.domain.episode import Summary
from rememora.domain.message import ConversationRecord, Message
from rememora.domain.scope import Scope
from rememora.gate.sensitive import find_secret
from rememora.history.window import fit_window
from rememora.ports.store import StoreReader, UnitOfWork
from rememora.settings import WindowSettings
from rememora.visibility.judge import judge_value
from rememora.visibility.plan import as_shown


def recent(store: StoreReader, window: WindowSettings, *, summarized: bool) -> Source:
    """Return the source of the newest turns that no summary covers, in both modalities, in order."""

    async def read_recent(request: PackRequest) -> list[Item]:
        scope = request.scope
        if scope.conversation is None:
            return []

        def read(work: UnitOfWork) -> tuple[list[Message], Summary | None]:
            return work.messages.turns(scope, limit=window.turns + 1), work.summaries.get(scope)

        # Not from a hot copy: the summary has to be of the same moment, and the store is read for it anyway.
        turns, summary = await store.read(scope, read)
        covered = summary.last_seq if summary and summarized else 0
        past = [
            turn for turn in turns if covered < turn.seq and (request.before is None or turn.seq < request.before)
        ]
        shown = [kept for turn in past[-window.turns :] if (kept := as_shown(turn)) is not None]
        return [_said(turn) for turn in fit_window(shown, characters=window.characters)]

    return read_recent


def summary(store: StoreReader) -> Source:
    """Return the source of the summary of this conversation's older part."""

    async def read_summary(request: PackRequest) -> list[Item]:
        scope = request.scope
        if scope.conversation is None:
            return []
        return await store.read(scope, lambda work: list(_summaries(work, scope)))

    return read_summary


def moment(store: StoreReader) -> Source:
    """Return the source of mode, plan, operations, tasks and artifacts, of the conversation and the call."""

    async def read_moment(request: PackRequest) -> list[Item]:
        scope = request.scope
        record = None
        if scope.conversation is not None:
            record = await store.read(scope, lambda work: work.conversations.get(scope))
        now = merged(record, request.claimed, request.situation)
        items = list(_situated(now, stated=request.situation))
        # What a call tells is stored nowhere: it is judged on its way, but for what the operator sets.
        return [item for item in items if item.trust == "operator" or _may_be_shown(item)]

    return read_moment


def _may_be_shown(item: Item) -> bool:
    # An appointment of the day may be about health: only what was stored is hidden for that.
    return judge_value(item.text, find=find_secret) is None


def merged(record: ConversationRecord | None, *situations: Situation) -> Situation:
    """Merge the metadata of the conversation with the situations of this call; the last one wins."""
    metadata = record.metadata if record and record.hidden is None else {}
    kept = {name: metadata[name] for name in Situation.__struct_fields__ if _fits(name, metadata.get(name))}
    for situation in situations:
        kept |= {name: value for name, value in msgspec.structs.asdict(situation).items() if value}
    return msgspec.convert(kept, Situation)


def _summaries(work: UnitOfWork, scope: Scope) -> Iterable[Item]:
    summary = work.summaries.get(scope)
    if summary is not None and summary.hidden is None and summary.text:
        yield _folded(msgspec.structs.replace(summary, text=mark_retold(summary.text, outdated(work, scope))))


def _fits(name: str, value: object) -> bool:
    """Return whether metadata under this name has a situation's type; a host may use the name otherwise."""
    try:
        msgspec.convert({name: value}, Situation)
    except msgspec.ValidationError:
        return False
    return value is not None


def _folded(summary: Summary) -> Item:
    return Item(
        section="summary",
        text=summary.text,
        kind="summary",
        id=summary.conversation,
        origin="assistant",
        reason=f"covers the first {summary.covered} messages",
        conversation=summary.conversation,
        at=summary.updated_at,
    )


def _said(message: Message) -> Item:
    return Item(
        section="recent",
        text=message.content,
        kind="message",
        id=message.id,
        origin="user_said" if message.role == "user" else message.role,
        reason="one of the newest messages" if message.hidden is None else QUIET,
        role=message.role,
        conversation=message.conversation,
        at=message.created_at,
    )


def _situated(now: Situation, *, stated: Situation) -> Iterable[Item]:
    """Return the items of a situation; only mode and plan that the host states with this call are above the fence.

    Metadata and claims may come from a client, and titles and links may quote anybody.
    """
    # Plan, quotas and mode may stand above the fence; operations, tasks and artifacts never do.
    plan = [f"plan: {now.plan}"] if now.plan else []
    yield from (_set("tenant", text, "plan", host=bool(stated.plan), above=True) for text in plan)
    quotas = (f"{name}: {_plain(left)}" for name, left in now.quotas.items())
    yield from (_set("tenant", text, "quota", host=bool(stated.quotas), above=True) for text in quotas)
    if now.mode:
        yield _set("mode", now.mode, "mode", host=bool(stated.mode), above=True)
    operations = (f"{name}: {_plain(value)}" for name, value in now.operations.items())
    yield from (_set("operations", text, "operation", host=bool(stated.operations)) for text in operations)
    yield from (_set("tasks", _plain(task), "task", host=bool(stated.tasks)) for task in now.tasks)
    yield from (
        _set("artifacts", _plain(artifact), "artifact", host=bool(stated.artifacts)) for artifact in now.artifacts
    )


def _set(section: Section, text: str, kind: str, *, host: bool, above: bool = False) -> Item:
    """Build one line of a situation; on the host's own word it may be above the fence."""
    return Item(
        section=section,
        text=text,
        kind=kind,
        origin="operator" if host else "user_said",
        trust="operator" if host and above else "recalled",
        reason="told by the host" if host else "told by the caller or kept with the conversation",
    )


def _plain(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {_plain(inner)}" for key, inner in value.items())
    if isinstance(value, str):
        return value
    plain: Any = msgspec.to_builtins(value)
    return msgspec.json.encode(plain).decode()
