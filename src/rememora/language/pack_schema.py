"""Schema of a language pack: one struct for each of its files, checked when the file is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeVar

import msgspec

from rememora.language.folding import fold

STEM_LETTERS: Final = range(3, 13)
"""How many letters a stem of `lexicon.toml` may have: the beginnings of a word that are looked up."""
_STEM_IN_PHRASE: Final = 2
"""Letters by which the second word of a phrase is looked up."""


class Words(frozenset[str]):
    """Folded words; a file writes them in one string, separated by spaces."""


class Numbered(dict[str, int]):
    """Folded words, each with a number: `dois=2 duas=2`."""


class Pairs(dict[str, str]):
    """Words, each with its replacement: `vc=voce`."""


class PackFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`pack.toml` of an installed pack."""

    base: str
    """The language whose files replace those that the pack leaves out."""


class Detection(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Signs of a language besides the function words that no other language has."""

    letters: str = ""
    """Accented letters that indicate the language."""
    endings: str = ""
    """Endings of longer words that indicate it."""
    lone: Words = Words()
    """Single letters that are words of it; other single letters are units and initials."""
    silent: Words = Words()
    """Function words that indicate no language, because several have them."""
    words: Words = Words()
    """Words with a meaning of their own that no neighbour has, for texts too short for a function word."""
    spelling: str = ""
    """Pattern of a spelling that no neighbour has, looked for in each lower-case word with its accents."""


class WordFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`words.toml`: the function words of a language."""

    name: str
    tag: str
    locale: str
    countries: tuple[str, ...]
    snowball: str
    bar: float
    token_cost: tuple[float, float]
    stop: Words
    informal: Pairs
    wishes: Words
    of_times: Words
    asking: Words
    abbreviations: Words
    particles: Words
    detection: Detection
    irregular: Pairs = Pairs()
    """Forms with another stem: plurals, and verbs; a word that is its own other form only looks like one."""
    unstemmed: Pairs = Pairs()
    """Words with the stem that they keep, though an ending of theirs looks like one of a verb or a plural."""
    titles: Words = Words()
    """Words before a name, whose dot ends no sentence."""
    nouns_like_verbs: Words = Words()
    """Plurals with the ending of a verb in the first person plural."""
    saints: Words = Words()
    """Saints whose names end in -s."""


class Feasts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Days with a name: by date, by their distance from Easter, by their weekday."""

    left_out: tuple[str, ...]
    dated: dict[str, tuple[int, int, int]]
    moving: dict[str, tuple[int, int]]
    weekday: dict[str, tuple[int, int, int]]


class CalendarFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`calendar.toml`: how a language names times, besides CLDR's names."""

    day_first: bool
    figure_only: Words
    company: Words
    cardinals: Numbered
    tens: Numbered
    one: Words
    few: Words
    ordinals: Numbered
    days_of_month: Numbered
    parts: Numbered
    months: dict[str, int]
    weekdays: dict[str, int]
    weekdays_counted: dict[str, int]
    units: dict[str, float]
    seasons: dict[str, tuple[int, int]]
    feasts: Feasts
    said: dict[str, str]
    couple: Words = Words()
    rewrites: tuple[tuple[str, str], ...] = ()
    unfolded: tuple[tuple[str, str], ...] = ()
    """Patterns on text as it is written, and what is read in their place, before it is folded."""
    ordinal_weekdays: Words = Words()
    days: Words


class CldrFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`cldr.json`, which a tool writes: names of times as CLDR has them."""

    source: str
    months: tuple[str, ...]
    short_months: tuple[str, ...]
    weekdays: tuple[str, ...]
    short_weekdays: tuple[str, ...]
    units: dict[str, tuple[str, str]]


class Holiday(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A holiday that keeps its date, its weekday on or after a date, or its distance from Easter."""

    month: int = 0
    day: int = 0
    weekday: int | None = None
    easter: int | None = None


class HolidayFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`holidays.json`, which a tool writes."""

    source: str
    holidays: dict[str, Holiday]


class QuestionFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`questions.toml`: how a language asks, and how it announces a change."""

    latest: str
    past: str
    of_assistant: str
    between_us: str
    mine: str
    addressed: tuple[str, ...]
    leaving: str
    changing: str
    holds: str = ""
    """Questions in a form of the past that ask for what holds."""


class ControlWords(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Alternatives of the frames in which a message addresses memory; each is a part of a pattern."""

    polite: str
    this: str
    there: str
    said: str
    may: str
    may_undo: str
    save: str
    forget: str
    insists: str
    anyway: str
    be: str
    wrong: str
    not_right: str
    hush: str
    of_this: str
    about: str
    again: str
    speak: str
    may_speak: str
    back_to: str
    once_more: str
    undo: str
    undo_what: str
    decline: str
    need: str
    nothing: str
    know_again: str
    may_know: str
    go_back: str
    of: str
    mine: str
    article: str
    ask_to: str
    forget_verb: str
    everything: str
    not_this: str = "(?!)"
    other: str = "(?!)"


class Righting(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Patterns of a message that gives the correct value and nothing else: "no, it's 67"."""

    oops: str
    actually: str
    is_: str = msgspec.field(name="is")


class ErasingWords(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Words that ask to erase permanently, and that confirm it."""

    final: str
    formal: str
    erase: str
    what: str
    yes: str


class AnswerWords(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Words that answer a pending question: yes, no, or another value."""

    yes: str
    no: str
    before: str
    lead: str
    is_: str = msgspec.field(name="is")
    opened: str
    not_: str = msgspec.field(name="not")
    but: str


class Choosing(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Words that pick one of several candidates."""

    ordinals: Numbered
    all_: Words = msgspec.field(name="all")
    empty: Words


class ResponderPatterns(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Patterns by which the built-in responder recognises a question."""

    owned: str
    greeting: str
    about_me: str
    asking: str


class ControlFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`control.toml`: how people address memory."""

    words: ControlWords
    righting: Righting
    erasing: ErasingWords
    answers: AnswerWords
    choosing: Choosing
    responder: ResponderPatterns


class AttributeFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`attributes.toml`: the names of keys in replies and in questions."""

    owned: str
    who: str = "{name}"
    """Name of the attribute that tells who somebody is; `owned` names any other of theirs."""
    month_day: str = "{day} {month}"
    """A date without its year: `{day}` is a number, `{month}` the name of a month."""
    labels: dict[str, str]
    words: dict[str, str]
    family: dict[str, str]
    own: dict[str, str]
    spaces: dict[str, str]
    categories: dict[str, str] = {}
    """Names of the kinds of memory."""
    asked_by: dict[str, str]
    called: dict[str, str]
    alike: dict[str, Words] = {}
    """Words that name the same attribute, by any name."""
    sentences: dict[str, str] = {}
    """Facts as sentences, by key: `{value}` is the value, `{in}` the word before a place."""
    places: dict[str, str] = {}
    """The word before a place, by how the place begins; under "" the word before any other."""


class ResponderReplies(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The sentences of the built-in responder."""

    hello: str
    hello_name: str
    offer: str
    offer_company: str
    recall: str
    said: str
    said_here: str
    talked: str
    know: str
    know_nothing: str
    nothing: str
    not_kept: str
    noted: str
    noted_name: str
    yes: str
    no: str
    day: str


class ActionReplies(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Sentences that report what was done with memory."""

    saved: str
    corrected: str
    amended: str = ""
    """Tells of a change behind what was known; without it the words of a correction do."""
    change: str = ""
    """A change with the statement that it changes: `{new}` and `{old}`."""
    forgotten: str
    confirmed: str
    taken_off: str
    told_before: str
    forgotten_all: str
    undone: str
    ended: str
    restored: str
    silenced: str
    nothing_to_forget: str
    nothing_to_correct: str
    nothing_to_undo: str
    refused_by_person: str
    shared: str
    save_what: str
    held: str
    refused: str
    erased: str
    everything: str
    erase_refused: str
    erase_cancelled: str
    save_this: str
    accepted: str
    topics: str
    no_answer: str


class Questions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The questions that wait for a person's answer, one for each form."""

    save: str
    value: str
    confirm: str
    which_forget: str
    which_suppress: str
    which_correct: str
    which_erase: str
    forget: str
    suppress: str
    erase: str
    person: str


class ReplyFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`replies.toml`: everything that Rememora says to a person."""

    responder: ResponderReplies
    told: ActionReplies
    questions: Questions


class FactRule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A rule of the gate that reads a canonical attribute; `gate/rules/facts.toml` says which ones are weak."""

    key: str
    kind: str
    patterns: str
    cue: str = ""
    firm: bool = False
    """Whether it holds although something momentary is said beside it."""


class FactFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`facts.toml`, for a language with rules of its own for the canonical attributes."""

    everything: str = ""
    """Words that ask to forget everything."""
    named: dict[str, str] = {}
    """Patterns of what people say to point at an attribute, by key."""
    rule: tuple[FactRule, ...] = ()


class PhraseFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`phrases.toml`: words that patterns are made with, by name; a pack may leave names out, or the file."""

    phrases: dict[str, str] = {}


class LexiconFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`lexicon.toml`: words by class, for the frames of the gate; a pack may leave classes out, or the file."""

    classes: dict[str, str] = {}

    def __post_init__(self) -> None:
        """Refuse a stem that would never match."""
        _check_stems(self.classes)


class GateFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`gate.toml`: words for the rules of the gate, by name; a pack may leave names out, or the file."""

    words: dict[str, str] = {}
    """Alternatives, for a place inside a pattern."""
    lines: dict[str, str] = {}
    """Whole patterns, one a line."""
    lists: dict[str, str] = {}
    """Plain words, compared whole."""
    pairs: dict[str, Pairs] = {}
    """Plain words, each with what it means."""


class FigureFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`figures.toml`: words by which figures are understood; a pack may leave names out, or the file."""

    lists: dict[str, str] = {}
    """Plain words and phrases, by what they say of the figure beside them."""
    metrics: dict[str, str] = {}
    """How people say what is measured, by the name that it counts under."""


class TopicFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`topics.toml`: words that are no topic, and words beside which one stands; each list is optional."""

    lists: dict[str, str] = {}


class CueFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`cues.toml`: what makes a sentence worth keeping; a pack may leave names out, or the file."""

    patterns: dict[str, str] = {}
    """Alternatives of a pattern, by kind of sentence."""
    lists: dict[str, str] = {}
    """Plain words, compared whole."""


class LengthFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`answer_length.toml`: how people ask for shorter or longer answers; optional, as a whole and in part."""

    parts: dict[str, str] = {}
    """Alternatives for the place of `{name}` in a request."""
    hints: dict[str, str] = {}
    """A piece of some word that each request has."""
    requests: dict[str, str] = {}
    """Whole patterns, one a line, beside those of every language."""


class OrderWords(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Words of orders in a language without a pack, as `lexicon.toml` and `gate.toml` of a pack have them."""

    classes: dict[str, str] = {}
    words: dict[str, str] = {}
    lines: dict[str, str] = {}

    def __post_init__(self) -> None:
        """Refuse a stem that would never match."""
        _check_stems(self.classes)


class ReasonFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`reasons.toml`: why something is saved, asked about, refused or quarantined, by code."""

    reasons: dict[str, str]


File = TypeVar("File", bound=msgspec.Struct)


def _check_stems(classes: Mapping[str, str]) -> None:
    """Refuse a stem that would never match, because of its length or because a phrase begins with it."""
    for name, text in classes.items():
        for entry in text.replace("\n  ", "").split("|"):
            if _never_matches(entry.split()):
                message = (
                    f"`{entry}` in `{name}` would never match: a stem has {STEM_LETTERS[0]} to {STEM_LETTERS[-1]} "
                    f"letters, as the second word of a phrase at least {_STEM_IN_PHRASE}, and opens no phrase"
                )
                raise ValueError(message)


def _never_matches(words: list[str]) -> bool:
    """Return whether an entry has a stem that is not looked up."""
    stems = [len(word) - 1 if word.endswith("*") else None for word in words[:2]]
    match stems:
        case [int(letters)]:
            return letters not in STEM_LETTERS
        case [first, second]:
            return first is not None or (second is not None and second < _STEM_IN_PHRASE)
    return False


def parse(text: str, kind: type[File], suffix: str) -> File:
    """Read a file of a pack; an error names the field that is wrong."""
    if suffix == ".json":
        return msgspec.json.decode(text, type=kind)
    return msgspec.toml.decode(text, type=kind, dec_hook=_read)


def _read(kind: type, written: Any) -> Any:
    """Decode the strings that hold words, numbers and pairs."""
    if not isinstance(written, str):
        message = f"expected a string of words, got {type(written).__name__}"
        raise ValueError(message)
    if kind is Words:
        return Words(fold(written).split())
    # Packs hold tables as `word=other word=other`, which a translator can read and edit in one line.
    pairs = [(word, other) for word, _, other in (pair.partition("=") for pair in written.split())]
    if not all(other for _, other in pairs):
        message = "expected pairs such as `word=other`"
        raise ValueError(message)
    return Pairs(pairs) if kind is Pairs else Numbered({fold(word): int(value) for word, value in pairs})
