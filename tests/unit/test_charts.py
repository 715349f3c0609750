"""Charts as SVG: figures stand where they belong, names stay text, and a graph has each agent once."""

from __future__ import annotations

from datetime import date, timedelta
from functools import partial

from tests.looped import looped

from rememora.dashboard.charts import (
    Series,
    axis_text,
    call_graph,
    ceiling,
    columns_of,
    lines,
    number_text,
    stacked,
)
from rememora.dashboard.dates import short_day
from rememora.missions.oversee import CallEdge

DAYS = [date(2026, 11, 1) + timedelta(days=number) for number in range(3)]
MARKUP = "<script>x</script>"


@looped(("most", "top"), [(0, 4), (3, 4), (4, 4), (5, 8), (9, 12), (41, 60), (80, 80), (81, 100), (1234, 1600)])
def test_the_top_is_a_round_number_not_below_the_largest(most: float, top: float) -> None:
    """So that the lines across stand at numbers that can be read."""
    assert top == ceiling(most)


def test_bars_stand_on_each_other() -> None:
    """A part per series with something in it; together they are as tall as their sum; names are escaped."""
    drawn = str(
        stacked(DAYS, [Series(name=MARKUP, values=[2, 0, 1]), Series(name="b", values=[2, 0, 0])], title="t")
    )

    assert 3 == drawn.count("<rect")
    assert 2 == drawn.count("<title>")
    assert MARKUP not in drawn
    assert 'y="10.0"' in drawn


def test_lines_have_a_point_a_day() -> None:
    """And a dot where there is something."""
    drawn = str(lines(DAYS, [Series(name="a", values=[0.0, 12.5, 3.0])], title=MARKUP))

    assert 3 == drawn.partition('points="')[2].partition('"')[0].count(",")
    assert 2 == drawn.count("<circle")
    assert "12.5" in drawn
    assert MARKUP not in drawn
    assert ("3", "12.5", "0") == (number_text(3), number_text(12.5), number_text(0.0))


def test_days_are_named_as_the_reader_does() -> None:
    """On the axis and on hover: the day comes first in Portuguese, the month in English."""
    series = [Series(name="a", values=[1, 2, 3])]
    drawn = {code: str(stacked(DAYS, series, title="t", name=partial(short_day, code))) for code in ("pt", "en")}

    assert ">1 nov.</text>" in drawn["pt"]
    assert "<title>3 nov.: a: 3</title>" in drawn["pt"]
    assert ">Nov 1</text>" in drawn["en"]
    assert ">2026-11-01</text>" in str(lines(DAYS, series, title="t"))


def test_figures_beside_a_chart_are_short() -> None:
    """Thousands have a letter, so that a phone has room for them."""
    assert ("0", "750", "1k", "1.5k") == (axis_text(0), axis_text(750), axis_text(1000), axis_text(1500))


def test_days_without_a_figure_are_left_out() -> None:
    """A line has gaps there where they are not days of zero."""
    days = [*DAYS, *DAYS]
    drawn = str(lines(days, [Series(name="a", values=[5, 6, 0, 0, 7, 8])], title="t", gaps=True))

    assert 2 == drawn.count("<polyline")


def test_agents_stand_to_the_right_of_their_callers() -> None:
    """Also where they call each other; each once."""
    calls = [
        CallEdge(caller="a", called="b", times=1, running=False),
        CallEdge(caller="b", called="c", times=2, running=True),
        CallEdge(caller="c", called="b", times=1, running=False),
        CallEdge(caller="a", called=MARKUP, times=1, running=False),
    ]
    drawn = str(call_graph(calls, {"b": "breaker-open"}, title="t", id="m1"))

    assert [["a"], sorted(["b", MARKUP]), ["c"]] == columns_of(calls)
    assert [["x"], ["y"]] == columns_of(
        [
            CallEdge(caller="x", called="y", times=1, running=False),
            CallEdge(caller="y", called="x", times=1, running=False),
        ]
    )
    assert (4, 4, 1) == (drawn.count('class="node'), drawn.count('class="edge'), drawn.count("edge running"))
    assert "breaker-open" in drawn
    assert (1, 4) == (drawn.count('id="arrow-m1"'), drawn.count("url(#arrow-m1)"))
    assert MARKUP not in drawn
