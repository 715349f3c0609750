"""A person sees how their memory came about: what it was learned from, what was tried, and what was done."""

from __future__ import annotations

import pytest

from rememora import Conversation, Rememora, UserMemory
from rememora.errors import NotFound


async def test_sources_are_the_message_and_the_answers_that_told_it(
    rememora: Rememora, ana: UserMemory, chat: Conversation
) -> None:
    """The message comes first, in its conversation; nobody else's memory is asked about this way."""
    await chat.reply("Guarda que o contador é o Paulo.")
    await chat.reply("Quem é o contador?")
    await rememora.settle()
    (memory,) = (await ana.memories.list(prefix="people")).items
    result = await ana.memories.sources(memory.id)

    assert ("user", "c1") == (result[0].role, result[0].conversation)
    assert "Guarda que o contador é o Paulo." == result[0].content
    assert {"assistant"} == {message.role for message in result[1:]}
    assert [message.seq for message in result] == sorted(message.seq for message in result)
    with pytest.raises(NotFound):
        await rememora.user("bia", tenant="acme").memories.sources(memory.id)
    with pytest.raises(NotFound):
        await rememora.user("ana", tenant="other").memories.sources(memory.id)


async def test_attempts_and_acts_are_newest_first(rememora: Rememora) -> None:
    """What was refused has its reason and no content; acts page backwards from a position."""
    ana, bia = rememora.user("ana", tenant="acme"), rememora.user("bia", tenant="acme")
    await ana.remember("user.location", "Recife")
    await ana.memories.correct("user.location", "Olinda")
    await bia.remember("user.location", "Natal")
    refused = await ana.gate.note("minha senha é abacaxi123")
    tried = await ana.gate.attempts(limit=2)
    acts = await ana.audit.list()
    older = await ana.audit.list(before=acts[0].position)

    assert refused.verdict is not None
    assert refused.verdict.reason == tried[0].reason
    assert not tried[0].worthy
    assert tried[1].worthy
    assert {"ana"} == {act.owner for act in acts}
    assert [act.position for act in acts] == sorted((act.position for act in acts), reverse=True)
    assert acts[1:] == older
    assert "create" == acts[-1].action
