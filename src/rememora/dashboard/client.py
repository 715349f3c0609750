"""The person's own page: what is remembered about them, why, and where it came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec
from starlette.responses import Response

from rememora.dashboard import sentences, shelf
from rememora.dashboard.answering import Asked, Pages
from rememora.dashboard.frame import SAFE, html
from rememora.dashboard.visitor import drop_link, keep_link
from rememora.domain.audit import AuditEntry
from rememora.domain.memory import Attempt, Memory
from rememora.domain.message import ConversationRecord, Message
from rememora.errors import NotFound
from rememora.handles.user import UserMemory
from rememora.knowledge.wanted import PAUSED, UNWANTED
from rememora.language import fold

ACTS = 50
ATTEMPTS = 200
TALKS = 30
SEARCHED_TALKS = 200
MESSAGES = 200
QUOTED = 600
EXCERPT = 160
USED_TALKS = 10
"""Newest conversations in which the timeline looks for uses."""


class Use(msgspec.Struct, frozen=True, kw_only=True):
    """An answer that memories were used for."""

    at: datetime
    conversation: str
    memories: int
    answer: str
    action: str = "use"


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """One memory with all that explains it."""

    memory: Memory
    quote: Message | None = None
    reason: str | None = None
    uses: tuple[Message, ...] = ()
    history: tuple[AuditEntry, ...] = ()
    before: Memory | None = None


def add_routes(pages: Pages) -> None:
    """Routes of what a person sees; `acts.py` has those that change something."""
    pages.open("/me", show)
    pages.own("/me/memory/{id}", show_memory)
    pages.own("/me/timeline", show_timeline)
    pages.own("/me/left-out", show_left_out)
    pages.own("/me/conversations", show_conversations)
    pages.own("/me/conversations/{id:path}", show_conversation)
    pages.own("/me/data", show_data)
    pages.own("/me/export.json", export_json)
    pages.own("/me/export.html", export_html)


async def show(asked: Asked) -> Response:
    """Show the memories; a link in the address is kept in a cookie and taken out of the address."""
    link = asked.query.get("link")
    if link is not None:
        # Checked before it is kept: an old link must not take the place of one that works.
        await asked.rememora.admit_link(link)
        response = asked.to("/me")
        keep_link(response, asked.visitor, link)
        return response
    if asked.visitor.caller is None:
        if asked.visitor.link:
            response = asked.page("error.html", status=401, message="error.link", partial=False)
            drop_link(response, asked.visitor)
            return response
        return asked.page("enter.html", status=401)
    return await _show_list(asked)


async def _show_list(asked: Asked) -> Response:
    person, visitor = asked.visitor.person(asked.rememora), asked.visitor
    filters = shelf.filters_of(asked.query, categories_of(asked))
    found = await shelf.listed(person, filters, visitor.language)
    template = "list.html" if visitor.partial else "me.html"
    return asked.page(
        template,
        filters=filters,
        groups=sentences.grouped(found.memories, visitor.language),
        found=found,
        category=lambda name: sentences.category_text(asked.rememora.policy, name, visitor.language),
        categories=categories_of(asked),
        proposals=[] if visitor.partial else await person.proposals(),
        paused=not visitor.partial and await held_value(person, PAUSED) is True,
        subjects=sorted({sentences.subject(memory, visitor.language) for memory in found.memories}),
        newest=max((memory.updated_at for memory in found.memories), default=None),
    )


async def show_memory(asked: Asked) -> Response:
    """One memory: why it is remembered, when it was used, and what happened to it."""
    card = await card_of(asked, asked.named("id"))
    template = "why.html" if asked.visitor.partial else "memory.html"
    return asked.page(template, card=card, acted=asked.query.get("done", ""), **telling(asked))


async def show_timeline(asked: Asked) -> Response:
    """Show the acts on this person's memory, newest first."""
    before = asked.query.get("before", "")
    position = int(before) if before.isascii() and before.isdigit() and 0 < len(before) < 19 else None
    person = asked.visitor.person(asked.rememora)
    entries = await person.acts(limit=ACTS, before=position or None)
    more = entries[-1].position if len(entries) == ACTS else None
    since = entries[-1].at if entries and more is not None else None
    uses = await uses_of(person, since) if position is None else []
    told: list[AuditEntry | Use] = [*entries, *uses]
    told.sort(key=lambda each: each.at, reverse=True)
    return asked.page("timeline.html", entries=told, more=more, **telling(asked))


async def uses_of(person: UserMemory, since: datetime | None) -> list[Use]:
    """Answers of the newest conversations that memories were used for, from a moment on."""
    found: list[Use] = []
    for talk in (await person.conversations(limit=USED_TALKS)).items:
        if since is not None and talk.updated_at < since:
            break
        page = await person.conversation(talk.id).messages(limit=MESSAGES)
        found += [
            Use(at=each.created_at, conversation=talk.id, memories=len(used), answer=each.content[:EXCERPT])
            for each in page.items
            if each.role == "assistant"
            and (used := each.metadata.get("used_memories"))
            and (since is None or each.created_at >= since)
        ]
    return found


async def show_left_out(asked: Asked) -> Response:
    """Show attempts that were not kept, and why."""
    tried = await asked.visitor.person(asked.rememora).attempts(limit=ATTEMPTS)
    left = [attempt for attempt in tried if not attempt.worthy]
    return asked.page("left_out.html", left=left, counts=_counted(left), **telling(asked))


async def show_conversations(asked: Asked) -> Response:
    """Conversations, newest first, or those in which some words were said."""
    person, query = asked.visitor.person(asked.rememora), asked.query.get("q", "").strip()[:200]
    after = asked.query.get("after") or None
    if query:
        found = await _talks_with(person, query)
        return asked.page("conversations.html", talks=found, query=query, next=None)
    page = await person.conversations(limit=TALKS, after=after)
    talks = [(talk, await _opening(person, talk.id)) for talk in page.items]
    return asked.page("conversations.html", talks=talks, query="", next=page.next)


async def show_conversation(asked: Asked) -> Response:
    """One conversation as it was said."""
    talk = asked.visitor.person(asked.rememora).conversation(asked.named("id"))
    about = await talk.about()
    page = await talk.messages(limit=MESSAGES, after=asked.query.get("after") or None)
    return asked.page("conversation.html", about=about, messages=page.items, next=page.next)


async def show_data(asked: Asked) -> Response:
    """Export, pause, kinds that are not kept, erasure and rights."""
    person = asked.visitor.person(asked.rememora)
    return asked.page(
        "data.html",
        paused=await held_value(person, PAUSED) is True,
        unwanted=await held_value(person, UNWANTED) or [],
        categories=categories_of(asked),
        **telling(asked),
    )


async def held_value(person: UserMemory, key: str) -> Any:
    """Return the value of the person's own memory under a key; None where there is none."""
    try:
        return (await person.memory(key)).value
    except NotFound:
        return None


async def export_json(asked: Asked) -> Response:
    """All that is held about the person, as a file."""
    document = await asked.visitor.person(asked.rememora).export()
    text = msgspec.json.format(msgspec.json.encode(document), indent=2)
    return Response(text, media_type="application/json", headers={**SAFE, **_file("rememora.json")})


async def export_html(asked: Asked) -> Response:
    """The same as a page to read and print, as a file."""
    document = await asked.visitor.person(asked.rememora).export()
    text = html(asked.visitor, "export.html", document=document, held=held_of(document), **telling(asked))
    return Response(text, media_type="text/html", headers={**SAFE, **_file("rememora.html")})


async def card_of(asked: Asked, id: str) -> Card:
    """A memory with its quote, reason, uses and history."""
    person = asked.visitor.person(asked.rememora)
    memory = await person.memory(id)
    told = await person.sources(memory.id)
    learned = [message for message in told if message.role == "user"]
    source = next((each for each in learned if each.id == memory.source_ref), learned[0] if learned else None)
    answered = "" if source is None else f"{source.id}.answer"
    uses = [each for each in told if each.role == "assistant" and not each.id.startswith(answered or "\0")]
    entries = await person.history(memory.id)
    before = await person.memory(memory.supersedes) if memory.supersedes else None
    return Card(
        memory=memory,
        quote=source,
        reason=await _reason(person, memory),
        uses=tuple(reversed(uses)),
        history=tuple(reversed(entries)),
        before=before,
    )


def telling(asked: Asked) -> dict[str, Any]:
    """Words of templates for acts and reasons."""
    policy, language = asked.rememora.policy, asked.visitor.language
    return {
        "reason_text": lambda reason: sentences.reason_text(policy, reason, language),
        "act_text": lambda action: sentences.action_text(action, language),
        "fact": lambda key, value: sentences.fact_text(key, value, language),
        "category": lambda name: sentences.category_text(policy, name, language),
        "me": "" if asked.visitor.caller is None else asked.visitor.caller.user,
        "quoted": QUOTED,
        "excerpt": EXCERPT,
    }


def held_of(document: Mapping[str, Any]) -> list[Memory]:
    """The memories of an export."""
    return [msgspec.convert(each["memory"], Memory) for each in document["memories"]]


def categories_of(asked: Asked) -> Mapping[str, Any]:
    """Every category of the policy."""
    found: Mapping[str, Any] = asked.rememora.policy["policy"]["categories"]
    return found


async def _reason(person: UserMemory, memory: Memory) -> str | None:
    """Why the gate let it in, where the attempt is among the newest."""
    tried: list[Attempt] = await person.attempts(limit=ATTEMPTS)
    return next((attempt.reason for attempt in tried if attempt.memory == memory.id), None)


async def _opening(person: UserMemory, conversation: str) -> str:
    """The first words of a conversation."""
    page = await person.conversation(conversation).messages(limit=4)
    said = next((message.content for message in page.items if message.role == "user"), "")
    return said[:160]


async def _talks_with(person: UserMemory, query: str) -> list[tuple[ConversationRecord, str]]:
    """Conversations in which every word of a search was said in one message; accents do not matter."""
    words = fold(query).split()
    found: list[tuple[ConversationRecord, str]] = []
    for talk in (await person.conversations(limit=SEARCHED_TALKS)).items:
        page = await person.conversation(talk.id).messages(limit=1000)
        hit = next(
            (each.content for each in page.items if all(word in fold(each.content) for word in words)), None
        )
        if hit is not None:
            found.append((talk, hit[:160]))
    return found


def _counted(left: Sequence[Attempt]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for attempt in left:
        counts[attempt.reason] = counts.get(attempt.reason, 0) + 1
    return dict(sorted(counts.items(), key=lambda each: -each[1]))


def _file(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"'}
