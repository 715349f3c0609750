"""Talks that come and go in files of vectors, ended with SIGKILL by a test, each telling how far it is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count

from tests.children.forking import fork, tell

from rememora import Rememora, Settings
from rememora.adapters.usearch import build
from rememora.app import Opening
from rememora.testing import WordEmbedder

EMBEDDER = WordEmbedder(dimension=512)
ROWS, EACH = 1_100, 120
"""Vectors of a segment: a deletion of a few of them is blanked out, some more after it build it anew."""


def opened(folder: str, *, life: int = 0) -> Opening:
    """A store whose user has files of vectors, written down after as few new ones as a test says."""
    build.DUE_ROWS, build.PAGE = 100, 200

    def clock() -> datetime:
        # Later in each life, so that the lease of the one before has run out.
        return datetime.now(UTC) + timedelta(minutes=life)

    overrides = {"store.url": folder, "recall.ann_rows": 1_000, "layers.summarization": False}
    settings = Settings.load(overrides, environ={})
    return Rememora.open(settings=settings, embedder=EMBEDDER, clock=clock, background=False)


def texts(name: str) -> list[str]:
    """Turns of a conversation, of so many words that no two messages have one vector."""
    return [" ".join(f"girafa{name}x{number}y{word}" for word in range(12)) for number in range(EACH)]


async def talk(folder: str, *, life: int) -> None:
    """Say, let the worker write it down, delete, let it be blanked out, and again."""
    async with opened(folder, life=life) as rememora:
        tell("open")
        for number in count():
            name = f"{life}n{number}"
            chat = rememora.user("ana", tenant="acme").conversation(name)
            said = enumerate(texts(name))
            await chat.append_many({"role": "user", "content": text, "id": f"m{name}x{at}"} for at, text in said)
            await rememora.settle()
            tell("said", name)
            await chat.delete()
            tell("deleted", name)
            await rememora.settle()
            tell("blanked", name)


if __name__ == "__main__":
    fork(talk)
