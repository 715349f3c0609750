"""The demonstration: a made-up company whose month of conversations is replayed through the product."""

from __future__ import annotations

import asyncio
import tomllib
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

from rememora.app import Rememora
from rememora.domain.rights import ADMIN
from rememora.domain.tenancy import PLANS
from rememora.errors import Conflict, NotFound
from rememora.settings.sections import ModelSettings

DEMO_TENANT = "rememora-demo"
DEMO_USER = "marina"
ACTING = "demonstration"
KEY_DAYS = 1
MINUTES_BETWEEN = 2
_filling = asyncio.Lock()


@cache
def script() -> dict[str, Any]:
    """People of the demonstration, and their messages with their times."""
    return tomllib.loads(files(__package__).joinpath("demo.toml").read_text("utf-8"))


async def open_demo(rememora: Rememora) -> str:
    """A link to the page of its owner; the demonstration is made where there is none."""
    async with _filling:
        if await _create(rememora):
            try:
                await _fill(rememora)
            except BaseException:
                # Half of it would look like all of it the next time.
                await rememora.operator(acting=ACTING).tenants.erase(DEMO_TENANT, confirm=DEMO_TENANT)
                raise
    link = await rememora.tenant(DEMO_TENANT, acting=ACTING).access.link(DEMO_USER)
    return link.token


async def demo_key(rememora: Rememora) -> str:
    """A key of the demonstration for an application, good for a day."""
    access = rememora.tenant(DEMO_TENANT, acting=ACTING).access
    return (await access.issue_key("service", label="demonstration", days=KEY_DAYS)).secret


async def remove_demo(rememora: Rememora) -> None:
    """Erase the demonstration and everything in it."""
    async with _filling:
        try:
            await rememora.operator(acting=ACTING).tenants.erase(DEMO_TENANT, confirm=DEMO_TENANT)
        except NotFound:
            # Removed by another click already.
            return


async def _create(rememora: Rememora) -> bool:
    operator = rememora.operator(acting=ACTING)
    try:
        await operator.tenants.create(DEMO_TENANT, name=script()["name"], plan=PLANS["free"])
    except Conflict:
        return False
    return True


class _Clock:
    """The time that the replayed conversations are at."""

    def __init__(self) -> None:
        self.now = datetime.now(UTC)

    def __call__(self) -> datetime:
        return self.now


async def _fill(rememora: Rememora) -> None:
    """Replay everything on a memory of the same store whose clock stands where each thing was said."""
    clock, now = _Clock(), datetime.now(UTC)
    if rememora.settings.store.url == ":memory:":
        # Nobody else can open such a store: everything is said now.
        await _replay(rememora, clock, now)
        return
    # Answered from memory alone: a configured model would be paid for it, and would say something else each time.
    plain = msgspec.structs.replace(rememora.settings, model=ModelSettings())
    async with Rememora.open(settings=plain, clock=clock, background=False) as past:
        # The charts of the desk show how long answers took, and not how long the first one waited for the models.
        await past.warm()
        await _replay(past, clock, now)
        await past.settle()


async def _replay(rememora: Rememora, clock: _Clock, today: datetime) -> None:
    scenes = script()
    clock.now = today - timedelta(days=31)
    for person in scenes["people"]:
        memory = rememora.user(person["user"], tenant=DEMO_TENANT, rights=ADMIN)
        await memory.profile.seed(person["profile"])
    owner = rememora.user(DEMO_USER, tenant=DEMO_TENANT, rights=ADMIN)
    for fact in scenes["shared"]:
        await owner.remember(fact["key"], fact["value"], scope="tenant_shared", source="admin_system")
    await _work(rememora, clock, today)
    for talk in scenes["talks"]:
        said = rememora.user(talk["user"], tenant=DEMO_TENANT).conversation(talk["id"])
        for place, text in enumerate(talk["said"]):
            # Talks lie in the past of a clock that only the demonstration sees, minutes between their turns.
            minutes = MINUTES_BETWEEN * (len(talk["said"]) - place)
            clock.now = today - timedelta(days=talk["days"], minutes=minutes)
            await said.reply(text)


async def _work(rememora: Rememora, clock: _Clock, today: datetime) -> None:
    """Search, hand out work and issue a key, so that the desk has something of each to show."""
    desk, company = script()["desk"], rememora.tenant(DEMO_TENANT, acting=ACTING)
    await company.access.issue_key("service", label=desk["key"])
    for search in desk["searches"]:
        clock.now = today - timedelta(days=search["days"])
        await rememora.user(search["user"], tenant=DEMO_TENANT).recall(search["words"])
    for task in desk["tasks"]:
        clock.now = today - timedelta(days=task["days"], minutes=MINUTES_BETWEEN)
        person = rememora.user(task["user"], tenant=DEMO_TENANT)
        await person.tasks.delegate(task["module"], task["kind"], task["payload"])
        # An open task is left for the desk to show.
        held = await company.tasks.claim(task["module"]) if task["ended"] else None
        if held is None:
            continue
        if task["ended"] == "falhou":
            await company.tasks.fail(held.task.id, lease=held.lease, error="no_answer")
        else:
            await company.tasks.complete(held.task.id, lease=held.lease)
