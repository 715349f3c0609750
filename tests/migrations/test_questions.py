"""A question that waits survives the change from words in two languages to a form with parameters, and back."""

from __future__ import annotations

import pytest
from tests.migrations.test_moves import Kept

from rememora import Rememora

BELOW, EXPANDED = "0026", "0027"


async def _ask(kept: Kept) -> dict[str, str]:
    async with Rememora.open(settings=kept.settings, background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        outcome = await ana.remember("tools.chat", "Slack", source="inferred", confidence=0.4)
        assert outcome.question is not None
        return outcome.question.questions


@pytest.mark.parametrize("below", [BELOW, EXPANDED])
async def test_down_and_up_again_with_a_question(kept: Kept, below: str) -> None:
    """Down it is in words again; up it is asked in the words it had, and its answer keeps what it asks about."""
    said = await _ask(kept)
    kept.move(below)
    words = kept.asked("SELECT question_pt, question_en FROM proposals")
    kept.move()
    async with Rememora.open(settings=kept.settings, background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        [waiting] = await ana.proposals.list()

        assert [(said["pt"], said["en"])] == words
        assert (said["pt"], said["en"]) == (waiting.question("pt"), waiting.question("en"))
        await ana.proposals.answer(waiting.id, "sim")
        assert "Slack" == (await ana.memories.get("tools.chat")).value
