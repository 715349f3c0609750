"""The proxy with upstreams that refuse, break off, stall or are asked for much: what the client of it sees."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest
from tests.doors.conftest import Running, settings_of
from tests.doors.upstream import QUESTION, UPSTREAM_KEY, Upstream, chunks, client_of, completion, heard_of, said
from tests.endpoint import Act, answer, chat_chunk, events, serving, stalling

MANY = 110
"""More than an HTTP client keeps open by itself."""
ASKED = ("user", QUESTION["messages"][0]["content"])


@pytest.fixture(scope="module")
def upstream() -> Iterator[Upstream]:
    """The upstream that a module's tests share."""
    running = Upstream()
    yield running
    running.stop()


def passing_on(url: str, folder: Path, **more: object) -> Running:
    """A server that passes requests on to an upstream."""
    settings = {"proxy.upstream": url, "proxy.api_key": UPSTREAM_KEY, **more}
    running = Running(settings_of(folder, **settings)).start()
    running.tenant("acme")
    return running


@pytest.fixture(scope="module")
def server(upstream: Upstream, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server that does not wait long; its upstream's address ends with a slash."""
    folder = tmp_path_factory.mktemp("server")
    running = passing_on(f"{upstream.endpoint.url}/", folder, **{"proxy.timeout_seconds": 1.0})
    yield running
    running.stop()


def own(server: Running, user: str) -> dict[str, str]:
    """The header with a person's own key."""
    return {"Authorization": f"Bearer {server.key('user', tenant='acme', user=user)}"}


def broken(*pieces: object) -> Act:
    """A stream in chunks that ends in the middle of one."""

    async def play(writer: asyncio.StreamWriter) -> None:
        head = ("HTTP/1.1 200 X", "content-type: text/event-stream", "transfer-encoding: chunked", "", "")
        writer.write("\r\n".join(head).encode())
        for piece in pieces:
            data = f"data: {json.dumps(piece)}\n\n".encode()
            writer.write(b"%x\r\n%b\r\n" % (len(data), data))
        writer.write(b"40\r\ndata: {")
        await writer.drain()

    return play


def short(body: bytes) -> Act:
    """An answer with less in it than it says."""

    async def play(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 X\r\ncontent-type: application/json\r\ncontent-length: 999\r\n\r\n" + body)
        await writer.drain()

    return play


async def silent(writer: asyncio.StreamWriter) -> None:
    """Take the question, and say nothing."""
    await asyncio.sleep(3600)


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, openai.BadRequestError),
        (401, openai.AuthenticationError),
        (403, openai.PermissionDeniedError),
        (429, openai.RateLimitError),
        (500, openai.InternalServerError),
        (503, openai.InternalServerError),
    ],
)
def test_an_error_passes_as_it_is(
    server: Running, upstream: Upstream, status: int, error: type[openai.APIStatusError]
) -> None:
    """Its status, its words, when to come again, and the one id that the upstream's support asks for."""
    wrong = {"error": {"message": "not today", "type": "some_error", "code": "no_luck"}}
    about = {"retry-after": "17", "x-request-id": "req_4711", "x-should-retry": "false", "x-ratelimit-limit": "9"}
    upstream.plays(answer(wrong, status=status, headers=about))
    with client_of(server, f"error-{status}") as client, pytest.raises(error, match="not today") as raised:
        client.chat.completions.create(**QUESTION)
    headers = raised.value.response.headers

    assert (status, "no_luck") == (raised.value.status_code, raised.value.code)
    assert {**about} == {name: headers[name] for name in about}
    assert "req_4711" == raised.value.request_id
    assert "/v1/chat/completions" == upstream.endpoint.paths[-1]


@pytest.mark.parametrize("act", [silent, short(b'{"id": "c1", '), short(b"")])
def test_an_upstream_that_does_not_end_its_answer(server: Running, upstream: Upstream, act: Act) -> None:
    """It is a problem of the upstream's, said with its code; nothing of it is stored as an answer."""
    upstream.plays(act)
    url = f"{server.address}/v1/chat/completions"
    got = httpx.post(url, json=QUESTION, headers=own(server, "bruno"), timeout=30)

    assert (502, "model_unavailable") == (got.status_code, got.json()["code"])


@pytest.mark.parametrize("act", [broken(*chunks("Half")), stalling(chunks("Half"))])
def test_a_stream_that_breaks_off_is_seen_to(server: Running, upstream: Upstream, act: Act) -> None:
    """The client gets what there was and then an error; asked again, it is the same turn with one answer."""
    user = f"carla-{id(act)}"
    upstream.plays(act, events(chunks("Ais", "le.")))
    first: list[str] = []
    second: list[str] = []
    with client_of(server, user) as client:
        with pytest.raises(openai.APIConnectionError):
            heard_of(client, first)
        heard_of(client, second)

    assert (["Half"], ["Ais", "le."]) == (first, second)
    assert [ASKED, ("assistant", "Aisle.")] == said(server, user)


def test_usage_and_calls_of_tools_pass_in_a_stream(server: Running, upstream: Upstream) -> None:
    """The pieces of a call, and a last piece without a choice, reach OpenAI's client as they were sent."""
    first = {"index": 0, "id": "t1", "type": "function", "function": {"name": "seats", "arguments": ""}}
    rest = {"index": 0, "function": {"arguments": '{"row": 14}'}}
    pieces = [chat_chunk(None) for _ in range(3)]
    for piece, call in zip(pieces, (first, rest), strict=False):
        piece["choices"][0]["delta"] = {"tool_calls": [call]}
    pieces[-1]["choices"] = []
    pieces[-1]["usage"] = {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}
    upstream.plays(events(pieces))
    with client_of(server, "dina") as client:
        got = list(client.chat.completions.create(**QUESTION, stream=True, stream_options={"include_usage": True}))
    calls = [item.choices[0].delta.tool_calls[0] for item in got[:2]]

    assert {"include_usage": True} == upstream.endpoint.asked[-1]["stream_options"]
    assert ("t1", "seats", '{"row": 14}') == (
        calls[0].id,
        calls[0].function.name,
        "".join(call.function.arguments for call in calls),
    )
    assert 7 == got[-1].usage.total_tokens


@pytest.mark.parametrize("stream", [False, True])
def test_a_packed_answer_is_unpacked(server: Running, upstream: Upstream, stream: bool) -> None:
    """An upstream that packs although it was asked not to is understood."""
    whole = json.dumps(completion("Aisle.")).encode()
    piece = f"data: {json.dumps(chunks('Aisle.')[0])}\n\ndata: [DONE]\n\n".encode()
    body = gzip.compress(piece if stream else whole)

    async def packed(writer: asyncio.StreamWriter) -> None:
        kind = "text/event-stream" if stream else "application/json"
        head = f"HTTP/1.1 200 X\r\ncontent-type: {kind}\r\ncontent-encoding: gzip\r\n"
        writer.write(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)
        await writer.drain()

    upstream.plays(packed)
    user = f"edu-{stream}"
    with client_of(server, user) as client:
        got: Any = client.chat.completions.create(**QUESTION, stream=stream)
        if stream:
            assert ["Aisle."] == [item.choices[0].delta.content for item in got]
        else:
            assert "Aisle." == got.choices[0].message.content

    assert [ASKED, ("assistant", "Aisle.")] == said(server, user)


def test_a_picture_alone_says_nothing_again(server: Running, upstream: Upstream) -> None:
    """Earlier messages are not stored a second time, and memory is added all the same."""
    server.run(server.rememora.user("fabio", tenant="acme").remember("prefs.seat", "aisle seats"))
    upstream.plays(answer(completion("Aisle.")), answer(completion("A boarding pass.")))
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    before: list[Any] = QUESTION["messages"]
    more = [*before, {"role": "assistant", "content": "Aisle."}, {"role": "user", "content": [picture]}]
    with client_of(server, "fabio") as client:
        client.chat.completions.create(**QUESTION)
        said(server, "fabio")
        client.chat.completions.create(model="gpt-5-mini", messages=more)

    assert [ASKED, ("assistant", "Aisle.")] == said(server, "fabio")
    assert "aisle seats" in str(upstream.endpoint.asked[-1])
    assert picture == upstream.endpoint.asked[-1]["messages"][-1]["content"][0]


@pytest.mark.parametrize("text", ["x" * (1024 * 1024 + 1), "with \x00 in it"])
def test_a_text_that_cannot_be_kept_passes(server: Running, upstream: Upstream, text: str) -> None:
    """The model answers without memory, and the header says so."""
    upstream.plays(answer(completion("Long.")))
    with client_of(server, "gina") as client:
        got = client.chat.completions.with_raw_response.create(
            model="gpt-5-mini", messages=[{"role": "user", "content": text}]
        )

    assert "Long." == got.parse().choices[0].message.content
    assert "unavailable; invalid_input" == got.headers["x-rememora-memory"]
    assert text == upstream.endpoint.asked[-1]["messages"][-1]["content"]


def test_a_large_picture_passes(server: Running, upstream: Upstream) -> None:
    """Larger than the body of any other request may be."""
    data = "A" * (2 * server.settings.server.body_bytes)
    picture = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}
    upstream.plays(answer(completion("A seat.")))
    content: Any = [{"type": "text", "text": "What is this?"}, picture]
    with client_of(server, "hugo") as client:
        client.chat.completions.create(model="gpt-5-mini", messages=[{"role": "user", "content": content}])

    assert content == upstream.endpoint.asked[-1]["messages"][-1]["content"]
    assert [("user", "What is this?"), ("assistant", "A seat.")] == said(server, "hugo")


def test_an_answer_that_cannot_be_kept_is_passed_on(
    server: Running, upstream: Upstream, caplog: pytest.LogCaptureFixture
) -> None:
    """It is logged by its code, without its text."""
    upstream.plays(answer(completion("zebra \x00")), answer(completion("Aisle.")))
    with client_of(server, "ines") as client:
        got = client.chat.completions.create(**QUESTION)
        client.chat.completions.create(**QUESTION)

    assert "zebra \x00" == got.choices[0].message.content
    assert [ASKED, ("assistant", "Aisle.")] == said(server, "ines")
    assert "was not stored: invalid_input" in caplog.text
    assert "zebra" not in caplog.text


@pytest.mark.parametrize("body", [{"choices": [None]}, {"choices": 7}, {"choices": []}, {}, ["x"], None])
def test_an_odd_answer_is_passed_on(server: Running, upstream: Upstream, body: Any) -> None:
    """An answer of any shape passes to the client."""
    upstream.plays(answer(body))
    url = f"{server.address}/v1/chat/completions"
    got = httpx.post(url, json=QUESTION, headers=own(server, "jose"), timeout=30)

    assert (200, body) == (got.status_code, got.json())


def test_what_memory_has_no_part_in(server: Running, upstream: Upstream) -> None:
    """Embeddings and models are the upstream's."""
    vector = {"object": "embedding", "index": 0, "embedding": [0.5, 0.25]}
    made = {"object": "list", "data": [vector], "model": "e", "usage": {"prompt_tokens": 1, "total_tokens": 1}}
    model = {"id": "lab/gpt", "object": "model", "created": 1, "owned_by": "lab"}
    upstream.plays(answer(made), answer(model))
    with client_of(server, "kai") as client:
        got = client.embeddings.create(model="e", input="aisle", encoding_format="float")
        one = client.models.retrieve("lab/gpt")

    assert ([0.5, 0.25], "lab/gpt") == (got.data[0].embedding, one.id)
    assert ["/v1/embeddings", "/v1/models/lab%2Fgpt"] == upstream.endpoint.paths
    assert {"model": "e", "input": "aisle", "encoding_format": "float"} == upstream.endpoint.asked[0]
    assert () == server.run(server.rememora.user("kai", tenant="acme").conversations.list()).items


@asynccontextmanager
async def streaming(http: httpx.AsyncClient, address: str) -> AsyncIterator[httpx.Response]:
    """A question whose answer is streamed."""
    body = {**QUESTION, "stream": True}
    async with http.stream("POST", f"{address}/v1/chat/completions", json=body) as got:
        yield got


async def test_more_streams_than_a_client_has_connections(tmp_path: Path) -> None:
    """None waits for another to end."""
    count, all_here = 0, asyncio.Event()

    async def together(writer: asyncio.StreamWriter) -> None:
        nonlocal count
        count += 1
        if count == MANY:
            all_here.set()
        await all_here.wait()
        await events(chunks("Aisle."))(writer)

    async with serving(together) as endpoint:
        running = await asyncio.to_thread(passing_on, endpoint.url, tmp_path)
        limits = httpx.Limits(max_connections=None)
        key = await asyncio.to_thread(running.key, "service", tenant="acme")

        async def asked(number: int) -> str:
            whose = {"Authorization": f"Bearer {key}", "X-Rememora-User": f"u{number}"}
            async with http.stream(
                "POST",
                f"{running.address}/v1/chat/completions",
                json={**QUESTION, "stream": True},
                headers={**whose, "X-Rememora-Memory": "off"},
            ) as got:
                return (await got.aread()).decode()

        async with httpx.AsyncClient(limits=limits, timeout=60) as http:
            texts = await asyncio.gather(*(asked(number) for number in range(MANY)))
        await asyncio.to_thread(running.stop)

    assert MANY == len([text for text in texts if "Aisle." in text])


async def test_a_stream_that_finds_no_place_lets_the_upstream_go(tmp_path: Path) -> None:
    """It is refused, and the upstream is not left speaking to nobody."""
    gone = asyncio.Event()

    async def speaking(writer: asyncio.StreamWriter) -> None:
        try:
            await events(chunks("Aisle."), end=b"")(writer)
            while True:
                await asyncio.sleep(0.02)
                writer.write(b": more\n\n")
                await writer.drain()
        except ConnectionError:
            gone.set()

    async with serving(speaking) as endpoint:
        running = await asyncio.to_thread(passing_on, endpoint.url, tmp_path, **{"server.streams_key": 1})
        key = await asyncio.to_thread(own, running, "lia")
        async with (
            httpx.AsyncClient(headers=key, timeout=30) as http,
            streaming(http, running.address) as first,
        ):
            pieces = first.aiter_raw()
            await anext(pieces)
            async with streaming(http, running.address) as second:
                refusal = json.loads(await second.aread())
            await asyncio.wait_for(gone.wait(), 30)
        await asyncio.to_thread(running.stop)

    assert (429, "share_used_up") == (second.status_code, refusal["code"])
