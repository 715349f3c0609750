"""Playgrounds of the desk: what the gate says of a text, and what a search finds with the parts of its scores."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import msgspec
from starlette.responses import Response

from rememora.dashboard.answering import PageRequest, Pages
from rememora.dashboard.desk.place import person_at, place_of, show
from rememora.dashboard.visitor import DESK_PATH
from rememora.domain.hit import Hit
from rememora.domain.memory import Memory
from rememora.domain.verdict import AnyVerdict, ExplainedDecision, Origin, WordWeight
from rememora.gate.decisions import explain_verdict

HITS = 10
KNOWN = 200
LISTED = 5
"""Words that are listed under a part, the weightiest."""
HEAVY = 0.1
"""Least weight of a word that is marked in its part; the weightiest is marked in any case."""
NOBODY = "desk"
"""Stands for the person in a judgement that concerns nobody's memory."""


def add_routes(pages: Pages) -> None:
    """Routes of the playgrounds."""
    pages.desk(f"{DESK_PATH}/gate", gate, right="tenant")
    pages.desk(f"{DESK_PATH}/gate", judge, right="tenant", method="POST")
    pages.desk(f"{DESK_PATH}/recall", recall, right="tenant")


async def gate(request: PageRequest) -> Response:
    """Ask for a text to judge."""
    place = await place_of(request)
    return show(request, place, "gate.html", verdict=None, text="", origin=Origin.USER_SAID, origins=tuple(Origin))


async def judge(request: PageRequest) -> Response:
    """Show the gate's verdict on a text; nothing is written."""
    place, text = await place_of(request), request.form.get("text", "")
    named = request.form.get("origin")
    origin = next((known_origin for known_origin in Origin if known_origin.value == named), Origin.USER_SAID)
    person = request.rememora.user(NOBODY, tenant=place.id)
    if not text.strip():
        return await gate(request)
    verdict = await person.gate.judge(text, origin=origin)
    return show(
        request,
        place,
        "gate.html",
        verdict=verdict,
        parts=await asyncio.to_thread(read_parts, text, verdict),
        text=text,
        origin=origin,
        origins=tuple(Origin),
    )


class ReadPiece(msgspec.Struct, frozen=True, kw_only=True):
    """Some words of a part, and whether they are marked as those that decided."""

    words: str
    marked: bool


class ReadPart(msgspec.Struct, frozen=True, kw_only=True):
    """Part of a message, what the reader takes it to do, how sure it is, and the words that spoke for it."""

    pieces: tuple[ReadPiece, ...]
    act: str
    sure: float
    heavy: tuple[WordWeight, ...]


def read_parts(text: str, verdict: AnyVerdict) -> list[ReadPart]:
    """Read a text as the gate does, part by part."""
    _, *parts = (decision for decision in explain_verdict(text, verdict) if decision.by == "reader")
    return [
        ReadPart(pieces=tuple(pieces_of(part)), act=part.decision, sure=part.chance, heavy=part.words[:LISTED])
        for part in parts
    ]


def pieces_of(part: ExplainedDecision) -> Iterator[ReadPiece]:
    """Yield the text of a part, cut where a word begins or ends that is marked."""
    inside = [word for word in part.words if word.weight > 0 and part.span.start <= word.start < part.span.end]
    marked = [word for number, word in enumerate(inside) if word.weight >= HEAVY or number == 0]
    text, at, first = part.span.text, 0, part.span.start
    for word in sorted(marked, key=lambda word: word.start):
        if word.start - first > at:
            yield ReadPiece(words=text[at : word.start - first], marked=False)
        yield ReadPiece(words=word.text, marked=True)
        at = word.end - first
    if text[at:]:
        yield ReadPiece(words=text[at:], marked=False)


async def recall(request: PageRequest) -> Response:
    """Show the hits of a search with the parts of each score, next to the results of plain vector search."""
    place, query = await place_of(request), request.query
    user, words, reason = (query.get(name, "").strip() for name in ("user", "q", "reason"))
    hits: list[Hit] | None = None
    plain: list[Hit] = []
    known: dict[str, Memory] = {}
    if user and words and reason:
        person = await person_at(request, place, user, reason=reason)
        hits, plain = await person.recall(words, limit=HITS), await person.memories.nearest(words, limit=HITS)
        known = {item.id: item for item in (await person.memories.list(limit=KNOWN)).items}
    return show(
        request,
        place,
        "recall.html",
        hits=hits,
        plain=plain,
        known=known,
        plain_places={hit.id: number for number, hit in enumerate(plain, 1)},
        user=user,
        words=words,
        reason=reason,
    )
