"""Whoever dies with a model's answer in hand leaves the message to another, and it is written once."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.engines.postgres import postgres_url

from rememora import Rememora, Settings
from rememora.testing import ScriptedModel

WRITER = Path(__file__).with_name("writer.py")
PLAIN = {"recall.embedder": "none", "layers.entity_memory": False}
QUOTE = "minha sócia, que toca o financeiro"
TEXT = f"me ajuda a escrever para {QUOTE}"
SAID = {"statement": QUOTE, "quote": QUOTE, "subject": "sócia", "attribute": "role", "certainty": 0.9}
FOUND = json.dumps({"statements": [SAID]})
SIGKILLED = -9


@pytest.fixture(params=["folder", pytest.param("postgres", marks=pytest.mark.slow)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Where a store of each engine is that several processes share."""
    with postgres_url() if request.param == "postgres" else nullcontext(str(tmp_path)) as url:
        yield url


def die(url: str, *, hours: int) -> int:
    """A process that is killed between the model's answer and the write; how it ended."""
    given = json.dumps({"act": "die", "url": url, "settings": PLAIN, "hours": hours})
    return subprocess.run([sys.executable, str(WRITER), given], check=False, timeout=60).returncode


async def test_death_between_model_and_store_writes_once(place: str) -> None:
    """Killed with the answer in hand, twice: who lives to do it writes it once, and nobody reads it again."""
    settings = Settings.load({"store.url": place, **PLAIN}, environ={})
    async with Rememora.open(settings=settings, model=ScriptedModel(), background=False) as rememora:
        await rememora.user("ana", tenant="acme").conversation("c1").reply(TEXT)
    deaths = [die(place, hours=hours) for hours in (1, 2)]

    late, model = datetime.now(UTC) + timedelta(hours=3), ScriptedModel(FOUND, FOUND)
    async with Rememora.open(settings=settings, clock=lambda: late, model=model, background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        before = [memory.value for memory in (await ana.memories.list()).items]
        await rememora.settle()
        await rememora.settle()
        after = (await ana.memories.list()).items
        [key] = [memory.key for memory in after if memory.value == QUOTE]
        tried = [attempt.reason for attempt in await ana.gate.attempts() if attempt.key == key]

        assert [SIGKILLED] * 2 == deaths
        assert (False, 1, ["stated"]) == (QUOTE in before, model.calls, tried)
