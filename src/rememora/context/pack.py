"""Builds the pack: ask every layer, fit what came to the budget, say what is not in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import msgspec

from rememora.context import render
from rememora.context.count import Counter
from rememora.context.fit import fit
from rememora.context.gather import Ask, Gatherer
from rememora.context.worth import weighed
from rememora.domain.check import check_text, check_whole
from rememora.domain.context import ContextPack, Deed, Item, Situation
from rememora.domain.message import CONTENT_BYTES, Modality
from rememora.domain.scope import Scope
from rememora.errors import InvalidInput
from rememora.language import count_tokens, detect

LARGEST_BUDGET = 1_000_000


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """How a pack is wanted."""

    query: str
    budget: int
    modality: Modality = "chat"
    situation: Situation = Situation()
    claimed: Situation = Situation()
    counter: Counter = count_tokens
    before: int | None = None
    beside: tuple[Item, ...] = ()
    least_worth: float = 0.0
    layers: frozenset[str] | None = None

    def __post_init__(self) -> None:
        check_text("query", self.query, max_bytes=CONTENT_BYTES)
        check_whole("budget", self.budget, 1, LARGEST_BUDGET)


async def build(gatherer: Gatherer, scope: Scope, wanted: Wanted, *, now: datetime) -> ContextPack:
    """One pack for one interaction; no language model takes part."""
    gathered = await gatherer.gather(
        Ask(
            scope=scope,
            query=wanted.query,
            language=detect(wanted.query),
            now=now,
            situation=wanted.situation,
            claimed=wanted.claimed,
            before=wanted.before,
            budget=wanted.budget,
            only=wanted.layers,
        )
    )
    found = without_echo(gathered.items, wanted.query) if wanted.before is None else gathered.items
    fitted = fit(
        weighed((*found, *wanted.beside)),
        budget=wanted.budget,
        least_worth=wanted.least_worth,
        query=wanted.query,
        cost=render.pricing(wanted.counter),
        frame=render.frame_tokens(wanted.counter),
        headings=render.heading_tokens(wanted.counter),
    )
    return ContextPack(
        scope=scope,
        query=wanted.query,
        language=detect(wanted.query, _locale(fitted.items)),
        modality=wanted.modality,
        items=fitted.items,
        left_out=fitted.left_out,
        missing=gathered.missing,
        mode=next((item.text for item in fitted.items if item.section == "mode"), None),
        tokens=fitted.tokens,
        budget=wanted.budget,
        built_at=now,
    )


def done(deeds: Iterable[Deed]) -> tuple[Item, ...]:
    """What was done because the message asked for it, as the model is told."""
    reason = "the message asked for it"
    return tuple(
        Item(section="done", text=deed.text, kind=deed.kind, origin="operator", reason=reason) for deed in deeds
    )


def without_echo(items: tuple[Item, ...], query: str) -> tuple[Item, ...]:
    """The items without the query itself, where the caller has stored it before asking."""
    recent = [item for item in items if item.section == "recent"]
    if not recent or recent[-1].role != "user" or recent[-1].text.strip() != query.strip():
        return items
    return tuple(item for item in items if item is not recent[-1])


def _locale(items: tuple[Item, ...]) -> str:
    """The language the person prefers, where the question itself does not tell."""
    return next((item.text for item in items if item.key == "user.preferred_language"), "pt")


def situation_of(values: Situation | Mapping[str, Any] | None, *, field: str = "situation") -> Situation:
    """What the host says of the moment, as a mapping or as the noun, checked."""
    if values is None or isinstance(values, Situation):
        return values or Situation()
    try:
        return msgspec.convert(dict(values), Situation)
    except msgspec.ValidationError as error:
        raise InvalidInput(field, str(error)) from None
