"""Times that questions name, read against the day on which they are asked: Wednesday, 2026-05-20."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rememora.language import fold
from rememora.recall.when import Span, resolve

NOW = datetime(2026, 5, 20, 15, 30, tzinfo=UTC)
MOMENTS = st.datetimes(datetime(1990, 1, 1), datetime(2090, 1, 1), timezones=st.just(UTC))


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("o que fiz ontem?", "2026-05-19", "2026-05-20"),
        ("what did I do yesterday", "2026-05-19", "2026-05-20"),
        ("anteontem", "2026-05-18", "2026-05-19"),
        ("na semana passada", "2026-05-11", "2026-05-18"),
        ("last week", "2026-05-11", "2026-05-18"),
        ("nesta semana", "2026-05-18", "2026-05-25"),
        ("mês passado", "2026-04-01", "2026-05-01"),
        ("last month", "2026-04-01", "2026-05-01"),
        ("ano passado", "2025-01-01", "2026-01-01"),
        ("last May", "2026-05-01", "2026-06-01"),
        ("em março", "2026-03-01", "2026-04-01"),
        ("em novembro", "2025-11-01", "2025-12-01"),
        ("in November 2022", "2022-11-01", "2022-12-01"),
        ("maio de 2023", "2023-05-01", "2023-06-01"),
        ("on 25 May, 2022", "2022-05-25", "2022-05-26"),
        ("on May 25th, 2022", "2022-05-25", "2022-05-26"),
        ("25 de maio de 2022", "2022-05-25", "2022-05-26"),
        ("2022-05-25", "2022-05-25", "2022-05-26"),
        ("25/05/2022", "2022-05-25", "2022-05-26"),
        ("between August 11 and August 15 2023", "2023-08-11", "2023-08-16"),
        ("in 2022", "2022-01-01", "2023-01-01"),
        ("há 3 dias", "2026-05-17", "2026-05-18"),
        ("three days ago", "2026-05-17", "2026-05-18"),
        ("sexta passada", "2026-05-15", "2026-05-16"),
        ("last friday", "2026-05-15", "2026-05-16"),
        ("no fim de semana passado", "2026-05-16", "2026-05-18"),
    ],
)
def test_a_named_time_is_a_span_of_days(text: str, since: str, until: str) -> None:
    """Both languages, relative and absolute; a month without a year is the last one that has begun."""
    assert Span(day(since), day(until)) == resolve(fold(text), now=NOW)


@pytest.mark.parametrize(
    "text", ["", "may I ask?", "set it out", "quanto custa?", "31/02", "99/99/2020", "the march of time"]
)
def test_words_that_only_look_like_times_are_none(text: str) -> None:
    """`may`, `set`, `out` are words, and the thirty-first of February is no day."""
    assert resolve(fold(text), now=NOW) is None


@given(st.text(alphabet="0123456789/-abcdemarioyj ", max_size=40), MOMENTS)
def test_any_question_at_any_time_has_an_answer(text: str, now: datetime) -> None:
    """Nothing raises, and a span does not end before it begins."""
    span = resolve(text, now=now)

    assert span is None or span.since < span.until
