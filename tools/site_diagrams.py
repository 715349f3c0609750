"""Draws the flowcharts of the pages as SVG: boxes in columns, arrows from left to right.

Reads the small part of mermaid that the pages use (`flowchart LR`, `A[label] --> B[label]`, `<br>`), so that the
same text is a picture on GitHub and on the site, without a program loaded from another server.
"""

from __future__ import annotations

import re
from html import escape

EDGE = re.compile(r"^\s*(\w+)(?:\[(.*?)\])?(?:\s*-->\s*(\w+)(?:\[(.*?)\])?)?\s*$")
LINE, LETTER, PAD, GAP, SPACE = 17, 7, 12, 36, 14
MOST_COLUMNS, WRAPPED_COLUMNS = 8, 5
"""A chart of more columns than the first is wrapped into rows of the second, so that it can be read."""
LINES = "fill:none;stroke:currentColor"
BOX = "fill:var(--md-default-bg-color,white);stroke:currentColor"


class Chart:
    """The boxes of a flowchart with their lines of text, and the arrows between them."""

    def __init__(self, text: str) -> None:
        first, *rest = [line for line in text.splitlines() if line.strip()]
        if first.strip() != "flowchart LR":
            raise ValueError(f"only `flowchart LR` is drawn, not {first!r}")
        self.labels: dict[str, list[str]] = {}
        self.arrows: list[tuple[str, str]] = []
        for line in rest:
            result = EDGE.match(line)
            if result is None:
                raise ValueError(f"not a box or an arrow: {line!r}")
            source, source_label, target, target_label = result.groups()
            self._name(source, source_label)
            if target:
                self._name(target, target_label)
                self.arrows.append((source, target))

    def _name(self, box: str, label: str | None) -> None:
        if label is not None or box not in self.labels:
            self.labels[box] = re.split(r"<br\s*/?>", (label or box).strip('"'))

    def columns(self) -> list[list[str]]:
        """The boxes by the longest way from a box that nothing points at."""
        depth = dict.fromkeys(self.labels, 0)
        for _ in self.labels:
            for source, target in self.arrows:
                depth[target] = max(depth[target], depth[source] + 1)
        return [[box for box in self.labels if depth[box] == column] for column in range(max(depth.values()) + 1)]


def draw(text: str) -> str:
    """A flowchart as one line of SVG."""
    chart = Chart(text)
    columns = chart.columns()
    across = len(columns) if len(columns) <= MOST_COLUMNS else WRAPPED_COLUMNS
    places: dict[str, tuple[int, int, int, int]] = {}
    top = SPACE
    for start in range(0, len(columns), across):
        top = _place(chart, columns[start : start + across], top, places) + SPACE
    wide = max(left + width for left, _, width, _ in places.values())
    drawn = [*(_arrow(places[a], places[b]) for a, b in chart.arrows)]
    drawn += [_box(places[box], lines) for box, lines in chart.labels.items()]
    size = f'viewBox="0 0 {wide + SPACE} {top}" style="max-width:100%;height:auto"'
    head = (
        '<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7"'
        ' orient="auto"><path d="M0 0L8 4L0 8z" fill="currentColor"/></marker></defs>'
    )
    words = ", ".join(" ".join(lines) for lines in chart.labels.values())
    about = f'xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(words)}"'
    return f"<svg {about} {size}>{head}{''.join(drawn)}</svg>"


def _place(chart: Chart, columns: list[list[str]], top: int, places: dict[str, tuple[int, int, int, int]]) -> int:
    """Give each box of some columns its place under a height; returns where they end."""
    heights = {box: LINE * len(chart.labels[box]) + PAD for column in columns for box in column}
    tall = [sum(heights[box] for box in column) + SPACE * (len(column) - 1) for column in columns]
    left = SPACE
    for column, height in zip(columns, tall, strict=True):
        width = max(len(line) for box in column for line in chart.labels[box]) * LETTER + 2 * PAD
        down = top + (max(tall) - height) // 2
        for box in column:
            places[box] = (left, down, width, heights[box])
            down += heights[box] + SPACE
        left += width + GAP
    return top + max(tall)


def _box(place: tuple[int, int, int, int], lines: list[str]) -> str:
    left, top, width, height = place
    middle = left + width // 2
    spans = "".join(
        f'<text x="{middle}" y="{top + PAD // 2 + LINE * number + 13}" text-anchor="middle" '
        f'fill="currentColor" font-size="13">{escape(line)}</text>'
        for number, line in enumerate(lines)
    )
    return f'<rect x="{left}" y="{top}" width="{width}" height="{height}" rx="6" style="{BOX}"/>{spans}'


def _arrow(start: tuple[int, int, int, int], end: tuple[int, int, int, int]) -> str:
    x1, y1 = start[0] + start[2], start[1] + start[3] // 2
    x2, y2 = end[0], end[1] + end[3] // 2
    bend = (x1 + x2) // 2
    path = f"M{x1} {y1}C{bend} {y1} {bend} {y2} {x2} {y2}"
    return f'<path d="{path}" style="{LINES}" marker-end="url(#head)"/>'
