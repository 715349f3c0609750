"""Takes back what a speaker takes back in the same breath: "quarta, não, minto, quinta" says "quinta".

People who dictate or chat correct themselves as they go: something is said, a few words take it back, and what
holds follows. A text that keeps both says something false. Three kinds of words come between, from the packs:

- words that take back ("minto", "scratch that"). What goes is found by the word with which the speaker starts
  again ("gasto quarenta e oito litros, não, peraí, quarenta e dois"), or by its kind: the next words are a number,
  a day or a name, and the last of that kind stands right before;
- words that often only add something ("aliás", "quer dizer", "I mean") or mean other things as well ("desculpa",
  "actually"): only between two values of one kind, the second of which stands alone or counts the same things, and
  never before "também";
- the word itself and a negation: "o Renato, Renato não, o Ricardo".

Without such signs nothing is changed: "eu não minto para clientes" takes nothing back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

import msgspec

from rememora.language import fold
from rememora.language.packs import CODES, calendar_of
from rememora.language.phrases import phrase, plain_words
from rememora.language.sentences import ends_sentence
from rememora.language.wordlists import TITLES, is_idle

_SIGN: Final = phrase(
    # What takes back; what may; a word again with a negation; the star of a chat: "às 14h *15h".
    r"(?<![^\W\d_])(?P<sure>{takes_back})(?![^\W\d_])[\s,.:…]*+(?![?!])"
    r"|(?<![^\W\d_])(?P<either>{restates})(?![^\W\d_])[\s,.:…]*+(?![?!])"
    r"|(?:(?P<fence>[,.;…(–—-])\s*|(?<![^\W\d_]))(?P<weak>{hesitates})(?![^\W\d_])[\s,.:…]*+(?![?!])"
    r"|(?<=[\s,.;…])(?P<again>[^\W\d_]{2,30}+) (?:{denies_word})(?:(?P<comma>,)\s*|\s)"
    r"|\s\*(?P<star>)(?=[^\s*]{1,40}+(?:\s[^*]{0,40})?\Z)",
    re.IGNORECASE,
)
_DENIED: Final = phrase(r"[^\W\d_]{2,30}+ (?:{denies_word})\b", re.IGNORECASE)
_DENIES: Final = phrase("{denies_word}")
_ADDS: Final = phrase(r"\b(?:{adds})\b")
_YES: Final = plain_words("affirms_word")
_AGAIN: Final = 7
"""Words before the repair among which a speaker starts again."""
_ECHO: Final = 3
"""Words before the repair among which the denied word stands."""
_NEAR: Final = 5
"""Words before the repair among which a value of the same kind stands."""
_MOST_IDLE: Final = 2
"""Small words before a value: "é na quinta"."""
# What is written together is one word here: a clock, a price, an address.
_WORDS: Final = re.compile(r"[^\W_]+(?:[.,:'’/-][^\W_]+)*")
_OPENS: Final = re.compile(r"[.!?\n][\s\"“(]{0,3}\Z")
_SENTENCE_END: Final = re.compile(r"[.;!?\n]")
_VALUE_END: Final = re.compile(r"(?: ?%)?\s{0,3}(?:[,.;:!?…)–—-]|\Z)")
_CLOCK: Final = re.compile(r"\d{1,2}(?:h\d{0,2}|:\d{2})|\d{1,2}[ap]m")
_DIGIT: Final = re.compile(r"\d")
_LINKS: Final = plain_words("and")
_NO_NAME: Final = frozenset(map(fold, plain_words("i_forms")))
_LARGE: Final = phrase("{number_word}")
_LEAST_NUMBER: Final = 2
"""Number words from this one up are numbers: "um" and "a" are articles."""


class Word(msgspec.Struct, frozen=True):
    """A word as written and folded, and its position."""

    text: str
    folded: str
    start: int
    end: int
    opens: bool
    """Whether it opens a sentence: its capital is no sign of a name."""


def repaired(text: str) -> str:
    """Return a text without what its speaker took back."""
    at = 0
    while (sign := _SIGN.search(text, at)) is not None:
        text, at = _without(text, sign)
    return text


def _without(text: str, sign: re.Match[str]) -> tuple[str, int]:
    """Return the text without what a sign takes back, and the place to go on from."""
    start, end = sign.span()
    before, after = _words(text, _sentence_start(text, start), start), _words(text, end)
    if sign["again"] is not None:
        cut = _echoed(before, sign["again"], after, fenced=sign["comma"] is not None)
        # "Five, no, sorry": the denial may open another sign.
        return (text, sign.end("again")) if cut is None else (text[:cut] + text[end:], cut)
    if _DENIED.match(text, end):
        # "Toño, perdón, Toño no, Beto": what denies comes next, and says more.
        return text, end
    sure, either = sign["sure"] is not None, sign["either"] is not None
    if not sure and _ADDS.search(fold(text[end : _clause_end(text, end)])):
        return text, end
    cut = _said_again(before, after[:1], alike=after[1:2] if either else ()) if sure or either else None
    old = None if cut is not None else _same_kind(before, after, text, sure=sure)
    # Without a comma before it, "desculpa" stands right behind the value: "às quatro desculpa quatro e meia".
    fenced = sign["weak"] is None or sign["fence"] is not None
    if old is not None and (fenced or _stands_behind(before, old[1], sign["weak"])):
        return _with_value(text, before, after, old, start)
    if sure and cut is None:
        cut = _said_again(before, [word for word in after[1:2] if not is_idle(word.folded)])
    # "7, não, minto, 8": words that take nothing back may open others that do.
    return (text, start + 1) if cut is None else (text[:cut] + text[end:], cut)


def _clause_end(text: str, at: int) -> int:
    stop = _SENTENCE_END.search(text, at)
    return len(text) if stop is None else stop.start()


def _stands_behind(before: Sequence[Word], last: int, said: str) -> bool:
    """Check that words follow a figure or a day at once, and are no denial: "sábado não, domingo também não"."""
    return last == len(before) - 1 and _kind(before[last]) != "name" and _DENIES.fullmatch(fold(said)) is None


def _echoed(before: Sequence[Word], denied: str, after: Sequence[Word], *, fenced: bool) -> int | None:
    """Return where a word stands that is said again to deny it, with the small word before it.

    Without a comma only one value makes room for another of its kind: "dezenove litros, dezenove não dezesseis".
    """
    # "Sexta sim, sexta não" tells of every other Friday.
    if not before or not after or before[-1].folded in _YES:
        return None
    kind = _kind_of(fold(denied), denied)
    alike = kind != "" and _kind(after[0]) == kind
    near = range(max(0, len(before) - (_NEAR if alike else _ECHO)), len(before))
    places = [at for at in near if before[at].folded == fold(denied)]
    if not places or not (fenced or (alike and kind != "name")):
        return None
    at = places[-1]
    small = before[at - 1] if at > 0 and is_idle(before[at - 1].folded) and is_idle(after[0].folded) else None
    if small is not None and small.folded == after[0].folded:
        return small.start
    again = _said_again(before, after[:1])
    return again if again is not None else (small or before[at]).start


def _with_value(
    text: str, before: Sequence[Word], after: Sequence[Word], old: tuple[int, int], start: int
) -> tuple[str, int]:
    """Return the text with a value in the place of the old one; what stood behind that stays, and is said once."""
    first = _value_at(after)
    last = first + _run(after[first:]) - 1
    value, value_end = text[after[first].start : after[last].end], after[last].end
    if "(" in text[max(0, start - 1) : start + 1] and ")" in text[value_end:]:
        # "10% (aliás, 12%, erro meu)": the rest of the parenthesis is about the mistake.
        value_end = text.index(")", value_end) + 1
    kept_end = len(text[:start].rstrip(" ,.…?!(–—-"))
    kept, following = _words(text, before[old[1]].end, kept_end), _words(text, value_end)
    pairs = zip(kept, following, strict=False)
    same = next((at for at, pair in enumerate(pairs) if pair[0].folded != pair[1].folded), len(kept))
    same = min(same, len(following))
    head = f"{text[: before[old[0]].start]}{value}{text[before[old[1]].end : kept_end]}"
    return head + text[following[same - 1].end if same else value_end :], len(head)


def _words(text: str, start: int = 0, end: int | None = None) -> list[Word]:
    return [
        Word(word[0], fold(word[0]), word.start(), word.end(), _opens(text, word.start()))
        for word in _WORDS.finditer(text, start, len(text) if end is None else end)
    ]


def _opens(text: str, at: int) -> bool:
    """Check whether a sentence begins at a place, by the few signs before it."""
    return at == 0 or _OPENS.search(text, max(0, at - 4), at) is not None


def _sentence_start(text: str, at: int) -> int:
    """Return where the sentence begins in which a place lies; three dots are a pause."""
    ends = [
        mark.end()
        for mark in re.finditer(r"[.!?\n]", text[:at])
        if not text.startswith((".", "…"), mark.end())
        and text[max(0, mark.start() - 1)] != "."
        and (mark[0] == "\n" or ends_sentence(text, mark.start()))
        and _WORDS.search(text, mark.end(), at)
    ]
    return ends[-1] if ends else 0


def _said_again(before: Sequence[Word], after: Sequence[Word], *, alike: Sequence[Word] = ()) -> int | None:
    """Return the place of a word of the last few that the speaker says again.

    With a word `alike`, the one behind it has to be of the same kind: "na Agropalma, quer dizer, na Agrovale".
    """
    near = range(max(0, len(before) - _AGAIN), len(before))
    for word in after:
        for at in reversed(near):
            if before[at].folded == word.folded and all(
                at + 1 < len(before) and _kind(before[at + 1]) == _kind(other) != "" for other in alike
            ):
                return before[at].start
    return None


def _same_kind(before: Sequence[Word], after: Sequence[Word], text: str, *, sure: bool) -> tuple[int, int] | None:
    """Return the first and the last word of the last value of the kind of the next one, if it stands near."""
    at = _value_at(after)
    kind = _kind(after[at]) if at < len(after) else ""
    near = [place for place in range(max(0, len(before) - _NEAR), len(before)) if _kind(before[place]) == kind]
    if not kind or not near:
        return None
    first = last = near[-1]
    while first > 0 and (
        _kind(before[first - 1]) == kind
        or (first > 1 and before[first - 1].folded in _LINKS and _kind(before[first - 2]) == kind)
    ):
        first -= 1
    if not sure and not _stands_for(before[last + 1 :], after[at + _run(after[at:]) - 1 :], text, kind):
        return None
    return first, last


def _stands_for(behind: Sequence[Word], new: Sequence[Word], text: str, kind: str) -> bool:
    """Check that the new value stands alone, or before the word that stands behind the old one."""
    if _VALUE_END.match(text, new[0].end):
        return True
    return kind != "name" and len(new) > 1 and len(behind) > 0 and behind[0].folded == new[1].folded


def _value_at(words: Sequence[Word]) -> int:
    """Return the place of the first word that is no small one, within reach."""
    return next(
        (at for at, word in enumerate(words[: _MOST_IDLE + 1]) if _kind(word) or not is_idle(word.folded)),
        len(words),
    )


def _run(words: Sequence[Word]) -> int:
    """Return the number of words of one kind, with the words that link numbers: "quarenta e um"."""
    kind, at = _kind(words[0]), 1
    while at < len(words):
        linked = at + 1 < len(words) and words[at].folded in _LINKS and _counts_on(words[at + 1], kind)
        if _kind(words[at]) != kind and not linked:
            break
        at += 2 if linked else 1
    return at


def _counts_on(word: Word, kind: str) -> bool:
    return _kind(word) == kind or (kind == "number" and word.folded in _numbers(1))


def _kind(word: Word) -> str:
    """Return what kind of value a word is: a time, a number, a day, a name, or none."""
    return _kind_of(word.folded, "" if word.opens else word.text)


def _kind_of(folded: str, text: str) -> str:
    if _CLOCK.fullmatch(folded):
        return "time"
    if _DIGIT.search(folded) or folded in _numbers(_LEAST_NUMBER) or _LARGE.fullmatch(folded):
        return "number"
    if folded in _days():
        return "day"
    return "name" if text[:1].isupper() and folded not in _NO_NAME and folded not in TITLES else ""


@cache
def _numbers(least: int) -> frozenset[str]:
    tables = [calendar_of(code) for code in CODES]
    small = {word for table in tables for word, number in table.numbers.items() if number >= least}
    return frozenset(small.union(*(table.tens for table in tables)))


@cache
def _days() -> frozenset[str]:
    tables = [calendar_of(code) for code in CODES]
    return frozenset(word for table in tables for word in (*table.weekdays, *table.long_months, *table.days))
