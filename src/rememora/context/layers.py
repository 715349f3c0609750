"""Every layer of memory under its name, each behind its switch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rememora.context.delegated import delegated
from rememora.context.find import Finder
from rememora.context.gather import Gatherer, Layer, PackRequest, Source
from rememora.context.known import entities, memories, profile, questions
from rememora.context.moment import moment, recent, summary
from rememora.context.passages import Passages, past, related
from rememora.context.plan import plan
from rememora.context.read_batcher import ReadBatcher
from rememora.domain.context import SECTIONS, Item
from rememora.errors import InvalidInput
from rememora.ports.store import Store
from rememora.settings import Settings

NAMES = (
    "plan",
    "moment",
    "tasks",
    "summary",
    "recent",
    "profile",
    "memories",
    "entities",
    "past",
    "related",
    "questions",
)
"""Names of the built-in layers, which no plugin may use: a pack reports missing layers by name."""

ACROSS = frozenset({"profile", "memories", "entities", "related"})
"""The layers that follow the person across conversations."""


def gatherer_of(
    settings: Settings, store: Store, finder: Finder, plugins: Mapping[str, Source] | None = None
) -> Gatherer:
    """Build all layers of one store and those of `plugins`, with the deadline of the settings."""
    options, on = settings.context, settings.layers
    # Layers that only read rows share one round trip; those that search go to the store by themselves.
    quick = ReadBatcher(store)
    passages = Passages(store, finder, recall=settings.recall, related=options.related)
    layers = [
        Layer(name="plan", source=plan(quick), on=on.plan),
        Layer(name="moment", source=moment(quick), on=on.moment),
        Layer(name="tasks", source=delegated(quick, limit=options.tasks), on=on.tasks),
        Layer(name="summary", source=summary(quick), on=on.summarization),
        Layer(
            name="recent",
            source=recent(quick, settings.window, summarized=on.summarization),
            on=on.recent,
            essential=True,
        ),
        Layer(name="profile", source=profile(quick), on=on.profile, essential=True),
        Layer(
            name="memories",
            source=memories(store, finder, limit=options.memories),
            on=on.memories,
            essential=True,
            recalls=True,
        ),
        Layer(name="entities", source=entities(quick, limit=options.entities), on=on.entity_memory),
        Layer(
            name="past",
            # One search serves both layers: `past` searches alone only if `related` is off.
            source=past(passages, alone=not on.cross_thread),
            on=on.past,
            essential=True,
            recalls=True,
        ),
        Layer(
            name="related",
            source=related(passages, with_past=on.past),
            on=on.cross_thread,
            essential=True,
            recalls=True,
        ),
        Layer(name="questions", source=questions(quick), on=on.questions),
    ]
    # Never essential: a plugin is waited for no longer than the deadline.
    layers += [Layer(name=name, source=_checked(source)) for name, source in (plugins or {}).items()]
    return Gatherer(layers, deadline_seconds=options.deadline_ms / 1000, ground=finder)


def _checked(source: Source) -> Source:
    """Wrap a plugin's layer so that an invalid result fails only that layer."""

    async def checked(request: PackRequest) -> Sequence[Item]:
        items: Sequence[object] = await source(request)
        fitting = [item for item in items if isinstance(item, Item) and item.section in SECTIONS]
        if len(fitting) < len(items):
            raise InvalidInput("item", f"must be an Item in one of the sections {', '.join(SECTIONS)}")
        return fitting

    return checked
