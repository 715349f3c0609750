"""The turn: stored before it is answered, answered once, and never lost with its caller or its model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, cast

import msgspec
import pytest
from tests.clock import SetClock
from tests.responders import ScriptedResponder

from rememora import Message, Rememora, Reply, ReplyPart, Settings, SyncRememora, UserMemory
from rememora.errors import Conflict, InvalidInput, ModelUnavailable
from rememora.settings import ModelSettings

Opening = Callable[[ScriptedResponder], AbstractAsyncContextManager[Rememora]]


@pytest.fixture
def opening(settings: Settings, clock: SetClock) -> Opening:
    """Opens a memory whose model is a script."""
    return lambda responder: Rememora.open(settings=settings, clock=clock, background=False, responder=responder)


async def history(rememora: Rememora) -> list[Message]:
    page = await rememora.user("ana", tenant="acme").conversation("c1").messages()
    return list(page.items)


async def said(rememora: Rememora) -> list[tuple[str, str]]:
    return [(message.role, message.content) for message in await history(rememora)]


def chat_of(rememora: Rememora) -> Any:
    return rememora.user("ana", tenant="acme").conversation("c1")


async def listen(stream: AsyncIterator[ReplyPart], heard: list[str]) -> None:
    async for piece in stream:
        heard += [piece.text]


async def test_a_turn_is_stored_whole(opening: Opening) -> None:
    """Both sides are in the history, the answer points at its question and names its model."""
    async with opening(ScriptedResponder()) as rememora:
        reply: Reply = await chat_of(rememora).reply("Oi", modality="voice")
        query, answered = await history(rememora)

        assert ("Oi", "Olá, Ana.") == (query.content, answered.content)
        assert reply.answer == answered
        assert reply.asked == query
        assert {"in_reply_to": query.id, "model": "scripted"} == answered.metadata
        assert ("voice", "voice") == (query.modality, answered.modality)


async def test_what_was_said_is_durable_before_the_model_is_asked(opening: Opening) -> None:
    """A model that fails at once costs the answer, never the question."""
    async with opening(ScriptedResponder((), fault=ModelUnavailable())) as rememora:
        with pytest.raises(ModelUnavailable):
            await chat_of(rememora).reply("Meu prazo é sexta")

        assert [("user", "Meu prazo é sexta")] == await said(rememora)


async def test_the_model_sees_the_past_and_not_the_question_twice(opening: Opening) -> None:
    """The message being answered is the query, and the newest messages before it are the past."""
    responder = ScriptedResponder()
    async with opening(responder) as rememora:
        await chat_of(rememora).reply("primeira")
        await chat_of(rememora).reply("segunda")

        assert [("user", "primeira"), ("assistant", "Olá, Ana."), ("user", "segunda")] == [
            (message.role, message.text) for message in responder.prompts[-1].messages
        ]


async def test_a_stream_ends_with_the_reply(opening: Opening) -> None:
    """The pieces are the answer, and the last one carries the turn."""
    async with opening(ScriptedResponder()) as rememora:
        pieces: list[ReplyPart] = [piece async for piece in chat_of(rememora).stream("Oi")]

        assert ["Olá, ", "Ana.", ""] == [piece.text for piece in pieces]
        assert pieces[-1].reply is not None
        assert "Olá, Ana." == pieces[-1].reply.text
        assert [("user", "Oi"), ("assistant", "Olá, Ana.")] == await said(rememora)


async def test_a_stream_left_early_is_stored_as_partial(opening: Opening) -> None:
    """When the listener goes away, what was said so far is kept, marked, and the model is stopped."""
    responder = ScriptedResponder(("Era uma ", "vez"))
    responder.going.clear()
    async with opening(responder) as rememora:
        stream = cast("AsyncGenerator[ReplyPart, None]", chat_of(rememora).stream("Conte"))
        first = await anext(stream)
        await stream.aclose()
        answer = (await history(rememora))[-1]

        assert "Era uma " == first.text == answer.content
        assert answer.metadata["partial"] is True
        assert responder.closed_early


async def test_a_cancelled_listener_leaves_a_partial_answer(opening: Opening) -> None:
    """Cancelling the task that listens stores what it heard."""
    responder = ScriptedResponder(("Era uma ", "vez"))
    responder.going.clear()
    async with opening(responder) as rememora:
        heard = asyncio.Event()

        async def hear() -> None:
            async for _ in chat_of(rememora).stream("Conte"):
                heard.set()

        listening = asyncio.create_task(hear())
        await heard.wait()
        listening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await listening
        answer = (await history(rememora))[-1]

        assert ("assistant", "Era uma ") == (answer.role, answer.content)
        assert answer.metadata["partial"] is True


async def test_a_model_that_dies_midway_leaves_a_partial_answer(opening: Opening) -> None:
    """The listener gets the pieces and then the error; the history gets the pieces."""
    async with opening(ScriptedResponder(("Era uma ",), fault=ModelUnavailable())) as rememora:
        heard: list[str] = []
        with pytest.raises(ModelUnavailable):
            await listen(chat_of(rememora).stream("Conte"), heard)
        answer = (await history(rememora))[-1]

        assert ["Era uma "] == heard
        assert ("Era uma ", True) == (answer.content, answer.metadata["partial"])


async def test_a_caller_that_is_cancelled_still_gets_its_answer_stored(opening: Opening) -> None:
    """A turn without streaming is finished in the background, whole."""
    responder = ScriptedResponder(("Tudo ", "certo"))
    responder.going.clear()
    async with opening(responder) as rememora:
        calling = asyncio.create_task(chat_of(rememora).reply("Oi"))
        while not responder.prompts:
            await asyncio.sleep(0)
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling
        responder.going.set()
        while len(await history(rememora)) < 2:
            await asyncio.sleep(0)
        answer = (await history(rememora))[-1]

        assert "Tudo certo" == answer.content
        assert "partial" not in answer.metadata


async def test_closing_waits_for_turns_under_way(settings: Settings, clock: SetClock) -> None:
    """A turn whose caller has gone is not lost when the memory is closed."""
    responder = ScriptedResponder(("Tudo ", "certo"))
    rememora = await Rememora.open(settings=settings, clock=clock, background=False, responder=responder)
    responder.going.clear()
    calling = asyncio.create_task(chat_of(rememora).reply("Oi"))
    while not responder.prompts:
        await asyncio.sleep(0)
    calling.cancel()
    asyncio.get_running_loop().call_later(0.05, responder.going.set)
    await rememora.close()

    async with Rememora.open(settings=settings, clock=clock, background=False) as again:
        assert [("user", "Oi"), ("assistant", "Tudo certo")] == await said(again)


async def test_a_retry_with_its_key_is_answered_once(opening: Opening) -> None:
    """The same key is the same turn: one question, one answer, one call of the model."""
    responder = ScriptedResponder()
    async with opening(responder) as rememora:
        first: Reply = await chat_of(rememora).reply("Oi", key="k1")
        again: Reply = await chat_of(rememora).reply("Oi", key="k1")
        streamed = [piece async for piece in chat_of(rememora).stream("Oi", key="k1")]

        assert first.answer == again.answer == streamed[-1].reply.answer
        assert (False, True) == (first.replayed, again.replayed)
        assert 1 == len(responder.prompts)
        assert 2 == len(await history(rememora))


async def test_two_callers_of_one_key_get_one_answer(opening: Opening) -> None:
    """Where both have asked the model, the first answer stored is the answer of both."""
    responder = ScriptedResponder()
    async with opening(responder) as rememora:
        replies = await asyncio.gather(*(chat_of(rememora).reply("Oi", key="k1") for _ in range(4)))

        assert 1 == len({reply.answer.id for reply in replies})
        assert [("user", "Oi"), ("assistant", "Olá, Ana.")] == await said(rememora)


async def test_a_key_belongs_to_one_text(opening: Opening) -> None:
    """Another text under the same key is a mistake, and nothing of it is stored."""
    async with opening(ScriptedResponder()) as rememora:
        await chat_of(rememora).reply("Oi", key="k1")
        with pytest.raises(Conflict):
            await chat_of(rememora).reply("Tchau", key="k1")

        assert 2 == len(await history(rememora))


async def test_a_retry_after_a_partial_answer_is_answered_whole(opening: Opening) -> None:
    """The partial answer stays what it is, and the next one is whole and is the one replayed."""
    responder = ScriptedResponder(("Era uma ",), fault=ModelUnavailable())
    async with opening(responder) as rememora:
        with pytest.raises(ModelUnavailable):
            await listen(chat_of(rememora).stream("Conte", key="k1"), [])
        responder.pieces, responder.fault = ("Era uma vez.",), None
        whole: Reply = await chat_of(rememora).reply("Conte", key="k1")
        again: Reply = await chat_of(rememora).reply("Conte", key="k1")

        assert ["Conte", "Era uma ", "Era uma vez."] == [content for _, content in await said(rememora)]
        assert whole.answer == again.answer
        assert not whole.partial


async def test_a_silent_model_is_given_up(settings: Settings, clock: SetClock) -> None:
    """No answer within the timeout is an error that says so, streaming or not."""
    quick = msgspec.structs.replace(settings, model=ModelSettings(timeout_seconds=0.05))
    responder = ScriptedResponder(("Era ", "uma"))
    responder.going.clear()
    async with Rememora.open(settings=quick, clock=clock, background=False, responder=responder) as rememora:
        with pytest.raises(ModelUnavailable, match=r"0\.05 s"):
            await chat_of(rememora).reply("um")
        with pytest.raises(ModelUnavailable, match=r"0\.05 s"):
            await listen(chat_of(rememora).stream("dois"), [])

        assert [("user", "um"), ("user", "dois"), ("assistant", "Era ")] == await said(rememora)


@pytest.mark.parametrize("pieces", [(), ("",), (" \n ",)])
async def test_an_empty_answer_is_no_answer(opening: Opening, pieces: tuple[str, ...]) -> None:
    """Nothing is stored for it, and the caller is told."""
    async with opening(ScriptedResponder(pieces)) as rememora:
        with pytest.raises(ModelUnavailable):
            await chat_of(rememora).reply("Oi")
        with pytest.raises(ModelUnavailable):
            await listen(chat_of(rememora).stream("Oi"), [])

        assert ["user", "user"] == [message.role for message in await history(rememora)]


async def test_an_answer_that_cannot_be_stored_as_it_is_is_stored_as_it_can(opening: Opening) -> None:
    """NUL and lone surrogates of a model never cost the turn."""
    async with opening(ScriptedResponder(("a\x00b", "\ud800c"))) as rememora:
        reply: Reply = await chat_of(rememora).reply("Oi")

        assert "abc" == reply.text


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("content", {"text": " "}),
        ("key", {"text": "oi", "key": ""}),
        ("key", {"text": "oi", "key": "k" * 201}),
        ("budget", {"text": "oi", "budget": 0}),
        ("modality", {"text": "oi", "modality": "smell"}),
        ("situation", {"text": "oi", "situation": {"weather": "rain"}}),
        ("placement", {"text": "oi", "placement": "attic"}),
    ],
)
async def test_bad_input_is_refused_by_name(opening: Opening, field: str, given: dict[str, Any]) -> None:
    """The error names the field."""
    async with opening(ScriptedResponder()) as rememora:
        with pytest.raises(InvalidInput) as refused:
            await chat_of(rememora).reply(**given)

        assert field == refused.value.field


def test_the_sync_shell_streams_too(settings: Settings, clock: SetClock) -> None:
    """A plain iterator gives the same pieces, and leaving it early stores what was said."""
    with SyncRememora.open(
        settings=settings, clock=clock, background=False, responder=ScriptedResponder(("um ", "dois"))
    ) as rememora:
        chat = rememora.user("ana", tenant="acme").conversation("c1")
        pieces = [piece.text for piece in chat.stream("conte")]
        for _ in chat.stream("conte de novo"):
            break
        stored = [message.content for message in chat.messages().items]

        assert ["um ", "dois", ""] == pieces
        assert ["conte", "um dois", "conte de novo"] == stored[:3]
        assert "um dois".startswith(stored[3])


async def test_a_turn_of_a_mission_is_answered_from_its_memory(rememora: Rememora, ana: UserMemory) -> None:
    """Findings of an agent are told in turns of this mission alone; its request is no answer."""
    mission = await ana.missions.create("Qual fornecedor de farinha é o mais barato?")
    result = {"cycle": 1, "collected": {"fornecedor": "Moinho Aurora, farinha a R$ 3,10"}}
    await ana.missions.board(mission.id).update({"coordinators.compras": result})
    inside = await chat_of(rememora).reply("qual fornecedor de farinha encontramos?", mission=mission.id)
    outside = await ana.conversation("c2").reply("qual fornecedor de farinha encontramos?")

    assert "Moinho Aurora" in inside.text
    assert "mais barato?" not in inside.text
    assert "Moinho Aurora" not in outside.text
