"""Rememora in the shape of the peers: vectors made beforehand, messages as an application appends them."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rememora import Rememora, Settings
from rememora.adapters.offline import OfflineEmbedder
from rememora.testing import SettableClock

CLOCK = "BENCH_PEER_NOW"
"""The variable that says at which moment questions are asked."""


class HandedInEmbedder(OfflineEmbedder):
    """The default embedder that has seen every turn; a text of our own (an episode) it makes itself."""

    def __init__(self, known: Callable[[Sequence[str]], list[list[float]]]) -> None:
        super().__init__()
        self._given = known

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[Any]:
        return [np.asarray(vector, dtype=np.float32) for vector in self._given(texts)]


async def opened(folder: Path, known: Callable[[Sequence[str]], list[list[float]]]) -> Rememora:
    """A memory whose background work is done when it is asked for."""
    settings = Settings.load({"store.url": str(folder)}, environ={})
    asked_at = datetime.fromisoformat(os.environ[CLOCK]) if CLOCK in os.environ else datetime.now(UTC)
    clock = SettableClock(asked_at)
    embedder = HandedInEmbedder(known)
    return await Rememora.open(settings=settings, clock=clock, embedder=embedder, background=False)


def message_of(turn: Mapping[str, str]) -> dict[str, Any]:
    """A turn as an application would append it."""
    return {"role": turn["role"], "id": turn["id"], **json.loads(turn["message"], object_hook=_dated)}


def _dated(figures: dict[str, Any]) -> dict[str, Any]:
    if "created_at" in figures:
        figures["created_at"] = datetime.fromisoformat(figures["created_at"])
    return figures


def encoded(texts: Sequence[str]) -> list[NDArray[np.float32]]:
    """Vectors by the model itself."""
    return OfflineEmbedder().embed_now(list(texts))


if __name__ == "__main__":
    # For peers whose environment lacks the model: a line of texts in, a line of vectors out.
    for line in sys.stdin:
        print(json.dumps([vector.tolist() for vector in encoded(json.loads(line))]), flush=True)
