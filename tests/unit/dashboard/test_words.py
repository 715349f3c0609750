"""Texts of the pages: complete in both languages, and each one that a template names is there."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from tests.house.source import PACKAGE
from tests.looped import looped

from rememora.dashboard.dates import ago, exact, is_stale
from rememora.dashboard.words import language_of, texts

PLACES = re.compile(r"\{(\w+)\}")
NAMED = re.compile(r"\b(?:t|text)\((?:language, )?\"([a-z_.0-9]+)\"")
COUNTED = re.compile(r"\b(?:n|count)\((?:language, )?\"([a-z_.]+)\"")
NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)


def test_both_languages_say_the_same() -> None:
    """The same names with the same places, and no text that was left empty or in the other language's file."""
    ours, theirs = texts("pt"), texts("en")

    assert ours.keys() == theirs.keys()
    for name, said in ours.items():
        assert sorted(PLACES.findall(said)) == sorted(PLACES.findall(theirs[name])), name
        assert said.strip()
        assert theirs[name].strip()


def test_every_named_text_is_there() -> None:
    """A template or module that names a text finds it."""
    folder = PACKAGE / "dashboard"
    files = [*folder.glob("*.py"), *(folder / "templates").glob("*.html")]
    sources = [file.read_text(encoding="utf-8") for file in files]
    named = {name for source in sources for name in NAMED.findall(source) if not name.endswith((".", "_"))}
    counted = {name for source in sources for name in COUNTED.findall(source)}

    assert len(named) > 100
    assert set() == {name for name in named if name not in texts("pt")}
    assert set() == {name for name in counted if f"{name}.many" not in texts("pt")}


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("pt-BR,pt;q=0.9", "pt"),
        ("en-US,en;q=0.9,pt;q=0.5", "en"),
        ("fr,pt-BR;q=0.8", "pt"),
        ("de-DE", "en"),
        ("", "en"),
    ],
)
def test_the_browsers_language(header: str, expected: str) -> None:
    """The first that the pages have; English for others."""
    assert expected == language_of(header)


@looped(
    ("past", "pt", "en"),
    [
        (timedelta(seconds=20), "agora há pouco", "just now"),
        (timedelta(minutes=1), "há 1 minuto", "1 minute ago"),
        (timedelta(minutes=59), "há 59 minutos", "59 minutes ago"),
        (timedelta(hours=23), "há 23 horas", "23 hours ago"),
        (timedelta(days=1), "ontem", "yesterday"),
        (timedelta(days=30), "há 30 dias", "30 days ago"),
        (timedelta(days=40), "7 de out. de 2026", "Oct 7, 2026"),
        (timedelta(seconds=-30), "agora há pouco", "just now"),
    ],
)
def test_dates_as_people_say_them(past: timedelta, pt: str, en: str) -> None:
    """How long ago, and after a month the date."""
    assert (pt, en) == (ago("pt", NOW - past, NOW), ago("en", NOW - past, NOW))


def test_the_exact_date() -> None:
    """To the minute, in UTC."""
    assert "16 de nov. de 2026, 12:00 UTC" == exact("pt", NOW)
    assert "Nov 16, 2026, 12:00 UTC" == exact("en", NOW)
    assert not is_stale(NOW - timedelta(days=180), NOW)
    assert is_stale(NOW - timedelta(days=181), NOW)
