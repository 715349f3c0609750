"""SQLite and PostgreSQL answer alike: the same random life on both, every answer and every ranking compared."""

from __future__ import annotations

import random
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.clock import SetClock
from tests.postgres.conftest import Place

from rememora import Rememora, Settings
from rememora.errors import RememoraError
from rememora.testing import WordEmbedder

WORDS = re.findall(
    r"\w+",
    "prefiro respostas curtas relatório vendas agosto campanha verão orçamento reunião segunda cliente padaria "
    "pão queijo são paulo ação café coração budget report weekly meeting prefers short answers launch "
    "campaign summer invoice payment slack telegram engineer designer ana bia caio tom lisboa berlin",
)
KEYS = [
    "user.name",
    "user.role",
    "prefs.short_answers",
    "tools.chat",
    "people.tom.role",
    "projects.obra",
    "goals.q3",
]
TENANTS, USERS, CONVERSATIONS = ("acme", "other"), ("ana", "bia"), ("c1", "c2", "c3")
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9a-f]{32}\b")

Act = Callable[[Rememora], Awaitable[object]]


def words(chance: random.Random, most: int = 9) -> str:
    return " ".join(chance.choices(WORDS, k=chance.randint(1, most)))


def act(chance: random.Random) -> Act:
    """One thing that a host does, chosen before either engine does it."""
    tenant, user, conversation = chance.choice(TENANTS), chance.choice(USERS), chance.choice(CONVERSATIONS)
    key, text, other = chance.choice(KEYS), words(chance), words(chance, 3)
    # What is learned of a person quotes messages by id, and is ranked with it: ids have to be the same as well.
    name_of_message = f"m{chance.getrandbits(40)}"
    role, limit = chance.choice(["user", "assistant", "system"]), chance.randint(1, 12)

    def him(rememora: Rememora) -> Any:
        return rememora.user(user, tenant=tenant)

    def chat(rememora: Rememora) -> Any:
        return him(rememora).conversation(conversation)

    acts: dict[str, tuple[int, Act]] = {
        "append": (30, lambda r: chat(r).append(role, text, id=name_of_message)),
        "messages": (6, lambda r: chat(r).messages(limit=limit)),
        "window": (4, lambda r: chat(r).last_turns(limit=limit)),
        "describe": (2, lambda r: chat(r).describe(metadata={"title": text})),
        "conversations": (3, lambda r: him(r).conversations.list(limit=limit)),
        "summary": (2, lambda r: chat(r).summary()),
        "episodes": (2, lambda r: chat(r).list_episodes()),
        "remember": (12, lambda r: him(r).remember(key, text)),
        "infer": (3, lambda r: him(r).remember(key, text, source="inferred", confidence=0.5)),
        "correct": (3, lambda r: him(r).memories.correct(key, other)),
        "forget": (3, lambda r: him(r).forget(key)),
        "suppress": (1, lambda r: him(r).memories.suppress(key)),
        "restore": (2, lambda r: him(r).memories.restore(key)),
        "memories": (5, lambda r: him(r).memories.list(status=chance_status)),
        "mention": (5, lambda r: him(r).entities.mention("product", other, text)),
        "entities": (3, lambda r: him(r).entities.list()),
        "recall": (14, lambda r: him(r).recall(text, limit=limit)),
        "judge": (2, lambda r: him(r).gate.judge(text)),
        "proposals": (1, lambda r: him(r).proposals.list()),
        "settle": (4, lambda r: r.settle()),
        "delete": (1, lambda r: chat(r).delete()),
    }
    chance_status = chance.choice([None, "active", "deleted", "deprecated"])
    [name] = chance.choices([*acts], weights=[weight for weight, _ in acts.values()])
    chosen = acts[name][1]
    chosen.__name__ = name
    return chosen


async def answered(act: Act, rememora: Rememora) -> str:
    """What an act answers or how it is refused, without the ids that each store makes for itself."""
    try:
        result: object = await act(rememora)
    except RememoraError as error:
        result = f"{type(error).__name__}: {error}"
    text = msgspec.json.encode(result, order="sorted", enc_hook=str).decode()
    seen: dict[str, str] = {}
    return _ID.sub(lambda match: seen.setdefault(match[0], f"<{len(seen)}>"), text)


async def live(place: Place, folder: Path, *, seed: int, acts: int) -> int:
    """The same acts on both engines; returns how many of them found something."""
    clocks = SetClock(), SetClock()
    shared = {"store.key_folder": str(folder), "summary.threshold": 8, "summary.keep_recent": 3}
    urls = str(folder / "store"), place.app
    chance = random.Random(seed)
    full = 0
    local, there = (
        Rememora.open(
            settings=Settings.load({**shared, "store.url": url}, environ={}),
            embedder=WordEmbedder(),
            clock=clock,
            background=False,
        )
        for url, clock in zip(urls, clocks, strict=True)
    )
    async with local as sqlite, there as postgres:
        for number in range(acts):
            chosen = act(chance)
            for clock in clocks:
                clock.advance(7)
            expected, actual = await answered(chosen, sqlite), await answered(chosen, postgres)
            full += len(expected) > 4

            assert expected == actual, f"seed {seed}, act {number}: {chosen.__name__}"
    return full


async def test_a_life_on_both(place: Place, tmp_path: Path) -> None:
    """Three hundred random acts: the same answers, the same refusals, the same ranking."""
    assert 150 < await live(place, tmp_path, seed=1, acts=300)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 5))
async def test_long_lives_on_both(place: Place, tmp_path: Path, seed: int) -> None:
    """Two thousand and more random acts for each seed."""
    assert 1_000 < await live(place, tmp_path, seed=seed, acts=2_200)
