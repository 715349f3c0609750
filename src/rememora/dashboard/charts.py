"""Charts as SVG: series over days and the call graph of a mission; colours come from the style sheet."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from math import ceil, log10

import msgspec
from markupsafe import Markup

from rememora.missions.oversee import CallEdge

WIDTH, HEIGHT = 440, 170
LEFT, RIGHT, TOP, BOTTOM = 38, 6, 10, 22
NODE_WIDTH, NODE_HEIGHT, COLUMN, ROW = 132, 34, 196, 52
NAME_LETTERS = 16
DayName = Callable[[date], str]
LINES = 4
"""Lines across a chart, the base line not counted."""
THOUSAND = 1000


class Series(msgspec.Struct, frozen=True, kw_only=True):
    """One line or one part of the bars: its name and a figure per day."""

    name: str
    values: Sequence[float]


def plain_day(day: date) -> str:
    """Name a day by its date, for readers of any language."""
    return day.isoformat()


def ceiling(most: float) -> float:
    """A round number that is not below the largest figure, so that every line across stands at a whole one."""
    if most <= LINES:
        return float(LINES)
    size = 10.0 ** int(log10(most))
    tops = (step * size / 10 for step in (10, 12, 16, 20, 40, 50, 60, 80, 100, 120))
    return next(top for top in tops if top >= most and top % LINES == 0)


def stacked(days: Sequence[date], series: Sequence[Series], *, title: str, name: DayName = plain_day) -> Markup:
    """Bars per day, one part on top of the other."""
    top = ceiling(max((sum(series.values[place] for series in series) for place in range(len(days))), default=0))
    step = (WIDTH - LEFT - RIGHT) / max(1, len(days))
    parts: list[Markup] = []
    for place, day in enumerate(days):
        # Parts of a bar are stacked upwards from the base line; y grows downwards in SVG.
        drawn, base = [], float(HEIGHT - BOTTOM)
        for number, line in enumerate(series):
            tall = line.values[place] / top * (HEIGHT - TOP - BOTTOM)
            if not tall:
                continue
            base -= tall
            drawn.append(
                Markup('<rect class="s{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" rx="1.5"/>').format(
                    number, LEFT + place * step + step * 0.12, base, step * 0.76, tall
                )
            )
        if drawn:
            parts.append(Markup("<g>{}{}</g>").format(_hover(name(day), series, place), Markup().join(drawn)))
    return _framed([*map(name, days)], Markup().join(parts), top, title)


def lines(
    days: Sequence[date],
    series: Sequence[Series],
    *,
    title: str,
    gaps: bool = False,
    name: DayName = plain_day,
) -> Markup:
    """A line per series; with `gaps` it leaves out days without a figure, which are not days of zero."""
    top = ceiling(max((value for series in series for value in series.values), default=0))
    step = (WIDTH - LEFT - RIGHT) / max(1, len(days))
    drawn: list[Markup] = []
    for number, line in enumerate(series):
        places = [
            (LEFT + (place + 0.5) * step, HEIGHT - BOTTOM - value / top * (HEIGHT - TOP - BOTTOM))
            for place, value in enumerate(line.values)
        ]
        for part in _parts(line.values, gaps=gaps):
            points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places[part])
            drawn.append(Markup('<polyline class="l{}" points="{}"/>').format(number, points))
        for place, (x, y) in enumerate(places):
            # Days of zero have a line and no dot: dots are what a pointer can ask about.
            if line.values[place]:
                dot = Markup('<circle class="s{}" cx="{:.1f}" cy="{:.1f}" r="2.6">{}</circle>')
                drawn.append(dot.format(number, x, y, _hover(name(days[place]), series, place)))
    return _framed([*map(name, days)], Markup().join(drawn), top, title)


def _parts(values: Sequence[float], *, gaps: bool) -> list[slice]:
    """The stretches that a line is drawn in."""
    if not gaps:
        return [slice(0, len(values))]
    parts, begun = [], None
    # The zero behind the last value closes a stretch that lasts to the end.
    for place, value in enumerate([*values, 0]):
        if value and begun is None:
            begun = place
        elif not value and begun is not None:
            parts.append(slice(begun, place))
            begun = None
    return parts


def _hover(day: str, series: Sequence[Series], place: int) -> Markup:
    values = " · ".join(f"{series.name}: {number_text(series.values[place])}" for series in series)
    return Markup("<title>{}: {}</title>").format(day, values)


def number_text(value: float) -> str:
    """A figure without digits that say nothing."""
    return f"{value:.1f}".removesuffix(".0")


def axis_text(value: float) -> str:
    """A figure beside a line across, short enough for its place."""
    return f"{value / THOUSAND:g}k" if value >= THOUSAND else number_text(value)


def _framed(days: Sequence[str], inside: Markup, top: float, title: str) -> Markup:
    across: list[Markup] = []
    for line in range(LINES + 1):
        y = HEIGHT - BOTTOM - line / LINES * (HEIGHT - TOP - BOTTOM)
        across.append(
            Markup('<line class="grid" x1="{}" x2="{}" y1="{y:.1f}" y2="{y:.1f}"/>').format(
                LEFT, WIDTH - RIGHT, y=y
            )
        )
        across.append(
            Markup('<text class="axis" text-anchor="end" x="{}" y="{:.1f}">{}</text>').format(
                LEFT - 6, y + 4, axis_text(top * line / LINES)
            )
        )
    step = (WIDTH - LEFT - RIGHT) / max(1, len(days))
    below = Markup('<text class="axis" text-anchor="{}" x="{:.1f}" y="{}">{}</text>')
    # The first and the last end where the chart does, so that a wide name is not cut off.
    ends = {0: ("start", float(LEFT)), len(days) - 1: ("end", float(WIDTH - RIGHT))}
    across += [
        below.format(*ends.get(place, ("middle", LEFT + (place + 0.5) * step)), HEIGHT - 6, days[place])
        for place in sorted({0, len(days) // 2, len(days) - 1})
    ]
    return Markup('<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{}">{}{}</svg>').format(
        WIDTH, HEIGHT, title, Markup().join(across), inside
    )


def columns_of(calls: Sequence[CallEdge]) -> list[list[str]]:
    """Place agents in columns: each one to the right of the first that called it."""
    depth: dict[str, int] = {}
    called = {call.called for call in calls}
    # Breadth first from those whom nobody called; in a circle of calls there are none, so the first caller
    # begins.
    waiting = [call.caller for call in calls if call.caller not in called] or [call.caller for call in calls[:1]]
    for name in waiting:
        depth.setdefault(name, 0)
    while waiting:
        name = waiting.pop(0)
        for call in calls:
            if call.caller == name and call.called not in depth:
                depth[call.called] = depth[name] + 1
                waiting.append(call.called)
    for call in calls:
        depth.setdefault(call.caller, 0)
        depth.setdefault(call.called, depth[call.caller] + 1)
    width = max(depth.values(), default=-1) + 1
    return [sorted(name for name, at in depth.items() if at == column) for column in range(width)]


def call_graph(calls: Sequence[CallEdge], states: Mapping[str, str], *, title: str, id: str) -> Markup:
    """Draw agents as boxes and calls as arrows; a running call and a failing agent are highlighted.

    `id` distinguishes it from other graphs of the page.
    """
    columns = columns_of(calls)
    rows = max((len(column) for column in columns), default=0)
    # Layers from left to right; each column is centred, so that arrows stay short.
    places = {
        name: (8 + at * COLUMN, 8 + (row + (rows - len(column)) / 2) * ROW)
        for at, column in enumerate(columns)
        for row, name in enumerate(column)
    }
    wide, tall = max(1, len(columns)) * COLUMN - COLUMN + NODE_WIDTH + 16, max(1, rows) * ROW + 4
    edges = Markup().join(_edge(call, places, id) for call in calls)
    nodes = Markup().join(_node(name, place, states.get(name, "")) for name, place in places.items())
    arrow = Markup(
        '<defs><marker id="arrow-{}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="9" markerHeight="9" '
        'markerUnits="userSpaceOnUse" orient="auto"><path class="arrow" d="M0 0 8 4 0 8z"/></marker></defs>'
    ).format(id)
    return Markup(
        '<svg class="graph" viewBox="0 0 {w} {h}" width="{w}" height="{h}" role="img" aria-label="{t}">'
        "{}{}{}</svg>"
    ).format(arrow, edges, nodes, w=ceil(wide), h=ceil(tall), t=title)


def _edge(call: CallEdge, places: Mapping[str, tuple[float, float]], id: str) -> Markup:
    (x1, y1), (x2, y2) = places[call.caller], places[call.called]
    y1, y2 = y1 + NODE_HEIGHT / 2, y2 + NODE_HEIGHT / 2
    x1 = x1 + NODE_WIDTH
    bend = max(24.0, (x2 - x1) / 2)
    label = f"{call.caller} → {call.called}: {call.times}"
    return Markup(
        '<g><title>{}</title><path class="edge{}" marker-end="url(#arrow-{})" '
        'd="M{:.0f} {:.0f}C{:.0f} {:.0f} {:.0f} {:.0f} {:.0f} {:.0f}"/>'
        '<text class="axis" text-anchor="middle" x="{:.0f}" y="{:.0f}">{}×</text></g>'
    ).format(
        label,
        " running" if call.running else "",
        id,
        x1,
        y1,
        x1 + bend,
        y1,
        x2 - bend,
        y2,
        x2,
        y2,
        (x1 + x2) / 2,
        (y1 + y2) / 2 - 5,
        call.times,
    )


def _node(name: str, place: tuple[float, float], state: str) -> Markup:
    x, y = place
    shown = name if len(name) <= NAME_LETTERS else f"{name[: NAME_LETTERS - 1]}…"
    return Markup(
        '<g class="node {}"><title>{}</title><rect x="{:.0f}" y="{:.0f}" width="{}" height="{}" rx="8"/>'
        '<text text-anchor="middle" x="{:.0f}" y="{:.0f}">{}</text></g>'
    ).format(state, name, x, y, NODE_WIDTH, NODE_HEIGHT, x + NODE_WIDTH / 2, y + NODE_HEIGHT / 2 + 5, shown)
