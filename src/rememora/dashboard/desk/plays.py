"""Playgrounds of the desk: what the gate says of a text, and what a search finds with the parts of its scores."""

from __future__ import annotations

from starlette.responses import Response

from rememora.dashboard.answering import Asked, Pages
from rememora.dashboard.desk.place import person_at, place_of, show
from rememora.dashboard.visitor import DESK_PATH
from rememora.domain.hit import Hit
from rememora.domain.memory import Memory
from rememora.domain.verdict import Origin

HITS = 10
KNOWN = 200
NOBODY = "desk"
"""Stands for the person in a judgement that concerns nobody's memory."""


def add_routes(pages: Pages) -> None:
    """Routes of the playgrounds."""
    pages.desk(f"{DESK_PATH}/gate", gate, right="tenant")
    pages.desk(f"{DESK_PATH}/gate", judge, right="tenant", method="POST")
    pages.desk(f"{DESK_PATH}/recall", recall, right="tenant")


async def gate(asked: Asked) -> Response:
    """Ask for a text to judge."""
    place = await place_of(asked)
    return show(asked, place, "gate.html", verdict=None, text="", origin=Origin.USER_SAID, origins=tuple(Origin))


async def judge(asked: Asked) -> Response:
    """Show the gate's verdict on a text; nothing is written."""
    place, text = await place_of(asked), asked.form.get("text", "")
    named = asked.form.get("origin")
    origin = next((each for each in Origin if each.value == named), Origin.USER_SAID)
    person = asked.rememora.user(NOBODY, tenant=place.id)
    verdict = await person.judge(text, origin=origin) if text.strip() else None
    return show(asked, place, "gate.html", verdict=verdict, text=text, origin=origin, origins=tuple(Origin))


async def recall(asked: Asked) -> Response:
    """Show the hits of a search with the parts of each score, beside what plain vector search finds."""
    place, query = await place_of(asked), asked.query
    user, words, reason = (query.get(name, "").strip() for name in ("user", "q", "reason"))
    hits: list[Hit] | None = None
    plain: list[Hit] = []
    known: dict[str, Memory] = {}
    if user and words and reason:
        person = await person_at(asked, place, user, reason=reason)
        hits, plain = await person.recall(words, limit=HITS), await person.nearest(words, limit=HITS)
        known = {each.id: each for each in (await person.memories(limit=KNOWN)).items}
    return show(
        asked,
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
