"""The model of the vectors in use, and the behaviour of a process with another one."""

from __future__ import annotations

import logging
import math
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from rememora.errors import ModelMismatch
from rememora.ports.index import EmbeddingModel, EmbeddingRun
from rememora.ports.outside import Clock, Embedder
from rememora.ports.store import Store

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

logger = logging.getLogger(__name__)

LOOK = timedelta(seconds=10)
COMMAND = "rememora reembed"
FIRST_RUN = 1
"""Number of the first embedding run."""


def model_of(embedder: Embedder) -> EmbeddingModel:
    """Return the model that an embedder's vectors are stored under."""
    return EmbeddingModel(embedder.name, embedder.dimension)


def points(vector: NDArray[np.float32], embedder: Embedder) -> bool:
    """Return whether a vector is usable: one of zeros, or with a value that is no number, is near nothing."""
    return len(vector) == embedder.dimension and 0 < float(vector @ vector) < math.inf


async def runs_of(store: Store) -> list[EmbeddingRun]:
    """Every making of vectors there is something left of."""
    return await store.index(lambda keeper: keeper.runs(), reading=True)


async def run_in_use(store: Store) -> EmbeddingRun | None:
    """The making whose vectors are searched; None before the first."""
    return next((run for run in await runs_of(store) if run.state == "current"), None)


async def check_model(store: Store, embedder: Embedder) -> EmbeddingRun | None:
    """Refuse to mix the vectors of two models; returns the run whose vectors are in use."""
    runs, mine = await runs_of(store), model_of(embedder)
    current = next((run for run in runs if run.state == "current"), None)
    if current is None or current.model == mine:
        return current
    # A re-embedding is on its way: the remedy is to wait, not to begin another one.
    coming = any(run.state == "next" and run.model == mine for run in runs)
    raise ModelMismatch(
        f"the index was made with {current.model.name} ({current.model.dimension} numbers a vector), "
        f"not with {mine.name} ({mine.dimension})" + (", whose vectors are not all made yet" if coming else ""),
        COMMAND,
    )


class Watch:
    """Notices that the index has moved to another model than this process has, and says so once."""

    def __init__(self, store: Store, embedder: Embedder, *, clock: Clock) -> None:
        self._store = store
        self._mine = model_of(embedder)
        self._clock = clock
        self._looked: datetime | None = None
        self._moved = False

    async def moved(self) -> bool:
        """Return whether the vectors in use are of another model; checked from time to time."""
        now = self._clock()
        if self._looked is None or now - self._looked >= LOOK:
            self._looked = now
            run = await run_in_use(self._store)
            self._tell(run is not None and run.model != self._mine)
        return self._moved

    def tell_moved(self) -> None:
        """Somebody met the other model."""
        self._tell(True)

    def _tell(self, moved: bool) -> None:
        if moved and not self._moved:
            logger.warning(
                "the index has moved to another embedding model: recall goes by words alone in this process, "
                "and what is new waits for one that was started with that model"
            )
        self._moved = moved
