"""A process of its own that works on one mission: `python mission_writer.py <folder> <act> <mission>`."""

from __future__ import annotations

import asyncio
import os
import signal
import sys

from rememora.adapters.sql.missions import SqlMissions
from rememora.adapters.sql.sqlite import SqliteDatabase
from rememora.domain.mission_intake import Spend
from rememora.domain.scope import Scope
from rememora.missions import Board, Bus, Send
from rememora.settings import Store
from rememora.wiring import utc_now

SCOPE = Scope("acme", "ana", "c1")
WRITERS, TIMES = 16, 200


async def write_much(board: Board, mission_id: str) -> None:
    """Sixteen writers, each 200 times: one more on the counter, one more in the list."""

    async def one(writer: int) -> None:
        for number in range(TIMES):
            await board.increment(SCOPE, mission_id, "executors.counters.hits")
            item = f"{os.getpid()}-{writer}-{number}"
            await board.push(SCOPE, mission_id, "coordinators.funds.warnings", item=item)

    await asyncio.gather(*(one(writer) for writer in range(WRITERS)))


async def die_at_work(board: Board, bus: Bus) -> None:
    """Open a mission, start a call, say its id, and be gone."""
    mission = await board.create(SCOPE, "a query nobody will answer")
    await bus.send(SCOPE, mission.id, Send(sender="a", to="b", reserve=Spend(tokens=500), start=True))
    sys.stdout.write(mission.id)
    sys.stdout.flush()
    os.kill(os.getpid(), signal.SIGKILL)


async def main(folder: str, act: str, mission_id: str) -> None:
    database = SqliteDatabase(Store(url=folder, synchronous="normal"))
    await database.open()
    store = SqlMissions(database, clock=utc_now)
    board, bus = Board(store, clock=utc_now), Bus(store, clock=utc_now)
    await (die_at_work(board, bus) if act == "die" else write_much(board, mission_id))
    await database.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
