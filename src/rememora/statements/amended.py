"""Puts the new value of a statement in the place of the old one, so that the rest of what was said stays.

"Pacote prata: 6 horas, 5 garçons, 3.100 reais" and "no prata agora são 7 garçons" become one statement with seven
waiters. Of several values of one kind the one is meant that stands beside a word of the new statement, counts the
same thing, or is named there itself ("10:15, not 10:30").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import msgspec

from rememora.language import fold
from rememora.language.phrases import phrase
from rememora.language.wordlists import is_idle
from rememora.reading.results import MessageReading
from rememora.statements.values import TypedValue, values_of

STEM: Final = 5
# Points of an old value beside one for each shared word: it counts the same thing, or is said again itself.
_COUNTS_THE_SAME: Final = 2.0
_NAMED: Final = 3.0
_MOST_LEFT: Final = 3
"""Words of the new statement beyond its value with which it still says nothing of its own."""
_WORD: Final = re.compile(r"[^\W_]+")
_JOINT: Final = phrase(r"[,;.()](?=\s|$|[\w(])\s*+|(?<!\s)\s++(?:{and}|{but})\s++")
_PRONOUN: Final = phrase(r"{third_person}\b")
_MOVED_TO: Final = phrase(r"\b{moved_to}$")
"""Words before a place that somebody went to: it takes nobody's place in a statement."""
_IS: Final = phrase(r"\b{be}\b")
"""A verb that makes a clause of a name: "agora é a Naira"."""
_NOT: Final = phrase(r"\b{in_place_of}$")
"""Words before a value that does not hold any more, or never did."""
_DIGITS: Final = re.compile(r"\d+")
_NUMBER: Final = re.compile(r"\d[\d.,]*")
_SCALE: Final = phrase(r" ?(?:{scale}|k)$")
_SMALL: Final = 3
_THOUSANDS: Final = re.compile(r"[.,](?=\d{3}(?:\D|$))")
_ARTICLE: Final = re.compile(r"\b([oa])\s(?:(?:\w+\.? )?)$")
_APART: Final = 0.5
"""Weight of a word that stands behind the new value, or before another one: it often says of what else."""
_MAGNITUDE: Final = 0.5
"""Points for a figure of like size, and off for one of another size: less than a shared word counts."""
_LIKE_SIZE: Final = 2.5
_OTHER_SIZE: Final = 10.0
"""Ratios of two figures up to which they are of a like size, and from which they are not."""


class Amendment(msgspec.Struct, frozen=True):
    """A statement with a new value, and whether the new statement says nothing beyond it."""

    text: str
    whole: bool
    replaced: tuple[str, ...] = ()
    """The old values, folded."""


def amended(old: str, new: str) -> Amendment | None:
    """Return the old statement with the values of the new one; None where no value has its place in it."""
    places = placed_values(old, new)
    if not places:
        return None
    text = old
    # From the end to the beginning, so that places before stay right.
    for target, value in sorted(places, key=lambda pair: -pair[0].start):
        head = (
            _with_article(text[: target.start], new[: value.start])
            if value.kind == "name"
            else text[: target.start]
        )
        text = f"{head}{_written(target, value)}{text[target.end :]}"
    replaced = tuple(fold(target.text) for target, _ in places)
    whole = len(places) == len(fresh_values(old, new)) and _says_no_more(old, new, places)
    return Amendment(text, whole, replaced)


def placed_values(old: str, new: str) -> list[tuple[TypedValue, TypedValue]]:
    """Pair the values of a statement with those of a newer one that take their place."""
    before, said = values_of(old), values_of(new)
    fresh = fresh_values(old, new) if before else []
    places = _denied_places(before, fresh, said, fold(new))
    for value in fresh:
        if all(value != put for _, put in places):
            target = _target(value, old, before, new, said)
            if target is not None and all(target is not taken for taken, _ in places):
                places.append((target, value))
    return places


def _denied_places(
    before: Sequence[TypedValue], fresh: Sequence[TypedValue], said: Sequence[TypedValue], new: str
) -> list[tuple[TypedValue, TypedValue]]:
    """Pair each known value that is said not to hold with a new one beside it: "it's Tad, not Todd"."""
    places = []
    for old in before:
        at = _denied_at(old, new)
        if at is None:
            continue
        rivals = [value for value in said if value.kind == old.kind and not is_same_value(value, old)]
        nearest = min(rivals, key=lambda value: min(abs(value.start - at), abs(value.end - at)), default=None)
        if nearest is not None and nearest in fresh:
            places.append((old, nearest))
    return places


def fresh_values(old: str, new: str) -> list[TypedValue]:
    """Return the values of a newer statement that the old one has not."""
    before = values_of(old)
    return [
        value
        for value in values_of(new)
        if not value.opens and not any(is_same_value(value, other) for other in before)
    ]


def is_covered(old: str, new: str) -> bool:
    """Return whether a new statement names all that an older one is about, so that nothing of it would be lost."""
    words = words_of(old) - {word for value in values_of(old) for word in words_of(value.text)}
    return words <= words_of(new)


def _target(
    value: TypedValue, old: str, before: Sequence[TypedValue], new: str, values: Sequence[TypedValue]
) -> TypedValue | None:
    """The value of the old statement that a new one takes the place of."""
    kept = _named_again(before, values)
    rivals = [other for other in before if other.kind == value.kind and not _counts_another(value, other)]
    if value.kind == "name":
        left = [other for other in rivals if other.start in kept and _leaves(other, value, new, values)]
        if left:
            return left[0] if len(left) == 1 else None
        rivals = [other for other in rivals if other.start not in kept]
    if not rivals:
        return None
    scores = _scores(value, rivals, old, before, new, values)
    best = max(scores)
    # Two places fit equally well, or nothing ties a value to a place: a wrong guess would falsify the
    # statement, so it is kept beside the new one.
    if scores.count(best) > 1 or (best <= 0 and (len(rivals) > 1 or value.kind == "name")):
        return None
    return rivals[scores.index(best)]


def _scores(
    value: TypedValue,
    rivals: Sequence[TypedValue],
    old: str,
    before: Sequence[TypedValue],
    new: str,
    said: Sequence[TypedValue],
) -> list[float]:
    """Score each old value: words beside it that the new statement says, what it counts, its own mention."""
    new_words = words_of(new) - words_of(value.text)
    kept = _named_again(before, said)
    earlier = [other.end for other in said if other.kind == value.kind and other.end <= value.start]
    leading = words_of(new[max(earlier, default=0) : value.start])
    near = [words_beside(rival, old, before) & new_words for rival in rivals]
    return [
        # A word that stands beside several values tells them apart less: it counts by how few it is near to.
        sum((1 if word in leading else _APART) / sum(word in other for other in near) for word in words)
        + _COUNTS_THE_SAME * bool(value.unit and value.unit == rival.unit)
        + _NAMED * (rival.start in kept and value.kind != "name")
        + _MAGNITUDE * _as_large(value, rival)
        for rival, words in zip(rivals, near, strict=True)
    ]


def _named_again(before: Sequence[TypedValue], said: Sequence[TypedValue]) -> set[int]:
    """Return the places of old values that the new statement says too."""
    return {other.start for other in before if any(is_same_value(other, value) for value in said)}


def _as_large(one: TypedValue, other: TypedValue) -> int:
    """1 for figures of a like size, -1 for sizes far apart: 2.050 is the price, and not the number of waiters."""
    first, second = _amount(one), _amount(other)
    if first <= 0 or second <= 0:
        return 0
    ratio = max(first, second) / min(first, second)
    return 1 if ratio <= _LIKE_SIZE else -1 if ratio >= _OTHER_SIZE else 0


def _amount(value: TypedValue) -> float:
    number = _NUMBER.search(value.text) if value.kind == "figure" else None
    plain = _THOUSANDS.sub("", number[0].rstrip(".,")).replace(",", ".") if number else ""
    return float(plain) if plain.replace(".", "", 1).isdigit() else 0.0


def words_beside(value: TypedValue, text: str, values: Sequence[TypedValue]) -> set[str]:
    """The words that say what a value is of: its clause, and what stands between it and the value before it."""
    start, end = 0, len(text)
    for match in _JOINT.finditer(text):
        if match.end() <= value.start:
            start = match.end()
        elif match.start() >= value.end:
            end = match.start()
            break
    earlier = [other for other in values if other.kind == value.kind and other.end <= value.start]
    if earlier and earlier[-1].start >= start:
        # Two values in one clause ("Mossoró é a Fátima"): the first says what the second is of.
        start = earlier[-1].start if value.kind == "name" else earlier[-1].end
        end = value.end
    elif earlier and value.kind != "name":
        start = min(start, earlier[-1].end)
    elif value.kind != "name":
        start = min(start, text.rfind(":", 0, start) + 1 if ":" in text[:start] else 0)
    return words_of(text[start : value.start]) | words_of(text[value.end : end])


def _leaves(old: TypedValue, value: TypedValue, new: str, values: Sequence[TypedValue]) -> bool:
    """Return whether a known name goes and another comes: each in a clause of its own, no pronoun taking it up.

    A name that is a clause by itself explains the word before it: "o contato de um atravessador, Tonico, 98844".
    """
    place = next((word for word in values if is_same_value(word, old)), None)
    if place is None or place.start > value.start:
        return False
    if _MOVED_TO.search(fold(new[: value.start])):
        return False
    between = list(_JOINT.finditer(new, place.end, value.start))
    if not between or _PRONOUN.match(fold(new[between[-1].end() :])):
        return False
    ends = _JOINT.search(new, value.end)
    clause = new[between[-1].end() : value.start] + new[value.end : ends.start() if ends else len(new)]
    return bool(words_of(clause)) or _IS.search(clause) is not None


def _denied_at(old: TypedValue, new: str) -> int | None:
    """Return where a folded statement says that a known value does not hold."""
    day = _DIGITS.search(old.text) if old.day_only else None
    spelled = re.escape(day[0] if day else fold(old.text))
    places = (place.start() for place in re.finditer(rf"\b{spelled}\b", new))
    return next((at for at in places if _NOT.search(new, 0, at)), None)


def _counts_another(one: TypedValue, other: TypedValue) -> bool:
    """Return whether two figures count different things: "48 apartamentos" is no price."""
    return one.kind == "figure" and bool(one.unit and other.unit) and one.unit != other.unit


def is_same_value(one: TypedValue, other: TypedValue) -> bool:
    """Return whether two values are the same, a name also by one of its words."""
    if one.kind != other.kind:
        return False
    first, second = words_of(one.text, all_words=True), words_of(other.text, all_words=True)
    if one.kind == "name":
        return bool(first & second)
    return first == second or (one.kind == "weekday" and (first <= second or second <= first))


def _with_article(before: str, text: str) -> str:
    """The words before a name, with the article that the new name has: "o Ademar", "a Josiane"."""
    old, new = _ARTICLE.search(before), _ARTICLE.search(text)
    return before if old is None or new is None else f"{before[: old.start(1)]}{new[1]}{before[old.end(1) :]}"


def _written(target: TypedValue, value: TypedValue) -> str:
    """A new value as the old one was written: with its month, its currency and its scale."""
    day = _DIGITS.search(value.text) if value.day_only and not target.day_only else None
    if day is not None:
        return _DIGITS.sub(day[0], target.text, count=1)
    if value.kind == "figure" and (number := _NUMBER.search(target.text)) and _NUMBER.fullmatch(value.text):
        small = len(_DIGITS.findall(value.text)[0]) == len(value.text) <= _SMALL
        tail = target.text[number.end() :] if small or not _SCALE.search(target.text) else ""
        return f"{target.text[: number.start()]}{value.text}{tail}"
    return value.text


def is_within(new: str, text: str) -> bool:
    """Return whether an edited statement says all that a newer one does, but for a word."""
    words = words_of(text, all_words=True)
    fresh = {word for value in values_of(new) for word in words_of(value.text, all_words=True)}
    return fresh <= words and len(words_of(new) - words) <= 1


def says_values(spoken: MessageReading, new: str, text: str) -> bool:
    """Return whether an edited statement has every value that the reader sees in a newer one.

    "A G subiu pra 25, as outras continuam" says nothing beside 25, and nothing to whoever reads it alone.
    """
    read = [value.text for statement in spoken.statements for value in statement.values]
    said = {word for value in (*read, *(value.text for value in values_of(new))) for word in words_of(value)}
    return bool(read) and said <= words_of(text, all_words=True)


def _says_no_more(old: str, new: str, places: Sequence[tuple[TypedValue, TypedValue]]) -> bool:
    """Return whether a newer statement says nothing beyond the values that were put into the old one."""
    values = {word for _, value in places for word in words_of(value.text)}
    return len(words_of(new) - words_of(old) - values) <= _MOST_LEFT


def words_of(text: str, *, all_words: bool = False) -> set[str]:
    """Stems of the words that say something; a capital letter by itself ("G") names a size, other than "I"."""
    return {
        fold(word)[:STEM]
        for word in _WORD.findall(text)
        if all_words or not is_idle(fold(word)) or (len(word) == 1 and word.isupper() and word != "I")
    }
