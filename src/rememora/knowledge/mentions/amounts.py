"""Figures with a meaning: metrics, thresholds and sums of money, in Brazilian and English notation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

import msgspec

from rememora.knowledge.mentions.gazetteer import any_of, gazetteer
from rememora.knowledge.mentions.mention import Mention, mention

_NUMBER: Final = r"\d+(?:[.,]\d+)*"
_SCALE: Final = r"(?:\s?(?:mil(?:hoes|hao)?|k|m|million|thousand)\b)?"
_MONEY: Final = rf"(?:r\$|us\$|[$€£])\s?{_NUMBER}{_SCALE}|{_NUMBER}{_SCALE}\s?(?:reais|dolares|euros|dollars)\b"
_PERCENT: Final = rf"{_NUMBER}\s?(?:%|por cento\b|percent\b)"
_TIMES: Final = rf"{_NUMBER}x\b"
_VALUE: Final = rf"(?<![\w.,])(?:{_MONEY}|{_PERCENT}|{_TIMES}|{_NUMBER}{_SCALE})(?![\w%])"
_REACH = 40


class _Figure(msgspec.Struct, frozen=True):
    """A figure, and what is measured by it where the text says so."""

    text: str
    span: tuple[int, int]
    value_at: int
    metric: str | None = None


def amounts(text: str, folded: str) -> Iterator[Mention]:
    """Metrics with their values, limits and goals, and money that stands alone."""
    taken: list[tuple[int, int]] = []
    for figure in [*_measured(text, folded), *_bare(text, folded)]:
        start, end = figure.span
        if any(start < other[1] and other[0] < end for other in taken):
            continue
        limit = _limit(folded, figure)
        if limit is not None:
            sign, name = limit
            taken.append(figure.span)
            yield mention(
                "threshold", figure.metric or name, sign + figure.text, confidence=0.85, span=figure.span
            )
        elif figure.metric is not None:
            taken.append(figure.span)
            yield mention("metric", figure.metric, figure.text, confidence=0.85, span=figure.span)
        elif _is_money(folded[figure.value_at : end]):
            taken.append(figure.span)
            yield mention("metric", f"valor {figure.text}", figure.text, confidence=0.5, span=figure.span)


def _measured(text: str, folded: str) -> Iterator[_Figure]:
    """Metrics with the figure after them (`CAC de R$ 30`) or before them (`30% de margem`)."""
    for name in _metric_names().finditer(folded):
        metric = gazetteer().metrics[name.group()]
        after = _after().match(folded, name.end(), min(len(folded), name.end() + _REACH + 30))
        before = _before().search(folded[max(0, name.start() - _REACH) : name.start()])
        if after is not None:
            # `from 4% to 7%`: what holds is the last of the two.
            group = "then" if after.group("then") else "value"
            start, end = after.span(group)
            yield _Figure(text[start:end].strip(), (name.start(), end), start, metric)
        elif before is not None:
            shift = max(0, name.start() - _REACH)
            start, end = (at + shift for at in before.span("value"))
            yield _Figure(text[start:end].strip(), (start, name.end()), start, metric)


def _bare(text: str, folded: str) -> Iterator[_Figure]:
    for value in _values().finditer(folded):
        yield _Figure(text[value.start() : value.end()].strip(), value.span(), value.start())


def _limit(folded: str, figure: _Figure) -> tuple[str, str] | None:
    """The sign and name of a limit or goal that the words around a figure make of it."""
    before = folded[max(0, figure.span[0] - _REACH) : figure.value_at]
    goal, nearby, close = _limits()
    if goal.search(before):
        return "", "meta"
    found = close.search(before) or nearby.search(before)
    if found is None or (figure.metric is None and not _has_unit(folded[figure.value_at : figure.span[1]])):
        return None
    return ("≤ ", "limite") if found.group("most") else ("≥ ", "minimo")


def _is_money(value: str) -> bool:
    return re.match(_MONEY, value) is not None


def _has_unit(value: str) -> bool:
    return re.match(rf"{_MONEY}|{_PERCENT}", value) is not None


@cache
def _metric_names() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{any_of(gazetteer().metrics)})(?!\w)")


@cache
def _after() -> re.Pattern[str]:
    # Between a metric and its figure stand small words, and perhaps whose metric it is.
    small = any_of(gazetteer().links)
    link = rf"(?:\s*[,:=(]|\s+(?:{small})\b|\s+(?:d[aeo]s?|of|for|in)(?: the| our)? \w+(?: \w+)?\b)"
    return re.compile(rf"{link}{{0,6}}\s*(?P<value>{_VALUE})(?:\s*(?:to|para|pra)\s*(?P<then>{_VALUE}))?")


@cache
def _before() -> re.Pattern[str]:
    return re.compile(rf"(?P<value>{_VALUE})\s*(?:(?:d[eoa]|of|em|in)\s+)?$")


@cache
def _values() -> re.Pattern[str]:
    return re.compile(_VALUE)


@cache
def _limits() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """A goal anywhere before the figure; a limit in so many words near it; a small word right before it."""
    table = gazetteer()
    sides = rf"(?P<most>{any_of(table.most)})|(?P<least>{any_of(table.least)})"
    nouns = r"(?P<most>limite|teto|maxim[oa]|maximum|limit|cap)|(?P<least>minim[oa]|minimum|piso|floor)"
    return (
        re.compile(rf"(?<!\w)(?:{any_of(table.goal)})(?!\w)[^.!?;]*$"),
        re.compile(rf"(?<!\w)(?:{nouns})(?!\w)[^.!?;\d]*$"),
        re.compile(rf"(?<!\w)(?:{sides})\s*(?:d[eoa]\s+)?$"),
    )
