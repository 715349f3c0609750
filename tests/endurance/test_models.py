"""A model that is slow, fails, or talks nonsense: what the person said is kept once, and the error has a type."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.attacks.counts import Probe
from tests.endpoint import Act, Endpoint, answer, chat_answer, chat_chunk, events, raw, serving, stalling
from tests.endurance.conftest import Campaign

from rememora import Rememora, Settings
from rememora.errors import ModelUnavailable

TURNS = 600
PATIENCE = 0.3
"""Seconds that the memory waits for its model."""


def late(seconds: float, act: Act) -> Act:
    """The same after a while."""

    async def play(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(seconds)
        await act(writer)

    return play


async def hung_up(writer: asyncio.StreamWriter) -> None:
    """Not a word."""
    writer.close()


GOOD = answer(chat_answer("Anotado."))
ACTS: dict[str, Callable[[random.Random], Act]] = {
    "well": lambda _: GOOD,
    "a little late": lambda chance: late(chance.uniform(0, PATIENCE / 3), GOOD),
    "too late": lambda _: late(PATIENCE * 3, GOOD),
    "silent": lambda _: stalling(),
    "broken off": lambda _: stalling([chat_chunk("Ano")]),
    "hung up": lambda _: hung_up,
    "failing": lambda chance: raw(b"{}", status=chance.choice([400, 401, 404, 429, 500, 502, 503])),
    "no JSON": lambda chance: raw(chance.randbytes(chance.randrange(1, 400))),
    "cut": lambda chance: raw(json.dumps(chat_answer("Anotado.")).encode()[: chance.randrange(1, 90)]),
    "another shape": lambda chance: answer(chance.choice([None, [], 1, {"choices": []}, {"choices": [{}]}])),
    "nothing said": lambda _: answer(chat_answer(None)),
    "very much said": lambda chance: answer(chat_answer("x" * chance.randrange(10**5, 10**6))),
    "a stream unasked": lambda _: events([chat_chunk("Anotado."), chat_chunk(None, "stop")]),
}


@pytest.mark.slow
@pytest.mark.embedded
async def test_models_that_fail(tmp_path: Path, campaign: Campaign, probe: Probe) -> None:
    """Turn after turn with a model that behaves by chance: every turn is stored once, and answered or refused."""
    ends: dict[str, set[str]] = {name: set() for name in ACTS}
    async with serving(GOOD) as endpoint:
        model = {"provider": "openai", "name": "m", "api_key": "k", "retries": 0, "base_url": endpoint.url}
        values = {f"model.{name}": value for name, value in (*model.items(), ("timeout_seconds", PATIENCE))}
        place = {"store.url": str(tmp_path), "recall.embedder": "none"}
        settings = Settings.load({**place, **values}, environ={})
        async with Rememora.open(settings=settings, background=False) as rememora:
            for seed in campaign.seeds(TURNS):
                await _turn(rememora, endpoint, seed, ends, probe)
            intact = (await rememora.tenant("acme", acting="auditor").audit.verify()).intact

    assert intact
    assert {"answered"} == ends["well"]
    assert {"refused"} == ends["silent"] | ends["failing"] | ends["hung up"]


async def _turn(
    rememora: Rememora, endpoint: Endpoint, seed: int, ends: dict[str, set[str]], probe: Probe
) -> None:
    chance = random.Random(seed)
    name = chance.choice(list(ACTS))
    endpoint.acts = [ACTS[name](chance)]
    chat = rememora.user("ana", tenant="acme").conversation(f"c{seed}")
    said = f"a entrega {seed} chegou"
    try:
        reply = await chat.reply(said)
        ends[name].add("answered")
        expected = [said, reply.text]
    except ModelUnavailable:
        ends[name].add("refused")
        expected = [said]
    except Exception as error:  # noqa: BLE001  (what is looked for)
        probe(False, f"seed {seed}, {name}: {type(error).__name__}: {error}")
        return
    stored = [message.content for message in (await chat.messages()).items]
    probe(stored == expected, f"seed {seed}, {name}: {str(stored)[:200]}")
