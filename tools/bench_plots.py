"""Draws bars and curves as SVG, in colours that hold on a light and on a dark page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from html import escape
from math import ceil, floor, log10

COLOURS = ("#8da0cb", "#e78ac3", "#a6d854", "#fc8d62", "#66c2a5", "#b3905a", "#7f7f7f", "#4c72b0")
LEFT, TOP, WIDTH, HEIGHT, LEGEND = 44, 24, 560, 220, 18
TEXT = 'font-family="sans-serif" font-size="12" fill="#777"'


def bars(title: str, groups: Mapping[str, Mapping[str, float]]) -> str:
    """A group of bars for each set, from 0 to 100, a colour for each way."""
    ways = list(dict.fromkeys(way for group in groups.values() for way in group))
    step = WIDTH / len(groups)
    thick = step * 0.8 / len(ways)
    drawn = []
    for number, (name, group) in enumerate(groups.items()):
        start = LEFT + number * step + step * 0.1
        for place, way in enumerate(ways):
            value = group.get(way, 0.0)
            x, y = start + place * thick, _y(value)
            drawn.append(
                f'<rect x="{x:.1f}" y="{y:.1f}" width="{thick - 2:.1f}" height="{TOP + HEIGHT - y:.1f}" '
                f'fill="{COLOURS[place % len(COLOURS)]}"/>'
                f'<text x="{x + thick / 2 - 1:.1f}" y="{y - 3:.1f}" text-anchor="middle" {TEXT}>{value:g}</text>'
            )
        drawn.append(_label(start + step * 0.4, TOP + HEIGHT + 16, name))
    return _svg(title, drawn, ways)


def curves(title: str, lines: Mapping[str, Mapping[int, float]]) -> str:
    """A curve for each line, from 0 to 100, over its numbers at equal distances."""
    places = sorted({number for line in lines.values() for number in line})
    step = WIDTH / max(1, len(places) - 1)
    x_of = {number: LEFT + place * step for place, number in enumerate(places)}
    drawn = [_label(x, TOP + HEIGHT + 16, f"{number:,}") for number, x in x_of.items()]
    for place, line in enumerate(lines.values()):
        points = _points((x_of[number], _y(value)) for number, value in line.items())
        drawn.append(
            f'<polyline points="{points}" fill="none" stroke="{COLOURS[place % len(COLOURS)]}" stroke-width="2"/>'
        )
    return _svg(title, drawn, list(lines))


def growth(title: str, lines: Mapping[str, Mapping[int, float]]) -> str:
    """A curve for each line on two logarithmic axes, its value at each point."""
    places = sorted({number for line in lines.values() for number in line})
    values = [value for line in lines.values() for value in line.values() if value > 0]
    low, high = floor(log10(min(values))), ceil(log10(max(values)))
    step = WIDTH / max(1, len(places) - 1)
    x_of = {number: LEFT + place * step for place, number in enumerate(places)}
    y_of = {value: TOP + HEIGHT * (1 - (log10(value) - low) / max(1, high - low)) for value in values}
    drawn = [_label(x, TOP + HEIGHT + 16, f"{number:,}") for number, x in x_of.items()]
    for place, line in enumerate(lines.values()):
        colour, points = (
            COLOURS[place % len(COLOURS)],
            [(x_of[number], y_of[value]) for number, value in line.items()],
        )
        drawn.append(f'<polyline points="{_points(points)}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for (x, y), value in zip(points, line.values(), strict=True):
            drawn.append(f'<text x="{x:.1f}" y="{y - 5:.1f}" text-anchor="middle" {TEXT}>{value:g}</text>')
    return _svg(title, drawn, list(lines), axis=False)


def spans(title: str, lines: Mapping[str, Mapping[int, float]]) -> str:
    """A curve for each line, each as a share of its own highest value, which the legend says."""
    scaled = {
        f"{name} (100 = {max(line.values()):g})": {
            at: 100 * value / max(line.values()) for at, value in line.items()
        }
        for name, line in lines.items()
    }
    return curves(title, scaled)


def _points(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _y(value: float) -> float:
    return TOP + HEIGHT * (1 - value / 100)


def _label(x: float, y: float, text: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="middle" {TEXT}>{escape(text)}</text>'


def _axis() -> Iterator[str]:
    for value in (0, 25, 50, 75, 100):
        y = _y(value)
        ends = f'x1="{LEFT}" x2="{LEFT + WIDTH}" y1="{y:.1f}" y2="{y:.1f}"'
        yield f'<line {ends} stroke="#999" stroke-opacity=".35"/>'
        yield f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end" {TEXT}>{value}</text>'


def _svg(title: str, drawn: list[str], names: list[str], *, axis: bool = True) -> str:
    legend = [
        f'<rect x="{LEFT}" y="{TOP + HEIGHT + 30 + LEGEND * place}" width="12" height="12" '
        f'fill="{COLOURS[place % len(COLOURS)]}"/>'
        f'<text x="{LEFT + 18}" y="{TOP + HEIGHT + 40 + LEGEND * place}" {TEXT}>{escape(name)}</text>'
        for place, name in enumerate(names)
    ]
    height = TOP + HEIGHT + 40 + LEGEND * len(names)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 24} {height}" role="img">'
    caption = f'<text x="{LEFT}" y="14" {TEXT}>{escape(title)}</text>'
    return (
        "\n".join(
            [
                head,
                f"<title>{escape(title)}</title>",
                caption,
                *(_axis() if axis else ()),
                *drawn,
                *legend,
                "</svg>",
            ]
        )
        + "\n"
    )
