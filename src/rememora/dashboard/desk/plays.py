"""Playgrounds of the desk: what the gate says of a text, and what a search finds with the parts of its scores."""

from __future__ import annotations

import asyncio

import msgspec
from starlette.responses import Response

from rememora.dashboard.answering import PageRequest, Pages
from rememora.dashboard.desk.place import person_at, place_of, show
from rememora.dashboard.visitor import DESK_PATH
from rememora.domain.hit import Hit
from rememora.domain.memory import Memory
from rememora.domain.verdict import Origin
from rememora.reading import read_message

HITS = 10
KNOWN = 200
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
        parts=await asyncio.to_thread(read_parts, text),
        text=text,
        origin=origin,
        origins=tuple(Origin),
    )


class ReadPart(msgspec.Struct, frozen=True, kw_only=True):
    """Words of a message, what the reader takes them to do, and how sure it is."""

    words: str
    act: str
    sure: float


def read_parts(text: str) -> list[ReadPart]:
    """Read a text as the gate does, part by part."""
    return [
        ReadPart(words=text[part.start : part.end].strip(), act=part.act, sure=part.chance(part.act))
        for part in read_message(text).parts
    ]


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
