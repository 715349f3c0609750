"""A clock that jumps: whatever it says, at any moment at most one value stands under a key."""

from __future__ import annotations

import random
from collections import Counter
from datetime import timedelta

import pytest
from tests.clock import MIDDAY, SetClock

from rememora import Rememora, UserMemory
from rememora.errors import NotFound

DAYS, WRITES, LOOKS = 400, 60, 200
KEYS = ("user.name", "user.location", "prefs.color")


async def write(ana: UserMemory, chance: random.Random, number: int) -> None:
    """One change of one key: a new value, a correction, or a forgetting and its undoing."""
    key = chance.choice(KEYS)
    act = chance.choice(("remember", "remember", "correct", "forget", "restore"))
    try:
        if act == "remember":
            await ana.remember(key, f"valor {number}")
        elif act == "correct":
            await ana.memories.correct(key, f"valor certo {number}")
        elif act == "forget":
            await ana.forget(key)
        else:
            gone = (await ana.memories.list(prefix=key, status="deleted")).items
            if gone and not (await ana.memories.list(prefix=key)).items:
                await ana.memories.restore(chance.choice(gone).id)
    except NotFound:
        return


@pytest.mark.parametrize("seed", range(4))
async def test_as_of_gives_one_value_of_a_key_however_the_clock_jumped(
    ana: UserMemory, clock: SetClock, seed: int
) -> None:
    """Sixty writes under a clock that jumps 400 days to and fro: no moment knows two values of one key."""
    chance = random.Random(seed)
    moments = [MIDDAY]
    for number in range(WRITES):
        clock.now = MIDDAY + timedelta(days=chance.uniform(-DAYS, DAYS))
        moments.append(clock.now)
        await write(ana, chance, number)
    moments += [MIDDAY + timedelta(days=chance.uniform(-DAYS, DAYS)) for _ in range(LOOKS)]
    for moment in moments:
        known = Counter(memory.key for memory in await ana.memories.as_of(moment))

        assert all(count == 1 for count in known.values()), (moment, known)
    last = {memory.id for memory in await ana.memories.as_of(MIDDAY + timedelta(days=2 * DAYS))}

    assert {memory.id for memory in (await ana.memories.list()).items} == last


async def test_an_import_adds_no_second_value_to_a_moment(rememora: Rememora, clock: SetClock) -> None:
    """What another store knew at a time when something stood under the key here does not stand beside it."""
    ana, bia = (rememora.user(name, tenant="acme") for name in ("ana", "bia"))
    for day, (who, value) in enumerate([(bia, "Recife"), (ana, "Olinda"), (bia, "Natal"), (ana, "Belém")]):
        clock.now = MIDDAY + timedelta(days=day)
        await who.remember("user.location", value)
    clock.now = MIDDAY + timedelta(days=10)
    await ana.archive.load(await bia.archive.export())
    seen = [await ana.memories.as_of(MIDDAY + timedelta(days=day, hours=1)) for day in range(12)]

    assert ["Recife", *["Olinda"] * 2, *["Belém"] * 9] == [known.value for (known,) in seen]
