"""CrewAI's unified memory on Rememora; words that are shared stand in for an embedding model.

Run it with `python examples/crewai_memory.py`; it needs the extra `crewai`, in an environment without `mcp` 2.
"""

from __future__ import annotations

import hashlib
import os
import tempfile

os.environ.setdefault("CREWAI_DISABLE_TELEMETRY", "true")
os.environ.setdefault("OTEL_SDK_DISABLED", "true")

from crewai import LLM, Memory

from rememora import SyncRememora
from rememora.integrations.crewai import RememoraStorage

DIMENSION = 64


def embed(texts: list[str]) -> list[list[float]]:
    """Return a vector of each text: one place for each word."""
    return [[float(place in _places(text)) for place in range(DIMENSION)] for text in texts]


def _places(text: str) -> set[int]:
    return {hashlib.sha256(word.strip(".?!").encode()).digest()[0] % DIMENSION for word in text.lower().split()}


def main(folder: str) -> None:
    """Save what a crew decided, find it, and let the person's erasure reach it."""
    with SyncRememora.open(folder, background=False) as rememora:
        storage = RememoraStorage(rememora, tenant="acme", user="ana")
        # The model is only asked where scope, categories or importance are not given.
        memory = Memory(storage=storage, embedder=embed, llm=LLM(model="gpt-4o-mini", api_key="none"))
        for text in ("We ship the beta in March.", "Bia owns the pricing page."):
            memory.remember(text, scope="/launch", categories=["decision"], importance=0.7)
        for match in memory.recall("Who owns the pricing page?", scope="/launch", limit=1, depth="shallow"):
            print(f"found: {match.record.content}")
        print(f"scopes: {memory.list_scopes('/')}, records: {storage.count()}")
        memory.close()
        receipt = rememora.user("ana", tenant="acme").erase(person=True)
        print(f"erased: {receipt.counts['documents']} documents, left: {storage.count()}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(folder)
