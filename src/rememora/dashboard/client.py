"""The person's own page: what is remembered about them, why, and where it came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec
from markupsafe import Markup
from starlette.responses import Response

from rememora.dashboard import memory_list, sentences
from rememora.dashboard.answering import PageRequest, Pages
from rememora.dashboard.dependencies import Tied, draw, tied
from rememora.dashboard.frame import SAFE, html
from rememora.dashboard.visitor import drop_link, keep_link
from rememora.domain.audit import AuditEntry
from rememora.domain.explanation import Explanation
from rememora.domain.memory import Attempt, Memory
from rememora.domain.message import ConversationRecord, Message
from rememora.errors import KeyRejected, NotFound
from rememora.handles.user import UserMemory
from rememora.knowledge.opt_outs import PAUSED, UNWANTED
from rememora.language import fold
from rememora.language.keys import is_statement

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
    explained: Explanation
    """Its timeline, what it rests on, what rests on it, and its history."""
    rests_on: tuple[Tied, ...] = ()
    dependents: tuple[Tied, ...] = ()
    drawing: Markup = Markup()

    @property
    def history(self) -> list[AuditEntry]:
        """All that happened to it, newest first."""
        return list(reversed(self.explained.history))


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


async def show(request: PageRequest) -> Response:
    """Show the memories; a link in the address is kept in a cookie and taken out of the address."""
    link = request.query.get("link")
    if link is not None:
        # Checked before it is kept: an old link must not take the place of one that works.
        try:
            await request.rememora.credentials.admit_link(link)
        except KeyRejected:
            return request.page("error.html", status=401, message="error.link", partial=False)
        response = request.to("/me")
        keep_link(response, request.visitor, link)
        return response
    if request.visitor.caller is None:
        if request.visitor.link:
            response = request.page("error.html", status=401, message="error.link", partial=False)
            drop_link(response, request.visitor)
            return response
        return request.page("enter.html", status=401)
    return await _show_list(request)


async def _show_list(request: PageRequest) -> Response:
    person, visitor = request.visitor.person(request.rememora), request.visitor
    filters = memory_list.filters_of(request.query, categories_of(request))
    page = await memory_list.listed(person, filters, visitor.language)
    # htmx asks for the list alone when a filter changes; questions and switches stay as they are.
    template = "list.html" if visitor.partial else "me.html"
    return request.page(
        template,
        filters=filters,
        groups=sentences.grouped(page.memories, visitor.language),
        found=page,
        category=lambda name: sentences.category_text(request.rememora.policy, name, visitor.language),
        categories=categories_of(request),
        proposals=[] if visitor.partial else await person.proposals.list(),
        paused=not visitor.partial and await held_value(person, PAUSED) is True,
        subjects=sorted({sentences.subject(memory, visitor.language) for memory in page.memories}),
        newest=max((memory.updated_at for memory in page.memories), default=None),
    )


async def show_memory(request: PageRequest) -> Response:
    """One memory: why it is remembered, when it was used, and what happened to it."""
    card = await card_of(request, request.named("id"))
    template = "why.html" if request.visitor.partial else "memory.html"
    return request.page(template, card=card, acted=request.query.get("done", ""), **telling(request))


async def show_timeline(request: PageRequest) -> Response:
    """Show the acts on this person's memory, newest first."""
    before = request.query.get("before", "")
    position = int(before) if before.isascii() and before.isdigit() and 0 < len(before) < 19 else None
    person = request.visitor.person(request.rememora)
    entries = await person.audit.list(limit=ACTS, before=position or None)
    more = entries[-1].position if len(entries) == ACTS else None
    # Uses come from messages and acts from the audit chain; a page shows both for the same span of time.
    since = entries[-1].at if entries and more is not None else None
    uses = await uses_of(person, since) if position is None else []
    lines: list[AuditEntry | Use] = [*entries, *uses]
    lines.sort(key=lambda message: message.at, reverse=True)
    return request.page("timeline.html", entries=lines, more=more, **telling(request))


async def uses_of(person: UserMemory, since: datetime | None) -> list[Use]:
    """Answers of the newest conversations that memories were used for, from a moment on."""
    uses: list[Use] = []
    for talk in (await person.conversations.list(limit=USED_TALKS)).items:
        # Newest first: the first that is too old ends the list.
        if since is not None and talk.updated_at < since:
            break
        page = await person.conversation(talk.id).messages(limit=MESSAGES)
        uses += [
            Use(at=item.created_at, conversation=talk.id, memories=len(used), answer=item.content[:EXCERPT])
            for item in page.items
            if item.role == "assistant"
            and (used := item.metadata.get("used_memories"))
            and (since is None or item.created_at >= since)
        ]
    return uses


async def show_left_out(request: PageRequest) -> Response:
    """Show attempts that were not kept, and why."""
    tried = await request.visitor.person(request.rememora).gate.attempts(limit=ATTEMPTS)
    left = [attempt for attempt in tried if not attempt.worthy]
    return request.page("left_out.html", left=left, counts=_counted(left), **telling(request))


async def show_conversations(request: PageRequest) -> Response:
    """Conversations, newest first, or those in which some words were said."""
    person, query = request.visitor.person(request.rememora), request.query.get("q", "").strip()[:200]
    after = request.query.get("after") or None
    if query:
        matching = await _talks_with(person, query)
        return request.page("conversations.html", talks=matching, query=query, next=None)
    page = await person.conversations.list(limit=TALKS, after=after)
    talks = [(talk, await _opening(person, talk.id)) for talk in page.items]
    return request.page("conversations.html", talks=talks, query="", next=page.next)


async def show_conversation(request: PageRequest) -> Response:
    """One conversation as it was said."""
    talk = request.visitor.person(request.rememora).conversation(request.named("id"))
    about = await talk.about()
    page = await talk.messages(limit=MESSAGES, after=request.query.get("after") or None)
    return request.page("conversation.html", about=about, messages=page.items, next=page.next)


async def show_data(request: PageRequest) -> Response:
    """Export, pause, kinds that are not kept, erasure and rights."""
    person = request.visitor.person(request.rememora)
    return request.page(
        "data.html",
        paused=await held_value(person, PAUSED) is True,
        unwanted=await held_value(person, UNWANTED) or [],
        categories=categories_of(request),
        **telling(request),
    )


async def held_value(person: UserMemory, key: str) -> Any:
    """Return the value of the person's own memory under a key; None where there is none."""
    try:
        return (await person.memories.get(key)).value
    except NotFound:
        return None


async def export_json(request: PageRequest) -> Response:
    """All that is held about the person, as a file."""
    document = await request.visitor.person(request.rememora).archive.export()
    text = msgspec.json.format(msgspec.json.encode(document), indent=2)
    return Response(text, media_type="application/json", headers={**SAFE, **_file("rememora.json")})


async def export_html(request: PageRequest) -> Response:
    """The same as a page to read and print, as a file."""
    document = await request.visitor.person(request.rememora).archive.export()
    read = {"document": document, "held": held_of(document), "moment": datetime.fromisoformat}
    text = html(request.visitor, "export.html", **read, **telling(request))
    return Response(text, media_type="text/html", headers={**SAFE, **_file("rememora.html")})


async def card_of(request: PageRequest, id: str) -> Card:
    """A memory with its quote, reason, uses, dependencies and history."""
    person, language = request.visitor.person(request.rememora), request.visitor.language
    explained = await person.memories.explain(id)
    memory = explained.memory
    sources = await person.memories.sources(memory.id)
    learned = [message for message in sources if message.role == "user"]
    source = next((entry for entry in learned if entry.id == memory.source_ref), learned[0] if learned else None)
    # The answer to the message that taught the memory is no use of it.
    answered = "" if source is None else f"{source.id}.answer"
    uses = [entry for entry in sources if entry.role == "assistant" and not entry.id.startswith(answered or "\0")]
    rests_on, dependents = tied(explained, language)
    return Card(
        memory=memory,
        quote=source,
        reason=await _reason(person, memory),
        uses=tuple(reversed(uses)),
        explained=explained,
        rests_on=tuple(rests_on),
        dependents=tuple(dependents),
        drawing=draw(explained, language),
    )


def telling(request: PageRequest) -> dict[str, Any]:
    """Words of templates for acts and reasons."""
    policy, language = request.rememora.policy, request.visitor.language
    return {
        "reason_text": lambda reason: sentences.reason_text(policy, reason, language),
        "act_text": lambda action: sentences.action_text(action, language),
        "fact": lambda key, value: sentences.fact_text(key, value, language),
        "category": lambda name: sentences.category_text(policy, name, language),
        "attribute_name": lambda memory: sentences.attribute_name(memory, language),
        "me": "" if request.visitor.caller is None else request.visitor.caller.user,
        "is_sentence": is_statement,
        "quoted": QUOTED,
        "excerpt": EXCERPT,
    }


def held_of(document: Mapping[str, Any]) -> list[Memory]:
    """The memories of an export."""
    return [msgspec.convert(entry["memory"], Memory) for entry in document["memories"]]


def categories_of(request: PageRequest) -> Mapping[str, Any]:
    """Every category of the policy."""
    categories: Mapping[str, Any] = request.rememora.policy["policy"]["categories"]
    return categories


async def _reason(person: UserMemory, memory: Memory) -> str | None:
    """Return why the gate kept it, where the attempt is among the newest."""
    tried: list[Attempt] = await person.gate.attempts(limit=ATTEMPTS)
    return next((attempt.reason for attempt in tried if attempt.memory == memory.id), None)


async def _opening(person: UserMemory, conversation: str) -> str:
    """The first words of a conversation."""
    page = await person.conversation(conversation).messages(limit=4)
    said = next((message.content for message in page.items if message.role == "user"), "")
    return said[:160]


async def _talks_with(person: UserMemory, query: str) -> list[tuple[ConversationRecord, str]]:
    """Conversations in which every word of a search was said in one message; accents do not matter."""
    words = fold(query).split()
    matching: list[tuple[ConversationRecord, str]] = []
    for talk in (await person.conversations.list(limit=SEARCHED_TALKS)).items:
        page = await person.conversation(talk.id).messages(limit=1000)
        hit = next(
            (item.content for item in page.items if all(word in fold(item.content) for word in words)), None
        )
        if hit is not None:
            matching.append((talk, hit[:160]))
    return matching


def _counted(left: Sequence[Attempt]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for attempt in left:
        counts[attempt.reason] = counts.get(attempt.reason, 0) + 1
    return dict(sorted(counts.items(), key=lambda item: -item[1]))


def _file(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"'}
