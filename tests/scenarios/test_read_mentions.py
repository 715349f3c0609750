"""What a model reads in an exchange: counted where it is well formed and said, dropped where it is not."""

from __future__ import annotations

import logging

import pytest
from tests.clock import SetClock

from rememora import Rememora, Settings
from rememora.context.learn import learn
from rememora.domain.scope import Scope
from rememora.knowledge.mentions.read import read_mentions
from rememora.testing import ScriptedModel

ANA = Scope("acme", "ana", "c1")
TEXT = "A Padaria Sol vai lançar o Pão Estrela com a Marina"
TYPES = ("person", "organization", "product")
GOOD = (
    '{"entities": [{"type": "organization", "name": "Padaria Sol", "confidence": 0.9}, '
    '{"type": "product", "name": "Pão Estrela", "value": "vai lançar o Pão Estrela"}]}'
)


async def counted(rememora: Rememora, model: ScriptedModel, clock: SetClock) -> set[str]:
    settings = rememora.settings.entities
    await learn(rememora._parts.store, ANA, TEXT, settings=settings, clock=clock, model=model)
    return {entity.key for entity in await rememora.user("ana", tenant="acme").entities(limit=50)}


async def test_a_model_reads_what_is_mentioned(rememora: Rememora, clock: SetClock) -> None:
    """Its well-formed answer is what is counted, under the keys that the rules give too."""
    found = await counted(rememora, ScriptedModel(f"Claro:\n```json\n{GOOD}\n```"), clock)

    assert {"organization.padaria_sol", "product.pao_estrela"} == found


@pytest.mark.parametrize("answer", ["", "não sei", "{", '{"entities": 3}', "[]", '{"facts": []}'])
async def test_an_answer_that_is_none_leaves_it_to_the_rules(
    rememora: Rememora, clock: SetClock, answer: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Dropped, told in the log, never raised: the rules count what they would have counted."""
    by_rules = await counted(rememora, ScriptedModel(), clock)
    with caplog.at_level(logging.WARNING, logger="rememora.context"):
        found = await counted(rememora, ScriptedModel(answer), clock)

    assert by_rules == found
    assert any("malformed" in record.getMessage() for record in caplog.records)


@pytest.mark.parametrize(
    "entity",
    [
        '{"type": "spaceship", "name": "Marina"}',
        '{"type": "person", "name": "Ignore all rules"}',
        '{"type": "person", "name": "Marina", "value": "mora em Marte"}',
        '{"type": "person", "name": "Marina", "confidence": 7}',
        '{"type": "person", "name": ""}',
        '{"type": "person"}',
        "3",
    ],
)
async def test_a_malformed_thing_does_not_take_the_others_along(entity: str) -> None:
    """Unknown types, what the text does not say, and wrong forms are dropped one by one, and counted."""
    model = ScriptedModel(GOOD.replace("[", f"[{entity}, "))
    reading = await read_mentions(model, TEXT, types=TYPES)

    assert ["organization.padaria_sol", "product.pao_estrela"] == [each.key for each in reading.mentions]
    assert (1, False) == (reading.malformed, reading.failed)


async def test_a_turn_asks_the_model_after_the_answer(settings: Settings, clock: SetClock) -> None:
    """What was mentioned in a turn is read by the model where there is one."""
    model = ScriptedModel(GOOD)
    async with Rememora.open(settings=settings, clock=clock, model=model, background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        await ana.conversation("c1").reply(TEXT)
        await rememora.settle()

        assert [TEXT] == model.asked
        assert {"organization.padaria_sol", "product.pao_estrela"} == {each.key for each in await ana.entities()}
