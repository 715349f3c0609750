"""Compares what is said now with what is known: does it replace a statement, make a rule true, put one in doubt?

Small networks over features that need no reading of the known statement but its words, its attribute and its
subject, so that hundreds can be compared in a millisecond. Where a sentence encoder is at hand, `comparison.py`
looks at the likeliest of them again, and rules are compared by the directions of whole texts too (`rule_meaning`).
`tools/train_links.py` makes the weights from scenarios in `data/reading/links/`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
import numpy as np

from rememora.caches import person_cache
from rememora.language import fold
from rememora.language.packs import calendar_of
from rememora.language.phrases import phrase, plain_words
from rememora.language.word_patterns import WORD
from rememora.language.wordlists import is_idle
from rememora.reading.network import load_network
from rememora.reading.results import MessageReading
from rememora.reading.tokens import Floats
from rememora.statements.meaning import Meaning, nearness
from rememora.statements.values import values_of

WEIGHTS: Final = Path(__file__).with_name("links.npz")
STEM: Final = 5
NUMBERS: Final = 64
ALIGNED: Final = 5
_CAPITAL = re.compile(r"(?<!^)(?<![.!?…\n:] )(?<![.!?…\n:])\b[A-ZÀ-Ý][\w'-]+")
_TOUCHING: Final = ("change", "correct", "forget", "hush", "erase", "tell", "doubt", "undo")
_NOT_TOLD: Final = ("ask", "request", "unreal", "doubt", "passing", "chat", "tell", "change")
_NO: Final = phrase(r"\b(?:{negation}|{no})\b")
_NOT: Final = phrase(r"\b{negation}\b")
"""As `_NO`, without the word that is a preposition in Portuguese: "saiu no jornal"."""
_DOWN: Final = phrase(r"\b{down}\b")
# Words that name a reason or a place that a fact depends on: if that changes, the fact is in doubt.
_BECAUSE: Final = phrase(r"\b{rests_on}\b")
_PARTED: Final = phrase(r"\b{parted}\b")
"""Words that tell that somebody or something is gone, or has become another: what rested on it may not hold."""
_DAYS: Final = frozenset(name[:STEM].lower() for name in calendar_of("en").weekday_names)
"""Names that two statements share by chance."""
_LONG_NUMBER: Final = 9
LAYERS: Final = 3
MEMBERS: Final = 3
"""Networks of each kind, trained from different beginnings, whose mean counts: one alone varies by chance."""
MOST_SURE: Final = 30.0
Net = Literal["touch", "rule", "doubt", "rule_meaning"]
_SMALL: Final = plain_words("small")


class ComparedStatement(msgspec.Struct, frozen=True, kw_only=True):
    """A statement as it is compared: its words, its names and figures, and what it is about."""

    text: str
    stems: frozenset[str]
    names: frozenset[str]
    figures: frozenset[str]
    vector: Any
    """The direction of its words together."""
    words: Any
    """The direction of each of its words that has one, a row each."""
    kinds: frozenset[str] = frozenset()
    """Kinds of the values it holds: a date, a time, a figure …"""
    units: frozenset[str] = frozenset()
    """Stems of the words that its figures count."""
    attribute: str = "other"
    subject: str = ""
    names_its_reason: bool = False
    """Whether it says what it rests on: why, or near what."""

    @property
    def words_said(self) -> frozenset[str]:
        """Its words and its names."""
        return self.stems | self.names


@person_cache(maxsize=1024)
def known(text: str, *, attribute: str = "other", subject: str = "") -> ComparedStatement:
    """Describe a statement by its own words."""
    words = [fold(word) for word in WORD.findall(text)]
    content = [word for word in words if not is_idle(word)]
    names = frozenset(fold(match[0])[: STEM + 2] for match in _CAPITAL.finditer(text))
    directions = _directions(content)
    values = values_of(text)
    mean = directions.mean(axis=0) if len(directions) else np.zeros(NUMBERS, np.float32)
    return ComparedStatement(
        text=text,
        stems=frozenset(word[:STEM] for word in content if not word[0].isdigit()),
        names=names,
        figures=frozenset(word for word in words if word[0].isdigit()),
        vector=mean / (np.linalg.norm(mean) + 1e-6),
        words=directions,
        kinds=frozenset(value.kind for value in values if not value.opens),
        units=frozenset(value.unit for value in values if value.unit),
        attribute=attribute,
        subject=fold(subject),
        names_its_reason=_BECAUSE.search(fold(text)) is not None,
    )


def _directions(words: Sequence[str]) -> Floats:
    """The direction of each word that is in the vocabulary."""
    network = load_network()
    rows = [network.vocabulary[word] for word in dict.fromkeys(words) if word in network.vocabulary]
    if not rows:
        return np.zeros((0, NUMBERS), np.float32)
    vectors = network.vectors(rows)
    directions: Floats = vectors / (np.linalg.norm(vectors, axis=1, keepdims=True) + 1e-6)
    return directions


def aligned(statement: ComparedStatement, others: Sequence[ComparedStatement]) -> Floats:
    """Align the words of a statement with those of others, one row for each other.

    Each word is compared with the nearest word of the other side: the mean and the worst of the new statement, the
    mean and the worst of the other, and the best pair.
    """
    out = np.zeros((len(others), ALIGNED), np.float32)
    worded = [at for at, other in enumerate(others) if len(other.words)]
    if not len(statement.words) or not worded:
        return out
    # One product for all of them: a column for each of their words.
    sizes = np.array([len(others[at].words) for at in worded])
    starts = np.cumsum(sizes) - sizes
    table = statement.words @ np.concatenate([others[at].words for at in worded]).T
    mine, theirs = np.maximum.reduceat(table, starts, axis=1), table.max(axis=0)
    means = np.add.reduceat(theirs, starts) / sizes
    lows = np.minimum.reduceat(theirs, starts)
    out[worded] = np.stack([mine.mean(axis=0), mine.min(axis=0), means, lows, mine.max(axis=0)], axis=1)
    return out


def features(spoken: MessageReading, statement: ComparedStatement, others: Sequence[ComparedStatement]) -> Floats:
    """One row for each known statement, the newest last: how it resembles what was said, alone and among all."""
    count = len(others)
    counts = np.array([_counts(statement, other) for other in others], np.float32)
    shared, sizes, names, unnamed, new_names, figures, has_figures, vague, subjects = counts.T
    close = np.stack([other.vector for other in others]) @ statement.vector
    same = np.array([spoken.attribute_chance(other.attribute) for other in others], np.float32)
    cover = (shared / max(1, len(statement.stems))).astype(np.float32)
    recent = 1 / (1 + np.arange(count, dtype=np.float32)[::-1])
    acts = [spoken.chance(act) for act in _TOUCHING]
    rows = [
        shared / 4, cover, shared / sizes, np.minimum(names, 3) / 3, np.minimum(unnamed, 3) / 3,
        np.minimum(new_names, 3) / 3, figures > 0, has_figures * float(bool(statement.figures)), close, same,
        vague, subjects, recent, _lead(shared), _lead(cover), _lead(close), _lead(same), _lead(names),
        (close == close.max()).astype(np.float32), same * subjects, same * close, cover * (subjects > 0),
    ]  # fmt: skip
    constant = [
        *acts, float(bool(statement.names)), float(bool(statement.figures)), min(len(statement.stems), 8) / 8,
        1 / count,
    ]  # fmt: skip
    rows += _same_kinds(statement, others)
    near = aligned(statement, others)
    rows += [*near.T, _lead(near[:, 0]), _lead(near[:, 2])]
    table = np.stack([np.asarray(row, np.float32) for row in rows], axis=1)
    whole: Floats = np.concatenate([table, np.tile(np.array(constant, np.float32), (count, 1))], axis=1)
    return whole


def _counts(statement: ComparedStatement, other: ComparedStatement) -> tuple[float, ...]:
    """Count the words, names and figures that two statements share and do not share."""
    named = len(statement.names & (other.names | other.stems)) if statement.names else 0
    return (
        len(statement.stems & other.stems),
        max(1, len(other.stems)),
        named,
        len(other.names - statement.names - statement.stems) if other.names else 0,
        len(statement.names) - named,
        len(statement.figures & other.figures),
        bool(other.figures),
        other.attribute in ("other", ""),
        _same_subject(statement.subject, other.subject),
    )


def _same_kinds(statement: ComparedStatement, others: Sequence[ComparedStatement]) -> list[Floats]:
    """Rows that say whether both statements hold values of one kind, and figures that count one thing."""
    plain = statement.kinds - {"name"}
    shared = [len(plain & other.kinds) / max(1, len(plain)) for other in others]
    foreign = [float(bool(plain) and not plain & other.kinds) for other in others]
    counted = [float(bool(statement.units & other.units)) for other in others]
    other_unit = [
        float(bool(statement.units and other.units) and not statement.units & other.units) for other in others
    ]
    return [np.array(row, np.float32) for row in (shared, foreign, counted, other_unit)]


def _lead(values: Floats) -> Floats:
    """Return the distance of each value to the best of the others."""
    if len(values) == 1:
        return np.ones(1, np.float32) * values
    first, second = np.partition(values, -2)[-1], np.partition(values, -2)[-2]
    best_other = np.where(values == first, second, first)
    lead: Floats = (values - best_other).astype(np.float32)
    return lead


def _same_subject(one: str, other: str) -> float:
    """1 for the same subject, -1 for another, 0 where either is not known; a part of a whole name is the same."""
    if not one or not other:
        return 0.0
    if one == other or set(one.split()) & set(other.split()) - _SMALL:
        return 1.0
    return -1.0


def rule_features(
    spoken: MessageReading, statement: ComparedStatement, conditions: Sequence[ComparedStatement]
) -> Floats:
    """One row for each condition of a rule: does what is said make it true, or end it?

    "Interditaram a ponte" and "liberaram a ponte" share the same words with "a ponte estiver interditada"; the
    words that they do not share tell which of both it is.
    """
    rows = [
        [
            len(statement.stems & condition.stems) / max(1, len(condition.stems)),
            float(bool(condition.names))
            * len(statement.names & (condition.names | condition.stems))
            / max(1, len(condition.names)),
            *_reached(statement, condition),
            float(_denies(statement.text)),
            float(_denies(condition.text)),
            float(_denies(statement.text) != _denies(condition.text)),
            *(spoken.chance(act) for act in _NOT_TOLD),
            float(statement.text.rstrip().endswith("?")),
            *_unshared(statement, condition),
            *_unshared(condition, statement),
        ]
        for condition in conditions
    ]
    whole: Floats = np.concatenate([features(spoken, statement, conditions), np.array(rows, np.float32)], axis=1)
    return whole


def _unshared(one: ComparedStatement, other: ComparedStatement) -> Floats:
    """The direction of the words of a statement that another one does not have."""
    words = (fold(word) for word in WORD.findall(one.text))
    directions = _directions([word for word in words if word[:STEM] not in other.stems and not is_idle(word)])
    mean = directions.mean(axis=0) if len(directions) else np.zeros(NUMBERS, np.float32)
    direction: Floats = mean / (np.linalg.norm(mean) + 1e-6)
    return direction


def _reached(statement: ComparedStatement, condition: ComparedStatement) -> tuple[float, float, float]:
    """Return whether a figure reaches the one in a condition, falls short of it, or neither has one."""
    needed, amounts = _amounts(condition.figures), _amounts(statement.figures)
    if not needed or not amounts:
        return 0.0, 0.0, float(bool(needed))
    reaches = max(amounts) >= min(needed)
    if _DOWN.search(fold(condition.text)):
        reaches = min(amounts) <= max(needed)
    return float(reaches), float(not reaches), 1.0


def _amounts(figures: frozenset[str]) -> list[float]:
    digits = ("".join(char for char in figure if char.isdigit()) for figure in figures)
    return [float(digit) for digit in digits if digit and len(digit) < _LONG_NUMBER]


def _denies(text: str) -> bool:
    return _NO.search(fold(text)) is not None


def denies_other(one: ComparedStatement, other: ComparedStatement) -> bool:
    """Check whether one of two statements has a "not" that the other has not."""
    return (_NOT.search(fold(one.text)) is None) != (_NOT.search(fold(other.text)) is None)


def tells_parting(statement: ComparedStatement) -> bool:
    """Check whether a message tells that somebody left, or that something was sold, ended or became another."""
    return _PARTED.search(fold(statement.text)) is not None


def shared_names(one: ComparedStatement, other: ComparedStatement) -> frozenset[str]:
    """The beginnings of the words that both say and that are a name in either."""
    named = frozenset(name[:STEM] for name in one.names | other.names)
    return (named & one.stems & other.stems) - _DAYS


def doubt_features(rows: Floats, others: Sequence[ComparedStatement], touched: Floats) -> Floats:
    """One row for each known statement: does it rest on what is said to have changed?

    `rows` are the `features` of the message and these statements. `touched` is the chance that each is itself
    replaced: what shares a name or a word with a replaced statement mostly rests on it.
    """
    columns = {word: at for at, word in enumerate(frozenset().union(*(other.words_said for other in others)))}
    stems = _marked([other.stems for other in others], columns)
    named = _marked([other.names for other in others], columns)
    shared, names = stems @ stems.T, np.maximum(stems, named) @ named.T
    np.fill_diagonal(shared, 0)
    np.fill_diagonal(names, 0)
    near = [
        (np.minimum(shared, 3) / 3 * touched).max(axis=1),
        (np.minimum(names, 2) / 2 * touched).max(axis=1),
        touched,
        np.full(len(others), touched.max(), np.float32),
        np.array([float(other.names_its_reason) for other in others], np.float32),
    ]
    whole: Floats = np.concatenate([rows, np.stack(near, axis=1)], axis=1)
    return whole


def _marked(sets: Sequence[frozenset[str]], columns: Mapping[str, int]) -> Floats:
    """A row for each set of words, with a one in the column of each of its words."""
    out = np.zeros((len(sets), len(columns)), np.float32)
    # One assignment for all: one for each row takes longer than the rest of the comparison.
    places = [(at, columns[word]) for at, words in enumerate(sets) for word in words]
    if places:
        rows, marked = zip(*places, strict=True)
        out[rows, marked] = 1
    return out


def meaning_features(
    meaning: Meaning, space: Space, statement: ComparedStatement, others: Sequence[ComparedStatement]
) -> Floats:
    """One row for each known statement: how near its meaning is to what is said, and what both are about.

    What they are about are the main directions of the training texts; their products let the network learn that a
    new job touches an old one although no word is shared.
    """
    texts = [other.text for other in others]
    whole, best = nearness(meaning, statement.text, texts)
    mine, theirs = space.project(meaning.rows([statement.text])), space.project(meaning.rows(texts))
    rows = [whole, best, _lead(whole), _lead(best), best == best.max()]
    near = np.stack([np.asarray(row, np.float32) for row in rows], axis=1)
    joined: Floats = np.concatenate([near, np.repeat(mine, len(others), axis=0), theirs, mine * theirs], axis=1)
    return joined


class Space(msgspec.Struct, frozen=True):
    """The main directions of texts in an encoder's space."""

    mean: Any
    base: Any
    """A row for each main direction, scaled so that texts spread by one along it."""

    def project(self, rows: Floats) -> Floats:
        """Texts along the main directions."""
        projected: Floats = ((rows - self.mean) @ self.base.T).astype(np.float32)
        return projected


class Links:
    """The trained comparisons, by name; those ending in `_meaning` look at directions of whole texts too."""

    def __init__(self, arrays: Mapping[str, Any]) -> None:
        self._arrays = {name: value.astype(np.float32) for name, value in arrays.items()}

    @property
    def space(self) -> Space:
        """The main directions that the networks were trained along."""
        return Space(self._arrays["space.mean"], self._arrays["space.base"])

    def chances(self, rows: Floats, net: Net = "touch") -> Floats:
        """One row for each known statement.

        `touch`: the chance that it is replaced, and that only a part of it is. `rule`: that its condition has come
        true, and that it holds no longer. `doubt`: that it rests on what changed.
        """
        members = [self._chances(rows, f"{net}{member}") for member in range(MEMBERS)]
        mean: Floats = np.mean(members, axis=0)
        return mean

    def _chances(self, rows: Floats, member: str) -> Floats:
        x = (rows - self._arrays[f"{member}.mean"]) / self._arrays[f"{member}.spread"]
        for number in range(LAYERS):
            x = x @ self._arrays[f"{member}.w{number}"] + self._arrays[f"{member}.b{number}"]
            if number < LAYERS - 1:
                x = np.maximum(x, 0)
        chances: Floats = 1 / (1 + np.exp(-np.clip(x, -MOST_SURE, MOST_SURE)))
        return chances


@cache
def load_links() -> Links:
    """The weights that ship with the package."""
    with np.load(WEIGHTS, allow_pickle=False) as arrays:
        return Links({name: arrays[name] for name in arrays.files})
