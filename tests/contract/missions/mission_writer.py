"""A process of its own on one mission: `python mission_writer.py <folder> <url> <prefix> <act> <mission>`."""

from __future__ import annotations

import asyncio
import os
import signal
import sys

from rememora.domain.mission_intake import Spend
from rememora.domain.scope import Scope
from rememora.engines import open_database, open_missions
from rememora.missions import Board, CallRequest, Missions
from rememora.settings import Settings
from rememora.wiring.parts import utc_now

SCOPE = Scope("acme", "ana", "c1")
WRITERS = 16


async def write_much(board: Board, times: int) -> None:
    """Sixteen writers, each so many times: one more on the counter, one more in the list."""

    async def one(writer: int) -> None:
        for number in range(times):
            await board.increment("executors.counters.hits")
            item = f"{os.getpid()}-{writer}-{number}"
            await board.push("coordinators.funds.warnings", item)

    await asyncio.gather(*(one(writer) for writer in range(WRITERS)))


async def die_at_work(missions: Missions) -> None:
    """Open a mission, start a call, say its id, and be gone."""
    mission = await missions.create(SCOPE, "a query nobody will answer")
    send = CallRequest(sender="a", to="b", reserve=Spend(tokens=500), start=True)
    await missions.bus(SCOPE, mission.id).send(send)
    sys.stdout.write(mission.id)
    sys.stdout.flush()
    os.kill(os.getpid(), signal.SIGKILL)


async def main(folder: str, url: str, prefix: str, act: str, mission_id: str, times: str) -> None:
    where = {"store.url": folder, "store.synchronous": "normal", "missions.url": url, "redis.prefix": prefix}
    settings = Settings.load(where, environ={})
    database = await open_database(settings)
    store = await open_missions(settings, database, clock=utc_now)
    missions = Missions(store, clock=utc_now)
    await (die_at_work(missions) if act == "die" else write_much(missions.board(SCOPE, mission_id), int(times)))
    await store.close()
    await database.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
