"""The ranking of reference questions, hit by hit: how an index is kept must not change what it answers.

`golden/rankings.json` holds what the questions of `golden/talk.json` found; `golden/shared.json` holds marks of
what LoCoMo and memoria_pt found, for whoever has them. A change to the ranking itself
writes both anew, on purpose.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from bench.recall import locomo, memoria
from tests.scenarios.golden import telling

from rememora import Settings

GOLDEN = json.loads((telling.HERE / "rankings.json").read_text())
SHARED = json.loads((telling.HERE / "shared.json").read_text())
FOLDERS = [folder / "shared" / "data" for folder in Path(__file__).parents]
DATA = next((folder for folder in FOLDERS if (folder / "locomo10.json").exists()), None)
needs_data = pytest.mark.skipif(DATA is None, reason="the reference sets are not here")


async def test_rankings_are_the_same_in_the_process_that_wrote(settings: Settings) -> None:
    """What a process laid out message by message ranks as it always has."""
    async with telling.opened(settings) as rememora:
        person = await telling.tell(rememora)
        found = await telling.rankings(person, GOLDEN)

        assert found == GOLDEN


async def test_rankings_are_the_same_after_a_restart(settings: Settings) -> None:
    """What another process reads from the store ranks the same, to the last hit."""
    async with telling.opened(settings) as rememora:
        await telling.tell(rememora)
    async with telling.opened(settings) as rememora:
        found = await telling.rankings(rememora.user("ana", tenant="acme"), GOLDEN)

        assert found == GOLDEN


async def asked(settings: Settings, cases: Iterator[Any], every: int) -> dict[str, str]:
    """A mark for each history, of what its questions find after a restart."""
    histories = list(cases)
    async with telling.opened(settings, dimension=256) as rememora:
        for case in histories:
            await telling.tell_rows(rememora, case.name, case.rows)
    found: dict[str, str] = {}
    async with telling.opened(settings, dimension=256) as rememora:
        for case in histories:
            questions = [each.text for each in case.asked][::every]
            person = rememora.user(case.name, tenant="acme")
            found[case.name] = telling.digest(await telling.rankings(person, questions))
    return found


@needs_data
async def test_rankings_of_memoria_pt_are_the_same(settings: Settings) -> None:
    """Every question about the Portuguese histories finds what it found."""
    assert DATA is not None

    assert SHARED["memoria_pt"] == await asked(settings, memoria(DATA), 1)


@needs_data
@pytest.mark.slow
async def test_rankings_of_locomo_are_the_same(settings: Settings) -> None:
    """One in four of LoCoMo's questions finds what it found."""
    assert DATA is not None

    assert SHARED["LoCoMo"] == await asked(settings, locomo(DATA), 4)
