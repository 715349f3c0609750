"""A turn tried again does nothing twice: what it did to memory the first time is what it did."""

from __future__ import annotations

import pytest
from tests.responders import ScriptedResponder

from rememora import Rememora, Settings
from rememora.domain.context import Reply
from rememora.errors import ModelUnavailable
from rememora.handles.user import UserMemory


async def tried_twice(ana: UserMemory, responder: ScriptedResponder, text: str) -> Reply:
    """A turn whose model fails, and the same again under its key."""
    responder.fault, responder.pieces = ModelUnavailable("away"), ()
    with pytest.raises(ModelUnavailable):
        await ana.conversation("c1").reply(text, key=text)
    responder.fault, responder.pieces = None, ("Certo.",)
    return await ana.conversation("c1").reply(text, key=text)


async def test_a_retry_does_not_do_again_what_was_asked(settings: Settings) -> None:
    """A repeated yes leaves the next question open, and a repeated forgetting still says what was forgotten."""
    responder = ScriptedResponder(("Certo.",))
    async with Rememora.open(settings=settings, responder=responder, background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        for doubt in ("talvez eu prefira tabelas nas respostas, não sei", "talvez eu goste de áudio, não sei"):
            await ana.conversation("c1").reply(doubt)
        count = len(await ana.proposals.list())
        yes = await tried_twice(ana, responder, "sim")
        left = len(await ana.proposals.list())
        await ana.conversation("c1").reply("salva que meu sobrenome é Silva")
        forgotten = await tried_twice(ana, responder, "esquece meu sobrenome")

    assert (2, 1) == (count, left)
    assert (["saved"], ["forgotten"]) == ([deed.kind for deed in yes.deeds], [d.kind for d in forgotten.deeds])
