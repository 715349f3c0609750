"""Figures with a meaning: metrics, thresholds and sums of money, in Brazilian and English notation."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import accumulate
from typing import Final

import msgspec

from rememora.knowledge.mentions.figure_words import any_of, figure_words
from rememora.knowledge.mentions.mention import TakenSpans, TextMention, mention
from rememora.knowledge.mentions.subjects import subject
from rememora.language.phrases import filled, phrase, plain_words

_NUMBER: Final = r"\d{1,15}(?:[.,]\d{1,15}){0,6}"
_SCALE: Final = filled(r"(?:\s?(?:{scale}|k|m)\b)?")
_CURRENCY: Final = filled(r"(?:{currency}|{money_slang})")
_MONEY: Final = rf"(?:r\$|us\$|[$€£])\s?{_NUMBER}{_SCALE}|{_NUMBER}{_SCALE}\s?{_CURRENCY}\b"
_PERCENT: Final = _NUMBER + filled(r"\s?(?:%|{percent}\b)")
_TIMES: Final = rf"{_NUMBER}x\b"
_VALUE: Final = rf"(?<![\w.,])(?:{_MONEY}|{_PERCENT}|{_TIMES}|{_NUMBER}{_SCALE})(?![\w%]|[:/-]\d)"
_MOST: Final = "≤ "
_LEAST: Final = "≥ "
# Names of figures whose text names nothing that they measure: of no language, as keys are.
_AMOUNT, _GOAL, _LIMIT, _MINIMUM = "amount", "goal", "limit", "minimum"
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_REACH = 40
_SENTENCE = 400
# Figures that are money by what was done with them: `paguei 150 mil na casa`, `sold it for 9k`.
_SUM: Final = phrase(rf"{_NUMBER}\s?(?:{{scale}}|k|m)|\d{{1,15}}(?:[.,]\d{{3}}){{0,6}}[.,]\d\d")
# After a verb of paying, a bare figure is money ("paguei 300").
_PAID: Final = phrase(r"(?<!\w){paid}(?:\s{roughly})?\s{0,4}$")
# What may follow a price. A noun there means that the figure counts things: "comprei 30 cadeiras".
_COUNTS_NOTHING: Final = phrase(r"\s*(?:$|[^\w\s]|\n|{after_price}(?!\w))")
# "de 10 para 12" and "from 10 to 12" report a change: the second figure is the value that holds.
_MOVES: Final = phrase(r"(?<!\w){moved_from}\s*$")
_VALUE_OF: Final = tuple(f"{word} " for word in plain_words("value_of"))
_UP_TO: Final = plain_words("up_to")
_APART: Final = phrase(r",|(?<!\w)(?:{and}|{but})(?!\w)")


class _Figure(msgspec.Struct, frozen=True):
    """A figure, and the measured thing if the text names it."""

    text: str
    span: tuple[int, int]
    value_at: int
    metric: str | None = None


def amounts(text: str, folded: str, *, people: frozenset[str] = frozenset()) -> Iterator[TextMention]:
    """Find metrics with their values, limits and goals, and separate amounts of money; no person is a limit's."""
    taken = TakenSpans()
    measured = list(_measured(text, folded))
    earlier = _Earlier(measured)
    bare = [_carried(folded, figure, earlier) for figure in _bare(text, folded)]
    for figure in [*measured, *bare]:
        end = figure.span[1]
        if taken.overlaps(figure.span):
            continue
        limit = _limit(folded, figure, people)
        # Between a metric and its figure may stand a name that is a mention of its own.
        stands = (figure.value_at, figure.value_at + len(figure.text))
        if limit is not None:
            sign, name = limit
            taken.take(figure.span)
            yield mention("threshold", figure.metric or name, sign + figure.text, confidence=0.85, span=stands)
        elif figure.metric is not None:
            taken.take(figure.span)
            yield mention("metric", figure.metric, figure.text, confidence=0.85, span=stands)
        elif _is_money(folded[figure.value_at : end]) or _is_price(folded, figure):
            taken.take(figure.span)
            yield mention("metric", f"{_AMOUNT} {figure.text}", figure.text, confidence=0.5, span=stands)


def _measured(text: str, folded: str) -> Iterator[_Figure]:
    """Metrics with the figure after them (`CAC de R$ 30`) or before them (`30% de margem`)."""
    for name in _metric_names().finditer(folded):
        metric = figure_words().metrics[name.group()]
        after = _after().match(folded, name.end(), min(len(folded), name.end() + _REACH + 30))
        before = _before().search(folded[max(0, name.start() - _REACH) : name.start()])
        if after is not None and not (before and _is_apart(before, folded[name.end() : after.start("value")])):
            # `from 4% to 7%`: what holds is the last of the two.
            group = "then" if _is_change(after, folded) else "value"
            start, end = after.span(group)
            yield _Figure(text[start:end].strip(), (name.start(), end), start, metric)
        elif before is not None:
            shift = max(0, name.start() - _REACH)
            start, end = (at + shift for at in before.span("value"))
            yield _Figure(text[start:end].strip(), (start, name.end()), start, metric)


def _is_change(after: re.Match[str], folded: str) -> bool:
    """Return whether a second figure replaces the first; `R$ 50 para 10 pessoas` says for how many."""
    one, two = after["value"], after["then"]
    if not two or (_YEAR.fullmatch(two) and not _YEAR.fullmatch(one)):
        return False
    link, kinds = folded[after.start() : after.start("value")], (_kind(one), _kind(two))
    if _MOVES.search(link) or (link.endswith(_VALUE_OF) and not kinds[0] and kinds[1]):
        return True
    counts_nothing = _COUNTS_NOTHING.match(folded, after.end("then")) is not None
    return kinds[0] == kinds[1] and (kinds[0] != "" or counts_nothing)


def _kind(value: str) -> str:
    """Return the unit of a figure: money, percent, times, or none."""
    kinds = (("money", _MONEY), ("percent", _PERCENT), ("times", _TIMES))
    return next((kind for kind, pattern in kinds if re.match(pattern, value)), "")


def _is_apart(before: re.Match[str], link: str) -> bool:
    """Return whether a metric owns the figure before it, and the one after it belongs to something else."""
    return bool(before["of"]) or _APART.search(link) is not None


def _bare(text: str, folded: str) -> Iterator[_Figure]:
    for value in _values().finditer(folded):
        yield _Figure(text[value.start() : value.end()].strip(), value.span(), value.start())


class _Earlier:
    """Finds the last measured figure that ends before a position."""

    def __init__(self, measured: Sequence[_Figure]) -> None:
        order = sorted(range(len(measured)), key=lambda place: measured[place].span[1])
        self._ends = [measured[place].span[1] for place in order]
        self._last = [measured[place] for place in accumulate(order, max)]

    def before(self, place: int) -> _Figure | None:
        """Return the figure; None if none ends before."""
        count = bisect_right(self._ends, place)
        return self._last[count - 1] if count else None


def _carried(folded: str, figure: _Figure, earlier: _Earlier) -> _Figure:
    """Build the mention of a limit, with the metric that the sentence named before."""
    spoken = earlier.before(figure.value_at)
    if spoken is None or figure.value_at - spoken.span[1] > _SENTENCE:
        return figure
    if not _limits()[2].search(folded[max(0, figure.value_at - _REACH) : figure.value_at]):
        return figure
    between = folded[spoken.span[1] : figure.value_at]
    speaks_on = _speaks_on().search(between) and not re.search(r"[.!?;]\s", between)
    return msgspec.structs.replace(figure, metric=spoken.metric) if speaks_on else figure


def _limit(folded: str, figure: _Figure, people: frozenset[str]) -> tuple[str, str] | None:
    """Return the sign and name of a limit or goal, from the words around a figure."""
    before = folded[max(0, figure.span[0] - _REACH) : figure.value_at]
    goal, nearby, close = _limits()
    match = close.search(before) or nearby.search(before)
    if goal.search(before) and not _YEAR.fullmatch(figure.text):
        return (_sign(before, match) if match and figure.metric else ""), _GOAL
    if match is None or _is_told(before, match):
        return None
    limits_at = figure.value_at - len(before) + match.start()
    name = None if figure.metric else subject(folded, limits_at, figure.value_at, match.group(), people)
    if figure.metric is None and name is None and not _has_unit(folded[figure.value_at : figure.span[1]]):
        return None
    sign = _sign(before, match)
    return sign, name or (_LIMIT if sign == _MOST else _MINIMUM)


def _is_told(before: str, limit: re.Match[str]) -> bool:
    """Return whether a comparison only reports, as `went up to` does, where `up to` alone is a limit."""
    words = before[: limit.start()].replace(",", ".").rpartition(".")[2].split()
    compares = limit["less"] or limit["more"] or limit["most"] in _UP_TO
    return bool(compares) and not figure_words().told.isdisjoint(words)


def _sign(before: str, limit: re.Match[str]) -> str:
    """Return the allowed side of a figure; `not more than` is a ceiling, and `never less than` a floor."""
    side = limit.groupdict()
    if side["most"] or side["least"]:
        return _MOST if side["most"] else _LEAST
    turned = _denied().search(before[: limit.start()]) is not None
    return _MOST if bool(side["less"]) != turned else _LEAST


def _is_price(folded: str, figure: _Figure) -> bool:
    """Return whether a figure without a currency is money, judged by the verb."""
    start, end = figure.span
    return (
        _SUM.fullmatch(folded, start, end) is not None
        and _PAID.search(folded[max(0, start - 2 * _REACH) : start]) is not None
        and _COUNTS_NOTHING.match(folded, end) is not None
    )


def _is_money(value: str) -> bool:
    return re.match(_MONEY, value) is not None


def _has_unit(value: str) -> bool:
    return re.match(rf"{_MONEY}|{_PERCENT}", value) is not None


@cache
def _metric_names() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{any_of(figure_words().metrics)})(?!\w)")


@cache
def _after() -> re.Pattern[str]:
    # Between a metric and its figure stand small words, and perhaps whose metric it is.
    table = figure_words()
    small = any_of(table.links | table.goal | table.most | table.least | table.less | table.more)
    # `for` says of whom a metric is, but `se o CAC for maior` is a verb.
    small = rf"(?:{small})|{{if_more}}"
    owner = r"{owner_of} \w+(?: \w+){0,2}"
    link = rf"(?:\s{{0,3}}[,:=(]|\s{{1,3}}(?:{small})\b|\s{{1,3}}{owner}\b)"
    return phrase(rf"{link}{{0,6}}\s{{0,3}}(?P<value>{_VALUE})(?:\s{{0,3}}{{onto}}\s{{0,3}}(?P<then>{_VALUE}))?")


@cache
def _before() -> re.Pattern[str]:
    return phrase(rf"(?P<value>{_VALUE})\s*(?P<of>{{of_metric}}\s+)?$")


@cache
def _values() -> re.Pattern[str]:
    return re.compile(_VALUE)


@cache
def _limits() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Find a goal anywhere before the figure, an explicit limit near it, or a small word right before it."""
    table = figure_words()
    sides = "|".join(
        rf"(?P<{side}>{any_of(phrases)})"
        for side, phrases in (
            ("most", table.most),
            ("least", table.least),
            ("less", table.less),
            ("more", table.more),
        )
    )
    nouns = filled(r"(?P<most>{most_noun})|(?P<least>{least_noun})")
    return (
        re.compile(rf"(?<!\w)(?:{any_of(table.goal)})(?!\w)[^.!?;]{{0,100}}$"),
        re.compile(rf"(?<!\w)(?:{nouns}|(?P<less>(?!))|(?P<more>(?!)))(?!\w)[^.!?;\d]{{0,100}}$"),
        phrase(rf"(?<!\w)(?:{sides})(?:\s+{{around}})*\s*$"),
    )


@cache
def _speaks_on() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{any_of(figure_words().keeping)})(?!\w)")


@cache
def _denied() -> re.Pattern[str]:
    """Find a negation in the same clause; `no` is one only in English, right before the comparison."""
    words = any_of(figure_words().negations - plain_words("no")).replace("'", "['’]")
    return phrase(rf"(?<!\w)(?:(?:{words})(?!\w)[^,.!?;:]{{0,100}}|{{no}}\s{{1,4}})$")
