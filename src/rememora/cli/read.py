"""`rememora read`: show what the offline reader and the configured model read in a text, and by which words."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from typing import Annotated, Final

import typer

from rememora.cli.opened import Json, of_user, print_json, print_rows
from rememora.cli.tables import plain, wrapped
from rememora.context.two_readings import ModelReading, TwoReadings
from rememora.domain.verdict import ExplainedDecision, WordWeight

NOBODY = "nobody"
READER, MODEL = "offline reader", "model"
HEADS = ("read by", "key", "value", "verdict")
_INDENT: Final = "  "
_LINES: Final = 6


def read(
    text: Annotated[str, typer.Argument(help="Message to read.")],
    model: Annotated[bool, typer.Option("--model", help="Ask the configured model too, and show both.")] = False,
    as_json: Json = False,
) -> None:
    """Show how a message is read, and by which words."""
    readings = of_user(":memory:", NOBODY, NOBODY, lambda somebody: somebody.gate.read(text, model=model))
    if as_json:
        print_json(readings)
        return
    for line in _lines(readings, shutil.get_terminal_size().columns):
        print(line)
    rows = list(_rows(readings))
    if rows:
        print()
        print_rows(HEADS, rows)


def _lines(readings: TwoReadings, width: int) -> Iterator[str]:
    """Yield both outcomes, then a block for each decision of the offline reader and its rules."""
    verdict = readings.offline
    outcomes = [f"{READER}: {verdict.label} ({verdict.reason}): {verdict.why.en}"]
    if readings.model is not None:
        outcomes.append(f"{MODEL}: {_outcome(readings.model)}")
    for outcome in outcomes:
        yield from wrapped(plain(outcome), width, lines=_LINES)
    for decision in verdict.words:
        yield ""
        for place, line in enumerate(_described(decision, whole=decision is _whole(verdict.words))):
            indent = _INDENT if place else ""
            yield from (f"{indent}{part}" for part in wrapped(plain(line), width - len(indent), lines=_LINES))


def _whole(decisions: Iterable[ExplainedDecision]) -> ExplainedDecision | None:
    """Return the reader's decision about the whole text: its first one."""
    return next((decision for decision in decisions if decision.by == "reader"), None)


def _described(decision: ExplainedDecision, *, whole: bool) -> Iterator[str]:
    """Yield a head line for a decision, then what was read and by which words."""
    yield "the whole text" if whole else f'"{decision.span.text.strip()}"'
    if decision.by == "rule":
        yield f"rule {decision.decision} matched these words"
        return
    yield f"{'label' if whole else 'act'}: {decision.decision} · certainty {decision.chance:.2f}"
    if decision.said is not None:
        yield f"subject: {decision.said.subject or '?'} · attribute: {decision.said.attribute}"
    if decision.values:
        yield f"value: {' | '.join(decision.values)}"
    if decision.words:
        yield f"words: {_weighed(decision.words)}"


def _weighed(words: Iterable[WordWeight]) -> str:
    """Return words with their weights: `+` speaks for the decision, `-` against it."""
    return ", ".join(f"{word.text} {word.weight:+.2f}" for word in words)


def _outcome(reading: ModelReading) -> str:
    if not reading.sent:
        return "not called: a text with orders, secrets or a request to forget is never sent to a model"
    cost = f"{reading.calls} calls, about {reading.tokens} tokens"
    if reading.failed:
        return f"no usable answer ({cost}); the offline reading stays"
    return f"{len(reading.facts)} facts, {reading.malformed} dropped as malformed or not in the text ({cost})"


def _rows(readings: TwoReadings) -> Iterable[tuple[object, ...]]:
    for fact in readings.offline.facts:
        yield READER, fact.key, fact.value, readings.offline.label
    for proposed in () if readings.model is None else readings.model.facts:
        yield MODEL, proposed.key, proposed.value, f"{proposed.action}, {proposed.verdict}"
