"""Rules under two writers, in circles, and back and forth: nothing is applied twice, and nothing loops."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

from tests.scenarios.talk.test_evolving import RULES

from rememora import Rememora, Settings, UserMemory

CHILD = """
import asyncio, sys
from rememora import Rememora, Settings

async def main(url, trigger, name):
    settings = Settings.load({"store.url": url, "recall.embedder": "none"}, environ={})
    async with Rememora.open(settings=settings, background=False) as rememora:
        print("ready", flush=True)
        sys.stdin.readline()
        await rememora.user("ana", tenant="acme").conversation(name).reply(trigger)

asyncio.run(main(*sys.argv[1:]))
"""


async def test_two_processes_make_one_rule_true_once(tmp_path: Path) -> None:
    """Whichever comes first applies it; the other one finds that it holds, and the audit chain tells of both."""
    holds, rule, trigger, (old, new), _ = RULES[0]
    url = str(tmp_path / "store")
    settings = Settings.load({"store.url": url, "recall.embedder": "none"}, environ={})
    async with Rememora.open(settings=settings, background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        for text in (holds, rule):
            await ana.conversation("c1").reply(text)
        await _run_at_once([[sys.executable, "-c", CHILD, url, trigger, "c1"] for _ in range(2)])
        active = (await ana.memories.list()).items
        made = [memory for memory in active if memory.because is not None]
        report = await rememora.tenant("acme", acting="boss").audit.verify()

        assert [True] == [new in str(memory.value) for memory in made]
        assert not any(old in str(memory.value) for memory in active)
        assert [old, new] == [
            _time_in(str(held.value), (old, new)) for held in await ana.memories.timeline(made[0].id)
        ]
        assert () == report.faults


async def test_rules_that_make_each_other_true_come_to_an_end(ana: UserMemory) -> None:
    """A circle of rules is followed at most once round by one message."""
    chat = ana.conversation("c1")
    for text in (
        "se o Davi assumir a cozinha, a Bia assume o caixa",
        "se a Bia assumir o caixa, o Davi assume a cozinha",
    ):
        await chat.reply(text)
    for trigger in ("o Davi assumiu a cozinha ontem", "a Bia assumiu o caixa hoje", "o Davi assumiu a cozinha"):
        await asyncio.wait_for(chat.reply(trigger), timeout=60)
    made = [memory for memory in (await ana.memories.list()).items if memory.because is not None]

    assert len(made) == len({memory.because for memory in made}) <= 2


async def test_a_rule_that_no_longer_holds_takes_back_what_it_made(ana: UserMemory) -> None:
    """Applied and ended, nothing of its consequence stands, and it can come true again."""
    chat = ana.conversation("c1")
    await chat.reply("enquanto a Ester estiver de licença, o atendimento é só por mensagem")
    before = await _made(ana)
    await chat.reply("a Ester entrou de licença hoje")
    applied = await _made(ana)
    await chat.reply("a Ester voltou da licença ontem")
    ended = await _made(ana)
    await chat.reply("a Ester entrou de licença de novo")

    assert ([], ["o atendimento é só por mensagem"], []) == (before, applied, ended)
    assert applied == await _made(ana)


async def _made(ana: UserMemory) -> list[str]:
    """What rules have made so."""
    return [str(memory.value) for memory in (await ana.memories.list()).items if memory.because is not None]


def _time_in(value: str, times: tuple[str, str]) -> str:
    return next(time for time in times if time in value)


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
