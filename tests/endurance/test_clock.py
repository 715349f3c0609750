"""Clocks that jump years to and fro: the order of what was said holds, and no moment knows two values of a key."""

from __future__ import annotations

import random
from collections import Counter
from datetime import timedelta

import pytest
from tests.attacks.counts import Probe
from tests.clock import MIDDAY, SetClock
from tests.endurance.conftest import Campaign
from tests.scenarios.test_clock_jumps import DAYS, write

from rememora import Rememora

WALKS, WRITES, LOOKS = 50, 40, 40


@pytest.mark.slow
async def test_jumps_of_the_clock(rememora: Rememora, clock: SetClock, campaign: Campaign, probe: Probe) -> None:
    """Each walk is a person of its own; every look at a moment and every order of a conversation is a try."""
    for seed in campaign.seeds(WALKS):
        chance, who = random.Random(seed), rememora.user(f"u{seed}", tenant="acme")
        said = []
        for number in range(WRITES):
            clock.now = MIDDAY + timedelta(days=chance.uniform(-DAYS, DAYS))
            await write(who, chance, number)
            said.append((await who.conversation("c1").append("user", f"turno {number}")).id)
        for _ in range(LOOKS):
            moment = MIDDAY + timedelta(days=chance.uniform(-DAYS, DAYS))
            known = Counter(memory.key for memory in await who.memories.as_of(moment))
            probe(all(count == 1 for count in known.values()), f"seed {seed}: {moment} knows {known}")
        page = await who.conversation("c1").messages(limit=WRITES)
        probe(said == [message.id for message in page.items], f"seed {seed}: order of the conversation")

    assert (await rememora.tenant("acme", acting="auditor").audit.verify()).intact
