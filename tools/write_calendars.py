"""Writes `languages/*/cldr.json` and `holidays.json`: names of times from CLDR, dates of holidays from `holidays`.

The package ships these files and not the two libraries: they would add 42 MB and four packages to an installation,
and a second to every import, for tables that change once a year.
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path

import holidays
from babel import Locale
from babel.units import format_unit
from dateutil.easter import easter  # type: ignore[import-untyped]

FOLDER = Path(__file__).parents[1] / "src" / "rememora" / "languages"
UNITS = ("minute", "hour", "day", "week", "month", "quarter", "year", "decade")
YEARS = range(2022, 2032)
"""A holiday has the same rule in all of these, or it has none that a table can hold."""
SOURCE = "tools/write_calendars.py, from {0}; `make calendars` writes it anew"


def names_of_times(locale: str) -> str:
    """The months, weekdays and units of a language, as CLDR has them."""
    parsed = Locale.parse(locale)
    months, days = parsed.months["format"], parsed.days["format"]
    table = {
        "source": SOURCE.format("CLDR (babel)"),
        "months": [months["wide"][at] for at in range(1, 13)],
        "short_months": [months["abbreviated"][at] for at in range(1, 13)],
        "weekdays": [days["wide"][at] for at in range(7)],
        "short_weekdays": [days["abbreviated"][at] for at in range(7)],
        "units": {unit: _unit(unit, locale) for unit in UNITS},
    }
    return _written(table)


def _written(table: Mapping[str, object]) -> str:
    """One line for each name, so that a change of CLDR or of a law is read in a diff."""
    lines = []
    for name, entry in table.items():
        if isinstance(entry, dict):
            inner = ",\n".join(f"  {_json(key)}: {_json(value)}" for key, value in entry.items())
            lines.append(f"{_json(name)}: {{\n{inner}\n}}")
        else:
            lines.append(f"{_json(name)}: {_json(entry)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _unit(unit: str, locale: str) -> list[str]:
    """A unit in the singular and in the plural; CLDR leaves out the long form where the short one is the same."""
    name = f"duration-{unit}"
    said = [format_unit(number, name, "long", locale=locale).split()[-1] for number in (1, 2)]
    return said if name not in said else [format_unit(n, name, "short", locale=locale).split()[-1] for n in (1, 2)]


def dates_of_holidays(countries: Sequence[str]) -> str:
    """The public holidays of some countries by name: a fixed date, days from Easter, or a day of a week."""
    rules: dict[str, dict[str, int]] = {}
    for country, language in (item.split(":") for item in countries):
        for name, dates in sorted(_dates(country, language).items()):
            if (rule := _rule(dates)) is not None:
                rules.setdefault(name, rule)
    return _written({"source": SOURCE.format("the package `holidays`"), "holidays": dict(sorted(rules.items()))})


def _dates(country: str, language: str) -> dict[str, list[date]]:
    result: dict[str, list[date]] = {}
    days: Mapping[date, str] = holidays.country_holidays(country, years=YEARS, language=language, observed=False)
    for day, names in days.items():
        for name in names.split("; "):
            result.setdefault(name, []).append(day)
    return {name: dates for name, dates in result.items() if "(" not in name}


def _rule(dates: Sequence[date]) -> dict[str, int] | None:
    """One rule for all the dates of a holiday; None where there is none."""
    if sorted(day.year for day in dates) != [*YEARS]:
        return None
    if len(fixed := {(day.month, day.day) for day in dates}) == 1:
        month, day = fixed.pop()
        return {"month": month, "day": day}
    if len(shifts := {(day - easter(day.year)).days for day in dates}) == 1:
        return {"easter": shifts.pop()}
    return next(_weekday_rules(dates), None)


def _weekday_rules(dates: Sequence[date]) -> Iterator[dict[str, int]]:
    """The first such weekday on or after a day of a month."""
    weekdays, months = {day.weekday() for day in dates}, {day.month for day in dates}
    if len(weekdays) == 1 and len(months) == 1:
        weekday, month = weekdays.pop(), months.pop()
        for first in range(1, 29):
            if all(_on_or_after(date(day.year, month, first), weekday) == day for day in dates):
                yield {"weekday": weekday, "month": month, "day": first}


def _on_or_after(first: date, weekday: int) -> date:
    return first + timedelta(days=(weekday - first.weekday()) % 7)


def files() -> dict[Path, str]:
    """What each generated file holds."""
    result = {}
    for code in tomllib.loads((FOLDER / "index.toml").read_text("utf-8"))["codes"]:
        pack = tomllib.loads((FOLDER / code / "words.toml").read_text("utf-8"))
        result[FOLDER / code / "cldr.json"] = names_of_times(pack["locale"])
        result[FOLDER / code / "holidays.json"] = dates_of_holidays(pack["countries"])
    return result


def main() -> int:
    """Write the files, or only check that they are fresh."""
    query = argparse.ArgumentParser(description=__doc__)
    query.add_argument("--check", action="store_true")
    stale = [path for path, text in files().items() if not path.exists() or path.read_text("utf-8") != text]
    if query.parse_args().check:
        print(*(f"stale: {path}" for path in stale), sep="\n")
        return int(bool(stale))
    for path in stale:
        path.write_text(files()[path], "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
