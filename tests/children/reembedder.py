"""Re-embeddings that a test ends with SIGKILL, each telling how far it is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from tests.children.forking import fork, tell

from rememora import Settings
from rememora.moving import reembed
from rememora.testing import WordEmbedder


async def make(folder: str, name: str, *, life: int) -> None:
    """Every vector anew, from wherever the last life ended."""

    def clock() -> datetime:
        # Later in each life, so that the lease of the one before has run out.
        return datetime.now(UTC) + timedelta(minutes=life)

    settings = Settings.load({"store.url": folder}, environ={})
    tell("open")
    done = await reembed(
        settings,
        embedder=WordEmbedder(name=name, dimension=96),
        clock=clock,
        progress=lambda done, total: tell("at", done, total),
    )
    tell("done", done)


if __name__ == "__main__":
    fork(make)
