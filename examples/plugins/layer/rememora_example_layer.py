"""A context layer: `context.layers = "office_hours"` tells the model at every turn whether the office is open."""

from __future__ import annotations

from collections.abc import Sequence

from rememora import Item, Settings
from rememora.context.gather import PackRequest, Source
from rememora.ports.store import Store

OPENS, CLOSES = 9, 18


def make_layer(settings: Settings, store: Store) -> Source:
    """Make the layer; one that looks something up would read `store` under `ask.scope`."""

    async def office_hours(ask: PackRequest) -> Sequence[Item]:
        is_open = ask.now.weekday() < 5 and OPENS <= ask.now.hour < CLOSES
        texts = {
            "pt": f"O escritório está {'aberto' if is_open else 'fechado'} agora.",
            "en": f"The office is {'open' if is_open else 'closed'} now.",
        }
        text = texts.get(ask.language, texts["en"])
        return [
            Item(section="operations", kind="office_hours", text=text, trust="operator", reason="office hours")
        ]

    return office_hours
