"""Draw what a memory rests on and what rests on it, as SVG and as sentences.

The drawing is a column: the memories it rests on, the memory itself, and the memories that rest on it. A rail on
the left joins the boxes and its arrows point from the ground to what rests on it, so that the drawing fits the
screen of a phone. Colours come from the style sheet of the pages; alone, as the API gives it, it is drawn in the
colour of the text around it.
"""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import wrap
from typing import Literal

import msgspec
from markupsafe import Markup

from rememora.dashboard.sentences import sentence
from rememora.dashboard.words import Language, text
from rememora.domain.explanation import DependencyLink, Explanation, Tie
from rememora.domain.memory import Memory

WIDTH, MARGIN, GAP = 360, 4, 14
RAIL, INDENT, PAD = 16, 40, 10
CAPTION_SIZE, TEXT_SIZE, LINE = 11, 13, 18
LETTERS = 40
"""Letters of a line of a box; a sans-serif letter of this size is about 7.3 units wide."""
MOST_LINES = 3
MOST_DRAWN = 6
"""Boxes drawn on either side; the sentences beside the drawing tell all of them."""
Side = Literal["rests_on", "this", "dependent"]


class Tied(msgspec.Struct, frozen=True, kw_only=True):
    """One memory that is tied to another, and how, in words."""

    memory: Memory
    tie: Tie
    told: str


class Box(msgspec.Struct, frozen=True, kw_only=True):
    """One box of the drawing: its caption, its lines and its place in the column."""

    side: Side
    caption: str
    lines: tuple[str, ...]
    title: str
    doubted: bool
    top: float

    @property
    def tall(self) -> float:
        """Height of the box."""
        return 2 * PAD + LINE * (len(self.lines) + 1)

    @property
    def middle(self) -> float:
        """Height at which an arrow meets the box."""
        return self.top + self.tall / 2


def tied(explained: Explanation, language: Language) -> tuple[list[Tied], list[Tied]]:
    """The memories that a memory rests on, and those that rest on it, each with how."""
    id = explained.memory.id
    grounds = {memory.id: memory for memory in explained.rests_on}
    dependents = {memory.id: memory for memory in explained.dependents}
    links = explained.links
    return (
        [_tied(grounds[link.rests_on], link, "on", language) for link in links if link.dependent == id],
        [_tied(dependents[link.dependent], link, "by", language) for link in links if link.rests_on == id],
    )


def _tied(memory: Memory, link: DependencyLink, side: str, language: Language) -> Tied:
    return Tied(memory=memory, tie=link.tie, told=text(language, f"tied.{side}_{link.tie}"))


def draw(explained: Explanation, language: Language) -> Markup:
    """The drawing of a memory's dependencies; empty where there are none."""
    grounds, dependents = tied(explained, language)
    if not grounds and not dependents:
        return Markup()
    # From top to bottom: what it is based on, the memory itself, what is based on it.
    boxes = _column(
        [
            *(("rests_on", ground.told, ground.memory) for ground in grounds[:MOST_DRAWN]),
            ("this", text(language, "tied.this"), explained.memory),
            *(("dependent", dependent.told, dependent.memory) for dependent in dependents[:MOST_DRAWN]),
        ],
        language,
    )
    this = next(box for box in boxes if box.side == "this")
    tall = boxes[-1].top + boxes[-1].tall + MARGIN
    label = text(language, "tied.drawing", on=len(grounds), by=len(dependents))
    return Markup(
        '<svg xmlns="http://www.w3.org/2000/svg" class="dependencies" viewBox="0 0 {} {:.0f}" role="img" '
        'aria-label="{}">{}{}</svg>'
    ).format(
        WIDTH,
        tall,
        label,
        Markup().join(_arrow(box, this) for box in boxes if box is not this),
        Markup().join(_drawn(box) for box in boxes),
    )


def _column(rows: Iterable[tuple[Side, str, Memory]], language: Language) -> list[Box]:
    """The boxes one under the other."""
    boxes: list[Box] = []
    top = float(MARGIN)
    for side, caption, memory in rows:
        said = sentence(memory, language)
        box = Box(
            side=side,
            caption=caption,
            lines=_lines(said),
            title=said,
            doubted=memory.doubted_at is not None,
            top=top,
        )
        boxes.append(box)
        top += box.tall + GAP
    return boxes


def _lines(sentence: str) -> tuple[str, ...]:
    """A sentence cut into the lines of a box; what does not fit ends in an ellipsis."""
    lines = wrap(sentence, LETTERS) or [""]
    if len(lines) > MOST_LINES:
        lines = [*lines[: MOST_LINES - 1], f"{lines[MOST_LINES - 1][: LETTERS - 1]}…"]
    return tuple(lines)


def _drawn(box: Box) -> Markup:
    x = INDENT if box.side != "this" else RAIL * 2
    marks = f"{box.side} doubted" if box.doubted else box.side
    lines = Markup().join(
        Markup('<text x="{}" y="{:.0f}" font-size="{}" fill="currentColor">{}</text>').format(
            x + PAD, box.top + PAD + LINE * (place + 2) - 5, TEXT_SIZE, line
        )
        for place, line in enumerate(box.lines)
    )
    dashes = Markup(' stroke-dasharray="5 4"') if box.doubted else ""
    return Markup(
        '<g class="box {}"><title>{}</title>'
        '<rect x="{}" y="{:.0f}" width="{}" height="{:.0f}" rx="8" fill="none" stroke="currentColor"{}/>'
        '<text class="caption" x="{}" y="{:.0f}" font-size="{}" fill="currentColor">{}</text>{}</g>'
    ).format(
        marks,
        box.title,
        x,
        box.top,
        WIDTH - MARGIN - x,
        box.tall,
        dashes,
        x + PAD,
        box.top + PAD + LINE - 6,
        CAPTION_SIZE,
        box.caption,
        lines,
    )


def _arrow(box: Box, this: Box) -> Markup:
    """The way along the rail from the ground to what rests on it, with the head of an arrow at its end."""
    begins, ends = (box, this) if box.side == "rests_on" else (this, box)
    rail = RAIL / 2 + MARGIN
    begin, end = _edge(begins), _edge(ends)
    # Two arrows must not meet the memory at one point: one comes in above its middle, one goes out below.
    y1 = begins.middle + (PAD if begins.side == "this" else 0)
    y2 = ends.middle - (PAD if ends.side == "this" else 0)
    return Markup(
        '<path class="way" fill="none" stroke="currentColor" d="M{:.0f} {:.0f}H{:.0f}V{:.0f}H{:.0f}"/>'
        '<path class="head" fill="currentColor" d="M{x:.0f} {y:.0f}l-8 -4v8z"/>'
    ).format(begin, y1, rail, y2, end - 4, x=end, y=y2)


def _edge(box: Box) -> float:
    return RAIL * 2 if box.side == "this" else INDENT
