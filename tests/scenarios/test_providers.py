"""Providers over real HTTP: what they are asked, what comes back, and what becomes of their faults."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from tests.endpoint import (
    Act,
    Endpoint,
    answer,
    anthropic_answer,
    anthropic_events,
    chat_answer,
    chat_chunk,
    events,
    raw,
    responses_answer,
    responses_events,
    serving,
    stalling,
)

from rememora import Conversation, Rememora, ReplyPart, Settings
from rememora.errors import MissingExtra, ModelUnavailable

KEY = "sk-secret-of-the-house"
TOOL_CALL = {"id": "t1", "type": "function", "function": {"name": "buy", "arguments": "{}"}}


@asynccontextmanager
async def talking(*acts: Act, **model: Any) -> AsyncIterator[tuple[Endpoint, Conversation]]:
    """A conversation whose answers come from a scripted endpoint."""
    async with serving(*acts) as endpoint:
        chosen = {"provider": "openai", "name": "m", "api_key": KEY, "retries": 0, "timeout_seconds": 5.0}
        url = endpoint.url.removesuffix("/v1") if model.get("provider") == "anthropic" else endpoint.url
        values = {f"model.{name}": value for name, value in {**chosen, "base_url": url, **model}.items()}
        settings = Settings.load({"store.url": ":memory:", "recall.embedder": "none", **values}, environ={})
        async with Rememora.open(settings=settings, background=False) as rememora:
            yield endpoint, rememora.user("ana", tenant="acme").conversation("c1")


async def streamed(chat: Conversation, text: str = "Oi") -> list[str]:
    return [piece.text async for piece in chat.stream(text) if piece.text]


async def test_chat_completions_are_asked_and_answered() -> None:
    """The messages are sent under the key and the model's name, and the answer is stored."""
    async with talking(answer(chat_answer("Olá!"))) as (endpoint, chat):
        reply = await chat.reply("Oi", instructions="You are Bia.")

        assert "Olá!" == reply.text
        assert ["/v1/chat/completions"] == endpoint.paths
        assert f"Bearer {KEY}" == endpoint.headers[0]["authorization"]
        assert "m" == endpoint.asked[0]["model"]
        assert {"role": "system", "content": "You are Bia."} == endpoint.asked[0]["messages"][0]
        assert {"role": "user", "content": "Oi"} == endpoint.asked[0]["messages"][-1]


async def test_responses_are_asked_and_answered() -> None:
    """The same turn through the other interface: `instructions` and `input`."""
    async with talking(answer(responses_answer("Olá!")), api="responses") as (endpoint, chat):
        reply = await chat.reply("Oi", instructions="You are Bia.")

        assert "Olá!" == reply.text
        assert ["/v1/responses"] == endpoint.paths
        assert "You are Bia." == endpoint.asked[0]["instructions"]
        assert [{"role": "user", "content": "Oi"}] == endpoint.asked[0]["input"]


async def test_anthropic_is_asked_and_answered() -> None:
    """The same turn through Messages: `system` apart, the key in a header."""
    async with talking(answer(anthropic_answer("Olá!")), provider="anthropic") as (endpoint, chat):
        reply = await chat.reply("Oi", instructions="You are Bia.")

        assert "Olá!" == reply.text
        assert ["/v1/messages"] == endpoint.paths
        assert KEY in " ".join(endpoint.headers[0].values())
        assert "You are Bia." == endpoint.asked[0]["system"]


STREAMS = {
    "chat": (events([chat_chunk("Olá, "), chat_chunk("Ana"), chat_chunk(None, "stop")]), {}),
    "responses": (events(responses_events("Olá, ", "Ana"), named=True, end=b""), {"api": "responses"}),
    "anthropic": (events(anthropic_events("Olá, ", "Ana"), named=True, end=b""), {"provider": "anthropic"}),
}


@pytest.mark.parametrize("kind", STREAMS)
async def test_streams_come_piece_by_piece(kind: str) -> None:
    """Each vendor's stream gives its words as they come."""
    act, model = STREAMS[kind]
    async with talking(act, **model) as (_, chat):
        assert ["Olá, ", "Ana"] == await streamed(chat)


CUT = {
    "chat": (events([chat_chunk("Era uma ")], end=b""), {}),
    "responses": (events(responses_events("Era uma ")[:1], named=True, end=b""), {"api": "responses"}),
    "anthropic": (events(anthropic_events("Era uma ")[:3], named=True, end=b""), {"provider": "anthropic"}),
}


@pytest.mark.parametrize("kind", CUT)
async def test_a_cut_stream_is_an_error_and_a_partial_answer(kind: str) -> None:
    """A stream that ends without its ending is not taken for a whole answer."""
    act, model = CUT[kind]
    async with talking(act, **model) as (_, chat):
        with pytest.raises(ModelUnavailable):
            await streamed(chat)
        stored = (await chat.messages()).items[-1]

        assert ("Era uma ", True) == (stored.content, stored.metadata["partial"])


OTHERS = [{"api": "responses"}, {"provider": "anthropic"}]
FAULTS: dict[str, Act] = {
    "malformed JSON": raw(b'{"choices": [{"mess'),
    "not JSON": raw(b"<html>bad gateway</html>"),
    "another shape": answer({"hello": "world"}),
    "no choices": answer({**chat_answer("x"), "choices": []}),
    "null": answer(None),
    "401": answer({"error": {"message": f"Incorrect API key provided: {KEY}"}}, status=401),
    "429": answer({"error": {"message": "slow down"}}, status=429),
    "500": answer({"error": {"message": "oops"}}, status=500),
    "tool call": answer(chat_answer(None, tool_calls=[TOOL_CALL])),
    "empty": answer(chat_answer("")),
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_every_fault_is_one_error_that_keeps_secrets(fault: str, caplog: pytest.LogCaptureFixture) -> None:
    """Whatever the endpoint does, the caller gets `ModelUnavailable`, and neither key nor words are told."""
    with caplog.at_level(logging.WARNING, logger="rememora"):
        async with talking(FAULTS[fault]) as (_, chat):
            with pytest.raises(ModelUnavailable) as failed:
                await chat.reply("Meu segredo é azul")
            stored = [message.content for message in (await chat.messages()).items]

    assert ["Meu segredo é azul"] == stored
    shown = f"{failed.value} {failed.value!r} {caplog.text}"
    assert KEY not in shown
    assert "segredo" not in shown
    assert failed.value.__cause__ is None


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize("fault", ["malformed JSON", "not JSON", "another shape", "null", "401", "429", "500"])
@pytest.mark.parametrize("model", OTHERS)
async def test_other_interfaces_fail_the_same_way(model: dict[str, Any], fault: str, streaming: bool) -> None:
    """One error, nothing of the vendor's in it, and what the person said is stored."""
    async with talking(FAULTS[fault], **model) as (_, chat):
        with pytest.raises(ModelUnavailable) as failed:
            await (streamed(chat) if streaming else chat.reply("Oi"))

        assert KEY not in f"{failed.value!r}"
        assert 1 == len((await chat.messages()).items)


@pytest.mark.parametrize("model", OTHERS)
async def test_other_interfaces_are_given_up_when_they_stall(model: dict[str, Any]) -> None:
    """No answer within the timeout, whoever is asked."""
    async with talking(stalling(), timeout_seconds=0.2, **model) as (_, chat):
        with pytest.raises(ModelUnavailable):
            await chat.reply("Oi")
        with pytest.raises(ModelUnavailable):
            await streamed(chat)


@pytest.mark.parametrize("fault", ["malformed JSON", "429", "500", "null"])
async def test_faults_of_a_stream_are_the_same_error(fault: str) -> None:
    """A stream that never begins fails like an answer that never comes."""
    async with talking(FAULTS[fault]) as (_, chat):
        with pytest.raises(ModelUnavailable):
            await streamed(chat)

        assert 1 == len((await chat.messages()).items)


async def test_malformed_events_end_a_stream_as_partial() -> None:
    """Rubbish after good words costs the rest, not the words."""
    act = events([chat_chunk("Era uma ")], end=b"data: {rubbish\n\n")
    async with talking(act) as (_, chat):
        with pytest.raises(ModelUnavailable):
            await streamed(chat)

        assert "Era uma " == (await chat.messages()).items[-1].content


async def test_a_storm_is_weathered_by_one_layer_of_retries() -> None:
    """As many tries as the setting says, and not one more."""
    storm = FAULTS["500"]
    quick = {"retry-after-ms": "1"}
    limited = answer({"error": {"message": "slow down"}}, status=429, headers=quick)
    async with talking(limited, limited, answer(chat_answer("Enfim")), retries=2) as (endpoint, chat):
        assert "Enfim" == (await chat.reply("Oi")).text
        assert 3 == len(endpoint.asked)
    async with talking(storm, retries=1) as (endpoint, chat):
        with pytest.raises(ModelUnavailable, match="500"):
            await chat.reply("Oi")

        assert 2 == len(endpoint.asked)


async def test_a_stall_is_given_up_after_the_timeout() -> None:
    """An endpoint that says nothing, or stops in the middle, holds nobody for longer than the setting."""
    async with talking(stalling(), timeout_seconds=0.2) as (_, chat):
        with pytest.raises(ModelUnavailable):
            await chat.reply("Oi")
    async with talking(stalling([chat_chunk("Era ")]), timeout_seconds=1.5) as (_, chat):
        with pytest.raises(ModelUnavailable):
            await streamed(chat)

        assert "Era " == (await chat.messages()).items[-1].content


async def test_a_long_wait_that_is_asked_for_is_not_kept() -> None:
    """`Retry-After: 60` does not make a turn wait beyond its timeout."""
    limited = answer({"error": {"message": "later"}}, status=429, headers={"retry-after": "60"})
    async with talking(limited, retries=2, timeout_seconds=1.5) as (endpoint, chat):
        with pytest.raises(ModelUnavailable):
            await chat.reply("Oi")

        assert 1 == len(endpoint.asked)


async def test_text_beside_a_tool_call_is_the_answer() -> None:
    """A model that speaks and calls is heard."""
    async with talking(answer(chat_answer("Vou ver.", tool_calls=[TOOL_CALL]))) as (_, chat):
        assert "Vou ver." == (await chat.reply("Oi")).text


@pytest.mark.parametrize(
    ("model", "act"),
    [
        ({}, answer(chat_answer("ok"))),
        ({"api": "responses"}, answer(responses_answer("ok"))),
        ({"provider": "anthropic"}, answer(anthropic_answer("ok"))),
    ],
)
async def test_memory_as_a_tool_result_declares_its_tool(model: dict[str, Any], act: Act) -> None:
    """Vendors refuse the result of a tool that was never declared, and must not call it again."""
    async with talking(act, **model) as (endpoint, chat):
        await chat.reply("Oi", situation={"tasks": ["planilha criada"]}, placement="tool_result")
        query = endpoint.asked[0]

        assert "recall_memory" in str(query["tools"])
        assert "none" in str(query["tool_choice"])
        assert "planilha criada" in str(query.get("messages") or query.get("input"))


async def test_without_its_package_a_provider_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says what to install."""
    monkeypatch.setitem(__import__("sys").modules, "openai", None)
    async with talking(answer(chat_answer("x"))) as (_, chat):
        with pytest.raises(MissingExtra, match=r"rememora\[openai\]"):
            await chat.reply("Oi")


async def test_pieces_have_the_reply_last() -> None:
    """A provider's stream ends like any other."""
    act, model = STREAMS["chat"]
    async with talking(act, **model) as (_, chat):
        pieces: list[ReplyPart] = [piece async for piece in chat.stream("Oi")]

        assert pieces[-1].reply is not None
        assert "m" == pieces[-1].reply.answer.metadata["model"]
