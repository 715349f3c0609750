"""Builds the context pack: query every layer, fit the items to the budget, list what is left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import msgspec

from rememora.context import render
from rememora.context.count import Counter
from rememora.context.fit import fit
from rememora.context.gather import Gatherer, PackRequest
from rememora.context.worth import weighed
from rememora.domain.check import check_text, check_whole
from rememora.domain.context import ContextPack, Item, MemoryAction, Situation
from rememora.domain.message import CONTENT_BYTES, Modality
from rememora.domain.scope import Scope
from rememora.errors import InvalidInput
from rememora.language import count_tokens, detect, language_of_text, language_of_turns

LARGEST_BUDGET = 1_000_000


class PackOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of a context pack."""

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


async def build(gatherer: Gatherer, scope: Scope, options: PackOptions, *, now: datetime) -> ContextPack:
    """Build one pack for one turn; no language model is called."""
    gathered = await gatherer.gather(
        PackRequest(
            scope=scope,
            query=options.query,
            language=detect(options.query),
            now=now,
            situation=options.situation,
            claimed=options.claimed,
            before=options.before,
            budget=options.budget,
            only=options.layers,
        )
    )
    # Without `before`, the query may be stored already and would be found as evidence for itself.
    items = without_echo(gathered.items, options.query) if options.before is None else gathered.items
    fitted = fit(
        weighed((*items, *options.beside)),
        budget=options.budget,
        least_worth=options.least_worth,
        query=options.query,
        prices=render.prices_of(options.counter),
        frame=render.frame_tokens(options.counter),
        headings=render.heading_tokens(options.counter),
    )
    return ContextPack(
        scope=scope,
        query=options.query,
        language=_language(fitted.items, options.query),
        modality=options.modality,
        items=fitted.items,
        left_out=fitted.left_out,
        missing=gathered.missing,
        mode=next((item.text for item in fitted.items if item.section == "mode"), None),
        tokens=fitted.tokens,
        budget=options.budget,
        built_at=now,
    )


def done(deeds: Iterable[MemoryAction]) -> tuple[Item, ...]:
    """Return the actions of the message as items for the model."""
    reason = "the message asked for it"
    return tuple(
        Item(section="done", text=deed.text, kind=deed.kind, origin="operator", reason=reason) for deed in deeds
    )


def without_echo(items: tuple[Item, ...], query: str) -> tuple[Item, ...]:
    """Return the items without the query itself, in case the caller has stored it already."""
    recent = [item for item in items if item.section == "recent"]
    if not recent or recent[-1].role != "user" or recent[-1].text.strip() != query.strip():
        return items
    return tuple(item for item in items if item is not recent[-1])


def _language(items: tuple[Item, ...], query: str) -> str:
    """Return the language of the question, or the one the person prefers or last used if it is unclear."""
    preferred = next((item.text for item in items if item.key == "user.preferred_language"), None)
    said = [item.text for item in items if item.section == "recent" and item.role == "user"]
    if preferred is not None and language_of_text(query) is None:
        return detect(query, preferred)
    return language_of_turns([*said, query]) or "pt"


def situation_of(values: Situation | Mapping[str, Any] | None, *, field: str = "situation") -> Situation:
    """Check the host's situation, given as a mapping or as the noun."""
    if values is None or isinstance(values, Situation):
        return values or Situation()
    try:
        return msgspec.convert(dict(values), Situation)
    except msgspec.ValidationError as error:
        raise InvalidInput(field, str(error)) from None
