"""The background work of a store: every step of the worker, and its interval."""

from __future__ import annotations

from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING

from rememora import documents
from rememora.context.learn import count_due
from rememora.context.model_reading import read_due
from rememora.domain.scope import SHARED, Scope
from rememora.engines import has_index, has_layouts
from rememora.errors import ModelMismatch
from rememora.events import retention
from rememora.history.episode_summary import summarise_due
from rememora.history.episodes import cut_due
from rememora.history.summarize import fold_due
from rememora.knowledge.habits import learn_due
from rememora.knowledge.judge_stored import judge_due
from rememora.ports.outside import Embedder, Model
from rememora.recall import embed, sizes
from rememora.recall.model import Watch, check_model
from rememora.recall.remake import FeatureMaker
from rememora.tenancy.idempotency import sweep as sweep_answers
from rememora.tenancy.logins import sweep as sweep_logins
from rememora.wiring.parts import Lazy, Parts
from rememora.worker import paced

if TYPE_CHECKING:
    from rememora.adapters.usearch.vectors import UsearchVectors

SWEEP_SECONDS = 60.0
FLUSH_SECONDS = 10.0
BUILD_SECONDS = 60.0
LAYOUT_SECONDS = 600.0
AGAIN_SECONDS = 86_400.0
"""At start, and then once a day: a model that refused a text a minute ago will refuse it again."""


def add_steps(parts: Parts, model: Model | None) -> None:
    """Add the steps that every store needs to the worker."""
    _add_tenancy_steps(parts)
    _add_mission_steps(parts)
    _add_history_steps(parts, model)


def _add_tenancy_steps(parts: Parts) -> None:
    async def sweep() -> bool:
        await sweep_answers(parts.store, settings=parts.settings.access, clock=parts.clock)
        await sweep_logins(parts.store, settings=parts.settings.access, clock=parts.clock)
        return False

    retain = partial(retention.sweep, parts.store, settings=parts.settings, clock=parts.clock)
    expire = partial(documents.expire_due, parts.store, clock=parts.clock)
    parts.worker.add("retention", paced(retain, retention.PACE_SECONDS), settling=retain)
    parts.worker.add("documents", paced(expire, documents.SWEEP_SECONDS), settling=expire)
    parts.worker.add("usage", parts.tally.flush)
    parts.worker.add("trends", paced(parts.trends.flush, FLUSH_SECONDS), settling=parts.trends.flush)
    parts.worker.add("lags", paced(parts.trends.sample, SWEEP_SECONDS))
    parts.worker.add("answers", paced(sweep, SWEEP_SECONDS), settling=sweep)


def _add_mission_steps(parts: Parts) -> None:
    async def sweep() -> bool:
        await parts.missions.sweep()
        return False

    parts.worker.add("sweep", paced(sweep, SWEEP_SECONDS), settling=sweep)


def _add_history_steps(parts: Parts, model: Model | None) -> None:
    settings, clock = parts.settings, parts.clock
    cut = partial(cut_due, parts.store, settings=settings.episodes, clock=clock)
    # Patient: the loop waits a while for an answer that may still come; `settle` does not wait.
    parts.worker.add("episodes", partial(cut, patient=True), settling=partial(cut, patient=False))
    parts.worker.add("judge", partial(judge_due, parts.desk))
    parts.worker.add("tell", partial(summarise_due, parts.store, settings=settings.episodes))
    if settings.layers.summarization:
        fold = partial(fold_due, parts.store, settings=settings.summary, model=model, clock=clock)
        parts.worker.add("fold", fold)
    if settings.layers.entity_memory:
        parts.worker.add("mentions", partial(count_due, parts.desk, model=model))
    if parts.reader is not None and settings.reading.model:
        read = partial(read_due, parts.desk, parts.reader)
        parts.worker.add("reading", partial(read, patient=True), settling=partial(read, patient=False))
    if settings.layers.patterns:
        habits = partial(learn_due, parts.desk)
        parts.worker.add("patterns", partial(habits, patient=True), settling=partial(habits, patient=False))


async def add_index_steps(parts: Parts, embedder: Embedder, watch: Watch) -> None:
    try:
        await check_model(parts.store, embedder)
    except ModelMismatch:
        await parts.store.close()
        raise
    step = partial(embed.embed_or_tell, parts.store, embedder, watch, clock=parts.clock)
    again = partial(embed.try_again, parts.store)
    maker = FeatureMaker(parts.store)
    parts.worker.add("features", maker.step, settling=maker.make)
    parts.worker.add("refused", paced(again, AGAIN_SECONDS))
    parts.worker.add("index", step)


def add_vector_steps(parts: Parts, index: Lazy[UsearchVectors | None], watch: Watch) -> None:
    above = parts.settings.recall.ann_rows

    async def build() -> bool:
        if await watch.moved():
            return False
        owners = await parts.store.index(lambda keeper: keeper.scopes_above(rows=above), reading=True)
        # Most stores have no such user, and need not load what searches for them.
        files = index() if (owners or has_index(parts.settings)) and find_spec("usearch") else None
        if files is not None:
            await files.build(owners)
        return False

    parts.worker.add("vectors", paced(build, BUILD_SECONDS), settling=build)


def add_layout_steps(parts: Parts) -> None:
    async def save() -> bool:
        made = parts.searcher.made
        return made is not None and await made.save_large()

    async def above(rows: int) -> list[Scope]:
        owners = await parts.store.index(lambda keeper: keeper.scopes_above(rows=rows), reading=True)
        return [owner for owner in owners if owner.user != SHARED]

    async def sweep() -> bool:
        settings = parts.settings.recall
        ahead = await above(settings.ann_rows if settings.vectors == "memory" else sizes.KEPT_ROWS)
        saved = has_layouts(parts.settings)
        # Most stores have no such user, and need not load what searches for them.
        if ahead or saved:
            large = await above(sizes.SAVED_ROWS) if saved else ahead
            await parts.searcher().sweep(large, ahead=frozenset(ahead))
        return False

    parts.worker.add("layouts", paced(sweep, LAYOUT_SECONDS), settling=sweep)
    parts.worker.add("shelves", paced(save, BUILD_SECONDS), settling=save)
