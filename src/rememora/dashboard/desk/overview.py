"""The overview of a tenant at the desk: the last days as charts, use of the plan, and what waits."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import partial

import msgspec
from markupsafe import Markup
from starlette.responses import Response

from rememora.dashboard import dates
from rememora.dashboard.answering import PageRequest, Pages
from rememora.dashboard.charts import Series, lines, stacked
from rememora.dashboard.desk.place import TenantDesk, place_of, show
from rememora.dashboard.visitor import DESK_PATH
from rememora.dashboard.words import Language, text, texts
from rememora.domain.tenancy import Usage
from rememora.domain.trend import Trend, carried

SPANS = (7, 30, 90)
MOST_LISTED = 100
MOST_COUNTED = 10_000
"""Maximum backlog that a page counts: quick, and a larger number would tell no more."""
VERDICTS = ("save", "ask", "correct", "forget", "reject", "sensitive", "quarantine")


class Chart(msgspec.Struct, frozen=True, kw_only=True):
    """One chart with its name, the sum that matters, and the figures as a table."""

    name: str
    drawn: Markup
    figure: str
    series: tuple[Series, ...]
    days: tuple[date, ...]

    @property
    def empty(self) -> bool:
        """Return whether there is nothing to see."""
        return not any(any(line.values) for line in self.series)


def add_routes(pages: Pages) -> None:
    """Route of the overview."""
    pages.desk(DESK_PATH, overview, right="audit")


async def overview(request: PageRequest) -> Response:
    """Show how a tenant does: over time, by reason and by category, and how much of the plan is used."""
    place = await place_of(request)
    company, operates = place.company, "operate" in place.officer.rights
    chosen = request.query.get("days", "")
    days = int(chosen) if chosen in map(str, SPANS) else SPANS[1]
    trend, usage = await company.quality.trend(days=days), await company.access.usage()
    return show(
        request,
        place,
        "overview.html",
        days=days,
        spans=SPANS,
        trend=trend,
        charts=[*charts_of(trend, request.visitor.language), usage_chart(trend, usage, request.visitor.language)],
        usage=usage,
        dead=bounded(len(await company.events.dead_letters(limit=MOST_LISTED)), MOST_LISTED),
        held=await _held(place),
        lag=bounded(await request.rememora.health.index_lag(most=MOST_COUNTED), MOST_COUNTED),
        engines=await request.rememora.health.ask_engines() if operates else {},
    )


async def _held(place: TenantDesk) -> str | None:
    """Count the texts in review; None for somebody who may not see them."""
    if "tenant" not in place.officer.rights:
        return None
    return bounded(len(await place.company.quarantine.list(limit=MOST_LISTED)), MOST_LISTED)


def bounded(number: int, most: int) -> str:
    """Write a count that stopped at its bound as such: 100+."""
    return f"{number}+" if number >= most else str(number)


def charts_of(trend: Trend, language: Language) -> list[Chart]:
    """The charts of the overview."""

    def named(name: str, values: Sequence[float]) -> Series:
        return Series(name=text(language, name), values=values)

    verdicts = [
        Series(
            name=text(language, name) if (name := f"verdict.{verdict}") in texts(language) else verdict,
            values=counts,
        )
        for verdict, counts in sorted(trend.verdicts.items(), key=lambda pair: _place(pair[0]))
    ]
    done = sum(trend.kept)
    made = [
        ("turns", "stacked", [named("over.turns", trend.turns)], str(sum(trend.turns))),
        ("recalls", "stacked", [named("over.recalls", trend.recalls)], str(sum(trend.recalls))),
        (
            "p95",
            "gaps",
            [named("over.p95_turn", trend.turn_p95_ms), named("over.p95_recall", trend.recall_p95_ms)],
            f"{max(trend.turn_p95_ms, default=0):.0f} ms",
        ),
        ("verdicts", "stacked", verdicts, str(sum(map(sum, trend.verdicts.values())))),
        (
            "rates",
            "stacked",
            [named("over.corrected", trend.corrected), named("over.forgotten", trend.forgotten)],
            f"{_share(sum(trend.corrected), done)} / {_share(sum(trend.forgotten), done)}",
        ),
        (
            "lags",
            "lines",
            [named("over.index_lag", trend.index_lag), named("over.outbox_lag", trend.outbox_lag)],
            str(max((*trend.index_lag, *trend.outbox_lag), default=0)),
        ),
    ]
    return [_chart(trend.days, series, language) for series in made]


def usage_chart(trend: Trend, usage: Sequence[Usage], language: Language) -> Chart:
    """Return the use of the plan day by day: in percent of its limits, or as numbers where it has none."""
    limited = [usage for usage in usage if usage.limit]
    series, most = [], 0.0
    for metered in limited or [usage for usage in usage if usage.meter != "tokens"]:
        noted = trend.used.get(metered.meter, (0,) * len(trend.days))
        # Today may not be noted yet: the meter knows it.
        filled = carried(trend.days, (*noted[:-1], max(noted[-1], metered.used)), metered.per)
        values = [round(used / metered.limit * 100, 1) for used in filled] if metered.limit else list(filled)
        series.append(Series(name=text(language, f"meter.{metered.meter}"), values=values))
        most = max(most, *values)
    name, figure = ("used_share", f"{most:.0f} %") if limited else ("used", f"{most:.0f}")
    return _chart(trend.days, (name, "lines", series, figure), language)


def _chart(days: tuple[date, ...], made: tuple[str, str, list[Series], str], language: Language) -> Chart:
    name, kind, series, figure = made
    title, name_of = text(language, f"over.{name}"), partial(dates.short_day, language)
    if kind == "stacked":
        drawn = stacked(days, series, title=title, name=name_of)
    else:
        drawn = lines(days, series, title=title, gaps=kind == "gaps", name=name_of)
    return Chart(name=title, drawn=drawn, figure=figure, series=tuple(series), days=days)


def _place(verdict: str) -> int:
    return VERDICTS.index(verdict) if verdict in VERDICTS else len(VERDICTS)


def _share(part: int, whole: int) -> str:
    return f"{part / whole * 100:.0f} %" if whole else "0 %"
