"""Language packs: every word that Rememora reads or says, one folder per language, validated and loaded on use.

`languages/<code>/` is data only. Each file has a struct in `pack_schema`; a file that does not fit it is refused
with the name of the file and the field. A new language is a new folder (docs/how-to/add-a-language.md), here
or in a package of its own (docs/how-to/extend.md).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from importlib.machinery import ModuleSpec
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from rememora.errors import InvalidInput, PluginFailed
from rememora.language.folding import fold
from rememora.language.pack_schema import (
    AttributeFile,
    CalendarFile,
    CldrFile,
    ControlFile,
    CueFile,
    FactFile,
    FigureFile,
    File,
    GateFile,
    HolidayFile,
    LengthFile,
    LexiconFile,
    OrderWords,
    PackFile,
    PhraseFile,
    QuestionFile,
    ReasonFile,
    ReplyFile,
    TopicFile,
    WordFile,
    parse,
)

GROUP: Final = "rememora.languages"
_CODE: Final = re.compile(r"[a-z]{2,3}")


def find_packs(builtin: Collection[str]) -> dict[str, Path]:
    """Find the folders of installed packs by language code, sorted; one that cannot be used is refused."""
    folders: dict[str, Path] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        if not _CODE.fullmatch(entry.name):
            raise _failed(entry, "must be named by a language code of two or three letters")
        if entry.name in builtin:
            raise _failed(entry, "has the code of a built-in language")
        if entry.name in folders:
            raise _failed(entry, "has the code of another installed pack; remove one of them")
        folders[entry.name] = _folder(entry)
    return folders


def _folder(entry: EntryPoint) -> Path:
    """Return the folder of the package that an entry point names; nothing of it is imported."""
    spec: ModuleSpec | None = None if "." in entry.value else find_spec(entry.value)
    places = spec.submodule_search_locations if spec is not None else None
    if not places:
        raise _failed(entry, f"must name a package with the files of the pack, and {entry.value!r} is none")
    return Path(next(iter(places)))


def _failed(entry: EntryPoint, reason: str) -> PluginFailed:
    package = f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.value
    return PluginFailed(GROUP, entry.name, package=package, reason=reason)


FOLDER: Final = Path(__file__).parents[1] / "languages"
BUILTIN: Final[tuple[str, ...]] = tuple(tomllib.loads((FOLDER / "index.toml").read_text("utf-8"))["codes"])
"""The languages with a pack here, in the order of their numbers in an index."""
INSTALLED: Final = find_packs(BUILTIN)
"""Folders of packs from other packages, by code."""
CODES: Final[tuple[str, ...]] = (*BUILTIN, *INSTALLED)
"""The languages with a pack."""
_HOURS: Final = {
    "minute": 1 / 60, "hour": 1, "day": 24, "week": 7 * 24, "month": 30 * 24, "quarter": 91 * 24,
    "year": 365 * 24, "decade": 3652 * 24,
}  # fmt: skip
"""Hours of the units that CLDR names."""
_CONTINUED: Final = "\n  "
Value = TypeVar("Value")


class FeastCalendar(msgspec.Struct, frozen=True, kw_only=True):
    """Return days with a name, folded: the handwritten ones, and the public holidays."""

    dated: dict[str, tuple[int, int, int]]
    moving: dict[str, tuple[int, int]]
    weekday: dict[str, tuple[int, int, int]]


class Calendar(msgspec.Struct, frozen=True, kw_only=True):
    """Return folded names of times in a language."""

    day_first: bool
    month_names: tuple[str, ...]
    short_month_names: tuple[str, ...]
    weekday_names: tuple[str, ...]
    long_months: dict[str, int]
    short_months: dict[str, int]
    months: dict[str, int]
    figure_only: frozenset[str]
    company: frozenset[str]
    weekdays: dict[str, int]
    weekdays_counted: dict[str, int]
    ordinal_weekdays: frozenset[str]
    days: frozenset[str]
    cardinals: dict[str, int]
    tens: dict[str, int]
    numbers: dict[str, int]
    ordinals: dict[str, int]
    days_of_month: dict[str, int]
    units: dict[str, float]
    parts: dict[str, int]
    seasons: dict[str, tuple[int, int]]
    feasts: FeastCalendar
    said: dict[str, str]
    rewrites: tuple[tuple[str, str], ...]
    unfolded: tuple[tuple[str, str], ...]


def folder_of(code: str) -> Path:
    """Return the folder of a pack."""
    return INSTALLED.get(code, FOLDER / code)


@cache
def _base_of(code: str) -> str | None:
    """Return the language whose files replace those that an installed pack leaves out."""
    path = folder_of(code) / "pack.toml"
    if not path.exists():
        return None
    base = parse(path.read_text("utf-8"), PackFile, path.suffix).base
    if base not in BUILTIN:
        raise InvalidInput(f"languages/{code}/pack.toml", f"`base` must be one of {', '.join(BUILTIN)}")
    return base


def _read(code: str, name: str, kind: type[File]) -> File:
    path = folder_of(code) / name
    if code in INSTALLED and not path.exists() and (base := _base_of(code)) is not None:
        return _read(base, name, kind)
    try:
        return parse(path.read_text("utf-8"), kind, path.suffix)
    except (msgspec.DecodeError, FileNotFoundError) as error:
        raise InvalidInput(f"languages/{code}/{name}", str(error)) from error


@cache
def words_of(code: str) -> WordFile:
    """Return the function words of a language."""
    return _read(code, "words.toml", WordFile)


@cache
def unread_words() -> dict[str, frozenset[str]]:
    """Return function words of languages without a pack, which identify a text as unreadable."""
    path = FOLDER / "unread.toml"
    table: dict[str, str] = tomllib.loads(path.read_text("utf-8"))
    return {code: frozenset(fold(words).split()) for code, words in table.items() if code not in CODES}


@cache
def attributes_of(code: str) -> AttributeFile:
    """Return the names of keys in a language."""
    return _read(code, "attributes.toml", AttributeFile)


@cache
def replies_of(code: str) -> ReplyFile:
    """Return the sentences that Rememora itself says in a language."""
    return _read(code, "replies.toml", ReplyFile)


@cache
def control_of(code: str) -> ControlFile:
    """Return words of control in a language: forget, correct, undo, answer."""
    return _read(code, "control.toml", ControlFile)


@cache
def questions_of(code: str) -> QuestionFile:
    """Return question words of a language."""
    return _read(code, "questions.toml", QuestionFile)


def asked_in(name: str) -> str:
    """Return the alternatives of a pattern of `questions.toml`, of all languages."""
    return joined(*(getattr(questions_of(code), name) for code in CODES))


def joined(*pieces: str) -> str:
    """Combine the alternatives of several languages into one pattern, each once."""
    return "|".join(dict.fromkeys(piece.replace(_CONTINUED, "") for piece in pieces if piece))


def split_words(text: str) -> frozenset[str]:
    """Return the plain words and phrases of a text, which bars separate."""
    return frozenset(word for word in text.replace(_CONTINUED, "").split("|") if word)


@cache
def facts_of(code: str) -> FactFile:
    """Return the rules for canonical attributes that a language brings; none if the gate's own rules apply."""
    return _read(code, "facts.toml", FactFile) if (folder_of(code) / "facts.toml").exists() else FactFile()


@cache
def phrases_of(code: str) -> dict[str, str]:
    """Return the words that patterns are made with in a language, by name; a name unknown here is refused."""
    return _known(code, "phrases.toml", PhraseFile).phrases


@cache
def lexicon_of(code: str) -> LexiconFile:
    """Return the words of a language by class; a class that no frame has is refused."""
    return _known(code, "lexicon.toml", LexiconFile)


@cache
def gate_words_of(code: str) -> GateFile:
    """Return the words of a language for the rules of the gate; a name that no rule has is refused."""
    return _known(code, "gate.toml", GateFile)


@cache
def figure_words_of(code: str) -> FigureFile:
    """Return the words of a language by which figures are understood; a list that no rule reads is refused."""
    return _known(code, "figures.toml", FigureFile)


@cache
def topic_words_of(code: str) -> dict[str, frozenset[str]]:
    """Return the words of a language that are no topic, and those beside which one stands, by list."""
    lists = _known(code, "topics.toml", TopicFile).lists
    return {name: split_words(text) for name, text in lists.items()}


@cache
def cue_words_of(code: str) -> CueFile:
    """Return the words of a language that make a sentence worth keeping, or not."""
    return _known(code, "cues.toml", CueFile)


@cache
def length_words_of(code: str) -> LengthFile:
    """Return how people ask for shorter or longer answers in a language."""
    return _known(code, "answer_length.toml", LengthFile)


def _known(code: str, name: str, kind: type[File]) -> File:
    """Read an optional file of tables by name; an installed pack brings no name that the built-in ones lack."""
    if not (folder_of(code) / name).exists():
        return kind()
    file = _read(code, name, kind)
    for field in kind.__struct_fields__ if code in INSTALLED else ():
        known = {key for builtin in BUILTIN for key in getattr(_known(builtin, name, kind), field)}
        if unknown := sorted(getattr(file, field).keys() - known):
            raise InvalidInput(f"languages/{code}/{name}", f"no rule has `{unknown[0]}`")
    return file


@cache
def foreign_orders() -> dict[str, OrderWords]:
    """Return the words of orders in languages without a pack, by code."""
    text = (FOLDER / "orders.toml").read_text("utf-8")
    tables = msgspec.toml.decode(text, type=dict[str, OrderWords])
    return {code: words for code, words in tables.items() if code not in CODES}


@cache
def reasons_of(code: str) -> dict[str, str]:
    """Return the reasons of the gate's verdicts in a language, by code."""
    return _read(code, "reasons.toml", ReasonFile).reasons


@cache
def calendar_of(code: str) -> Calendar:
    """Return the names of times in a language."""
    written, cldr = _read(code, "calendar.toml", CalendarFile), _read(code, "cldr.json", CldrFile)
    long, short = _numbered(cldr.months), _numbered(name.rstrip(".") for name in cldr.short_months)
    weekdays = _numbered(cldr.weekdays, start=0) | _folded(written.weekdays)
    named = {fold(word): _HOURS[unit] for unit, words in cldr.units.items() for word in words}
    return Calendar(
        day_first=written.day_first,
        month_names=cldr.months,
        short_month_names=cldr.short_months,
        weekday_names=cldr.weekdays,
        long_months=long,
        short_months=short | _folded(written.months),
        months=long | short | _folded(written.months),
        figure_only=written.figure_only,
        company=written.company,
        weekdays=weekdays,
        weekdays_counted=_folded(written.weekdays_counted),
        ordinal_weekdays=written.ordinal_weekdays,
        days=written.days,
        cardinals=written.cardinals,
        tens=written.tens,
        numbers={
            **dict.fromkeys(written.few, 0),
            **dict.fromkeys(written.one, 1),
            **dict.fromkeys(written.couple, 2),
            **written.cardinals,
        },
        ordinals=written.ordinals,
        days_of_month=written.days_of_month,
        units=named | _folded(written.units),
        parts=written.parts,
        seasons=_folded(written.seasons),
        feasts=_feasts(written, _read(code, "holidays.json", HolidayFile)),
        said={name: pattern.replace(_CONTINUED, "") for name, pattern in written.said.items()},
        rewrites=written.rewrites,
        unfolded=written.unfolded,
    )  # fmt: skip


@cache
def names_of_days(code: str) -> frozenset[str]:
    """Return names of days and months in one word: `hoje`, `sexta`, `domingo`, `março`."""
    calendar = calendar_of(code)
    weekdays = {name for name in calendar.weekdays if name.isalpha()}
    return frozenset({*calendar.days, *weekdays, *calendar.long_months})


def _feasts(calendar: CalendarFile, public: HolidayFile) -> FeastCalendar:
    """Merge both files; a handwritten day overrides the public holiday of the same name."""
    dated, moving, weekday = (
        _folded(calendar.feasts.dated),
        _folded(calendar.feasts.moving),
        _folded(calendar.feasts.weekday),
    )
    # The public list is generated and not perfect for questions: people write names for days that it misplaces
    # or does not need.
    known = {*dated, *moving, *weekday, *map(fold, calendar.feasts.left_out)}
    for name, rule in public.holidays.items():
        plain = fold(name)
        if plain in known:
            continue
        if rule.easter is not None:
            moving[plain] = rule.easter, 1
        elif rule.weekday is not None:
            weekday[plain] = rule.weekday, rule.month, rule.day
        else:
            dated[plain] = rule.month, rule.day, 1
    return FeastCalendar(dated=dated, moving=moving, weekday=weekday)


def _numbered(names: Iterable[str], start: int = 1) -> dict[str, int]:
    return {fold(name): number for number, name in enumerate(names, start)}


def _folded(table: Mapping[str, Value]) -> dict[str, Value]:
    return {fold(name): value for name, value in table.items()}
