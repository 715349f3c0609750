"""Messages that wait to be read come and go with their version; whatever was there before stays."""

from __future__ import annotations

import json

from tests.migrations.test_moves import Kept

from rememora import Rememora
from rememora.testing import ScriptedModel

BELOW = "0022"
TEXT = "me ajuda a escrever para minha sócia, que toca o financeiro"
TOLD = "minha sócia, que toca o financeiro"
FOUND = json.dumps(
    {"statements": [{"statement": TOLD, "quote": TOLD, "subject": "sócia", "attribute": "role", "certainty": 0.9}]}
)


async def test_down_and_up_again_with_messages_that_wait(kept: Kept) -> None:
    """Down, what waited is not read any more and the messages stay; up, what is said then is read."""
    async with Rememora.open(settings=kept.settings, model=ScriptedModel(), background=False) as rememora:
        await rememora.user("ana", tenant="acme").conversation("c1").reply(TEXT, key="a")
    before = kept.asked("SELECT message_id FROM unread")
    kept.move(BELOW)
    messages = kept.asked("SELECT id FROM messages WHERE role = 'user'")
    kept.move()
    after = kept.asked("SELECT * FROM unread")
    async with Rememora.open(
        settings=kept.settings, model=ScriptedModel(*[FOUND] * 4), background=False
    ) as rememora:
        ana = rememora.user("ana", tenant="acme")
        await ana.conversation("c2").reply(TEXT, key="b")
        await rememora.settle()

        assert ([("a",)], [("a",)], []) == (before, messages, after)
        assert [] == kept.asked("SELECT * FROM unread")
        assert TOLD in [memory.value for memory in (await ana.memories.list()).items]
