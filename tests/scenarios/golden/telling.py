"""Fills a store with reference histories and asks reference questions: the same, whoever runs it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from rememora import Hit, Rememora, Settings, UserMemory
from rememora.testing import SettableClock, WordEmbedder

HERE = Path(__file__).parent
NOW = datetime(2026, 4, 1, 12, tzinfo=UTC)
DEPTH = 8
EVERY = {"memoria_pt": 1, "LoCoMo": 4}
"""One question in so many of a reference set is asked."""
_FOLDERS = [folder / "shared" / "data" for folder in HERE.parents]
DATA = next((folder for folder in _FOLDERS if (folder / "locomo10.json").exists()), None)


def talk() -> dict[str, Any]:
    """The small reference set that lies here."""
    result: dict[str, Any] = json.loads((HERE / "talk.json").read_text())
    return result


def opened(settings: Settings, *, dimension: int = 64, embedder: WordEmbedder | None = None) -> Any:
    """A store with the embedder and the clock of the reference."""
    chosen = msgspec.structs.replace(
        settings, layers=msgspec.structs.replace(settings.layers, summarization=False)
    )
    chosen_embedder = embedder or WordEmbedder(dimension=dimension)
    return Rememora.open(settings=chosen, clock=SettableClock(NOW), embedder=chosen_embedder, background=False)


async def tell(rememora: Rememora, user: str = "ana") -> UserMemory:
    """Have a person say all of the small set."""
    person = rememora.user(user, tenant="acme")
    for conversation in talk()["conversations"]:
        begun = datetime.fromisoformat(conversation["at"])
        chat = person.conversation(conversation["id"])
        await chat.append_many(
            {
                "id": f"{conversation['id']}:{place}",
                "role": role,
                "content": said,
                "created_at": begun + timedelta(minutes=3 * place),
            }
            for place, (role, said) in enumerate(conversation["turns"])
        )
    for key, value in talk()["remembered"]:
        await person.remember(key, value)
    await rememora.settle()
    return person


async def tell_rows(rememora: Rememora, user: str, rows: Sequence[Any]) -> UserMemory:
    """Have a person say the turns of a history that a bench reads."""
    person = rememora.user(user, tenant="acme")
    talks: dict[str, list[dict[str, object]]] = {}
    for row in rows:
        said = {"id": row.id, "role": row.role, "content": row.text, "created_at": row.at}
        named = {"metadata": {"speaker": row.speaker}} if row.speaker else {}
        talks.setdefault(row.conversation, []).append(said | named)
    for conversation, turns in talks.items():
        await person.conversation(conversation).append_many(turns)
    await rememora.settle()
    return person


async def rankings(person: UserMemory, questions: Iterable[str]) -> dict[str, list[str]]:
    """What each question finds, in order."""
    return {question: names(await person.recall(question, limit=DEPTH)) for question in questions}


def names(hits: Sequence[Hit]) -> list[str]:
    """Name hits by what does not change from run to run."""
    return [hit.id if hit.kind == "message" else f"{hit.kind} {hit.content.splitlines()[0]}" for hit in hits]


def digest(result: object) -> str:
    """A short mark of rankings that are too many to be kept."""
    return hashlib.sha256(json.dumps(result, ensure_ascii=False).encode()).hexdigest()[:16]


async def marks(settings: Settings, cases: Iterable[Any], every: int) -> dict[str, str]:
    """A mark for each history, of what its questions find after a restart."""
    histories = list(cases)
    async with opened(settings, dimension=256) as rememora:
        for case in histories:
            await tell_rows(rememora, case.name, case.rows)
    result: dict[str, str] = {}
    async with opened(settings, dimension=256) as rememora:
        for case in histories:
            questions = [item.text for item in case.asked][::every]
            person = rememora.user(case.name, tenant="acme")
            result[case.name] = digest(await rankings(person, questions))
    return result
