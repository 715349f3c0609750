"""Rules under two writers, in circles, and back and forth: nothing is applied twice, and nothing loops."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from tests.engines.postgres import postgres_url
from tests.scenarios.talk.test_evolving import RULES

from rememora import Conversation, Rememora, Settings, UserMemory
from rememora.language.amended import newest

CHILD = """
import asyncio, sys
from rememora import Rememora, Settings

async def main(url, keys, trigger, name):
    wanted = {"store.url": url, "store.key_folder": keys, "recall.embedder": "none"}
    settings = Settings.load(wanted, environ={})
    async with Rememora.open(settings=settings, background=False) as rememora:
        print("ready", flush=True)
        sys.stdin.readline()
        await rememora.user("ana", tenant="acme").conversation(name).reply(trigger)

asyncio.run(main(*sys.argv[1:]))
"""


HOLDS = "O atendimento é presencial e por telefone"
WHILE = "enquanto a Ester estiver de licença, o atendimento é só por mensagem"
BEGINS = "a Ester entrou de licença hoje"
ENDS = "a Ester voltou da licença"
RACES = {
    "both make it true": ((), (BEGINS, BEGINS), {1}),
    "one makes it true, one ends it": ((), (BEGINS, ENDS), {0, 1}),
    "both end it": ((BEGINS,), (ENDS, ENDS), {0}),
    "one ends it, one makes it true again": ((BEGINS,), (ENDS, BEGINS), {0, 1}),
}
"""Messages before the race, the two that are sent at once, and how many consequences may stand afterwards."""


@pytest.fixture(params=["sqlite", "postgres"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Settings]:
    """Settings of a fresh store of one engine, which several processes may open."""
    with postgres_url() if request.param == "postgres" else nullcontext(str(tmp_path / "store")) as url:
        overrides = {"store.url": url, "store.key_folder": str(tmp_path), "recall.embedder": "none"}
        yield Settings.load(overrides, environ={})


@pytest.mark.parametrize("race", RACES)
async def test_two_writers_on_one_rule_end_as_if_one_after_the_other(settings: Settings, race: str) -> None:
    """Known and past memories are those of one of the two orders, and the audit chain holds."""
    before, (one, other), state = RACES[race]
    async with (
        Rememora.open(settings=settings, background=False) as first,
        Rememora.open(settings=settings, background=False) as second,
    ):
        for name in ("ana", "in order", "in reverse"):
            for text in (HOLDS, WHILE, *before):
                await first.user(name, tenant="acme").conversation("c0").reply(text)
        for name, texts in (("in order", (one, other)), ("in reverse", (other, one))):
            for text in texts:
                await first.user(name, tenant="acme").conversation(f"after {text}").reply(text)
        await asyncio.gather(
            first.user("ana", tenant="acme").conversation("c1").reply(one),
            second.user("ana", tenant="acme").conversation("c2").reply(other),
        )
        orders = [await _state(first.user(name, tenant="acme")) for name in ("in order", "in reverse")]
        report = await first.tenant("acme", acting="boss").audit.verify()

        assert state == {sum(made for _, made in order["known"]) for order in orders}
        assert await _state(first.user("ana", tenant="acme")) in orders
        assert await _state(second.user("ana", tenant="acme")) in orders
        assert () == report.faults


async def test_two_processes_make_one_rule_true_once(settings: Settings) -> None:
    """Whichever comes first applies it; the other one finds that it holds, and the audit chain tells of both."""
    holds, rule, trigger, (old, new), _ = RULES[0]
    place = [settings.store.url, str(settings.store.key_folder)]
    async with Rememora.open(settings=settings, background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        for text in (holds, rule):
            await ana.conversation("c1").reply(text)
        await _run_at_once([[sys.executable, "-c", CHILD, *place, trigger, "c1"] for _ in range(2)])
        active = (await ana.memories.list()).items
        made = [memory for memory in active if memory.because is not None]
        report = await rememora.tenant("acme", acting="boss").audit.verify()

        assert [True] == [new in str(memory.value) for memory in made]
        assert not any(old in newest(str(memory.value)) for memory in active)
        texts = [str(held.value) for held in await ana.memories.timeline(made[0].id)]
        assert [old, new] == [time for value in texts for time in (old, new) if time in value]
        assert () == report.faults


async def test_rules_that_make_each_other_true_come_to_an_end(ana: UserMemory, chat: Conversation) -> None:
    """A circle of rules is followed at most once round by one message."""
    for text in (
        "se o Davi assumir a cozinha, a Bia assume o caixa",
        "se a Bia assumir o caixa, o Davi assume a cozinha",
    ):
        await chat.reply(text)
    for trigger in ("o Davi assumiu a cozinha ontem", "a Bia assumiu o caixa hoje", "o Davi assumiu a cozinha"):
        await asyncio.wait_for(chat.reply(trigger), timeout=60)
    made = [memory for memory in (await ana.memories.list()).items if memory.because is not None]

    assert len(made) == len({memory.because for memory in made}) <= 2


async def test_a_rule_that_no_longer_holds_takes_back_what_it_made(ana: UserMemory, chat: Conversation) -> None:
    """Applied and ended, nothing of its consequence stands, and it can come true again."""
    await chat.reply("enquanto a Ester estiver de licença, o atendimento é só por mensagem")
    before = await _made(ana)
    await chat.reply("a Ester entrou de licença hoje")
    applied = await _made(ana)
    await chat.reply("a Ester voltou da licença ontem")
    ended = await _made(ana)
    await chat.reply("a Ester voltou da licença ontem")
    ended_again = await _made(ana)
    await chat.reply("a Ester entrou de licença de novo")

    assert ([], ["o atendimento é só por mensagem"], [], []) == (before, applied, ended, ended_again)
    assert applied == await _made(ana)


async def _state(person: UserMemory) -> dict[str, list[Any]]:
    """Known values, whether each is the consequence of a rule, and the timeline of each."""
    active = sorted((await person.memories.list()).items, key=lambda memory: str(memory.value))
    return {
        "known": [(memory.value, memory.because is not None) for memory in active],
        "timelines": [[held.value for held in await person.memories.timeline(memory.id)] for memory in active],
    }


async def _made(ana: UserMemory) -> list[str]:
    """What rules have made so."""
    return [str(memory.value) for memory in (await ana.memories.list()).items if memory.because is not None]


async def _run_at_once(commands: list[list[str]]) -> None:
    """Start each command, and let all go on in the same moment once every one says that it is ready."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    children = [subprocess.Popen(command, **pipes) for command in commands]  # type: ignore[call-overload]
    for child in children:
        assert "ready\n" == await asyncio.to_thread(child.stdout.readline)
    for child in children:
        child.stdin.write("go\n")
        child.stdin.flush()
    assert [0] * len(children) == [await asyncio.to_thread(child.wait, 120) for child in children]
    for child in children:
        child.stdin.close()
        child.stdout.close()
