"""`rememora read`: show what the rules and the configured model read in a text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import typer

from rememora.cli.opened import Json, of_user, print_json, print_rows
from rememora.context.two_readings import ModelReading, TwoReadings

NOBODY = "nobody"
HEADS = ("read by", "key", "value", "verdict")


def read(
    text: Annotated[str, typer.Argument(help="Message to read.")],
    model: Annotated[bool, typer.Option("--model", help="Ask the configured model too, and show both.")] = False,
    as_json: Json = False,
) -> None:
    """Show what is read in a message. Verdict, reason and facts; nothing is stored."""
    readings = of_user(":memory:", NOBODY, NOBODY, lambda somebody: somebody.gate.read(text, model=model))
    if as_json:
        print_json(readings)
        return
    print(f"rules: {readings.rules.label} ({readings.rules.reason}): {readings.rules.why.en}")
    if readings.model is not None:
        print(f"model: {_outcome(readings.model)}")
    rows = list(_rows(readings))
    if rows:
        print_rows(HEADS, rows)


def _outcome(reading: ModelReading) -> str:
    if not reading.sent:
        return "not called: a text with orders, secrets or a request to forget is never sent to a model"
    cost = f"{reading.calls} calls, about {reading.tokens} tokens"
    if reading.failed:
        return f"no usable answer ({cost}); the reading of the rules stays"
    return f"{len(reading.facts)} facts, {reading.malformed} dropped as malformed or not in the text ({cost})"


def _rows(readings: TwoReadings) -> Iterable[tuple[object, ...]]:
    for fact in readings.rules.facts:
        yield "rules", fact.key, fact.value, readings.rules.label
    for proposed in () if readings.model is None else readings.model.facts:
        yield "model", proposed.key, proposed.value, f"{proposed.action}, {proposed.verdict}"
