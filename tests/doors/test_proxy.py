"""OpenAI's own client through the proxy, to an upstream over real HTTP that answers as a test scripts it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest
from tests.doors.conftest import Running, settings_of
from tests.doors.upstream import QUESTION, UPSTREAM_KEY, Upstream, chunks, client_of, completion, response, said
from tests.endpoint import answer, events

from rememora import Settings


@pytest.fixture(scope="module")
def upstream() -> Iterator[Upstream]:
    """The upstream that a module's tests share."""
    running = Upstream()
    yield running
    running.stop()


@pytest.fixture(scope="module")
def server(upstream: Upstream, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server that passes requests on."""
    more = {"proxy.upstream": upstream.endpoint.url, "proxy.api_key": UPSTREAM_KEY}
    running = Running(settings_of(tmp_path_factory.mktemp("server"), **more)).start()
    running.tenant("acme")
    yield running
    running.stop()


def test_memory_is_added_and_kept(server: Running, upstream: Upstream) -> None:
    """An application changes its base address and names the user; the second question is asked with memory."""
    upstream.plays(answer(completion("Noted.")), answer(completion("Aisle.")))
    with client_of(server, "ana") as client:
        client.chat.completions.create(
            model="gpt-5-mini", messages=[{"role": "user", "content": "I prefer aisle seats."}]
        )
        got = client.chat.completions.with_raw_response.create(**QUESTION)
    messages = upstream.endpoint.asked[-1]["messages"]

    assert "Aisle." == got.parse().choices[0].message.content
    assert ["user", "user"] == [item["role"] for item in messages]
    assert "aisle seats" in messages[0]["content"]
    assert QUESTION["messages"][0] == messages[-1]
    assert float(got.headers["x-rememora-added-ms"]) > 0
    assert int(got.headers["x-rememora-memories"]) >= 1
    assert ["I prefer aisle seats.", "Noted.", "Which seats do I prefer?", "Aisle."] == [
        text for _, text in said(server, "ana")
    ]


def test_a_stream_passes_unbroken(server: Running, upstream: Upstream) -> None:
    """Byte for byte what the upstream sent, and what was said is stored as one answer."""
    pieces = chunks("Ais", "le ", "– ção.")
    upstream.plays(events(pieces))
    with client_of(server, "bia") as client:
        stream = client.chat.completions.create(**QUESTION, stream=True)
        heard = "".join(item.choices[0].delta.content for item in stream)
    key = {"Authorization": f"Bearer {server.key('user', tenant='acme', user='carla')}"}
    raw = httpx.post(f"{server.address}/v1/chat/completions", json={**QUESTION, "stream": True}, headers=key)
    sent = "".join(f"data: {json.dumps(piece)}\n\n" for piece in pieces) + "data: [DONE]\n\n"

    assert "Aisle – ção." == heard
    assert sent.encode() == raw.content
    assert raw.headers["content-type"].startswith("text/event-stream")
    assert ("assistant", "Aisle – ção.") == said(server, "bia")[-1]


def test_responses_whole_and_streamed(server: Running, upstream: Upstream) -> None:
    """The same for the Responses API, with text or a list as input."""
    items = [{"type": "response.output_text.delta", "delta": text} for text in ("Win", "dow.")]
    upstream.plays(answer(response("Noted.")), events(items, named=True, end=b""))
    with client_of(server, "dora", X_Rememora_Conversation="trip") as client:
        first = client.responses.create(model="gpt-5-mini", input="I prefer window seats.")
        parts: Any = [{"role": "user", "content": [{"type": "input_text", "text": "Which seats?"}]}]
        list(client.responses.create(model="gpt-5-mini", input=parts, stream=True))
    query = upstream.endpoint.asked[-1]["input"]

    assert "Noted." == first.output_text
    assert ["/v1/responses", "/v1/responses"] == upstream.endpoint.paths
    assert "window seats" in query[0]["content"]
    assert parts[0] == query[-1]
    assert ["I prefer window seats.", "Noted.", "Which seats?", "Window."] == [
        text for _, text in said(server, "dora", "trip")
    ]


def test_tools_images_and_unknown_fields_pass(server: Running, upstream: Upstream) -> None:
    """A turn with a tool call is one question and one answer; everything else stands as it was sent."""
    call = {"id": "t1", "type": "function", "function": {"name": "seats", "arguments": "{}"}}
    upstream.plays(answer(completion(None, tool_calls=[call])), answer(completion("Aisle.")))
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    first: Any = {"role": "user", "content": [{"type": "text", "text": "Which seats?"}, picture]}
    more: Any = [
        first,
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "t1", "content": "x"},
    ]
    tools: Any = [{"type": "function", "function": {"name": "seats", "parameters": {"type": "object"}}}]
    with client_of(server, "elsa") as client:
        for messages in ([first], more):
            client.chat.completions.create(
                model="gpt-5-mini", messages=messages, tools=tools, extra_body={"novel": {"a": 1}}
            )
    query = upstream.endpoint.asked

    assert [first] == query[0]["messages"][-1:]
    assert more == [message for message in query[1]["messages"] if "<memory>" not in str(message)]
    assert (tools, {"a": 1}) == (query[1]["tools"], query[1]["novel"])
    assert [("user", "Which seats?"), ("assistant", "Aisle.")] == said(server, "elsa")


def test_errors_pass_and_a_repeat_is_one_turn(server: Running, upstream: Upstream) -> None:
    """The upstream's status and words reach the client; a message that is sent again is stored once."""
    wrong = {"error": {"message": "no such model", "type": "invalid_request_error", "code": "model_not_found"}}
    upstream.plays(answer(wrong, status=404), answer(completion("Aisle.")))
    with client_of(server, "flor") as client:
        with pytest.raises(openai.NotFoundError, match="no such model"):
            client.chat.completions.create(**QUESTION)
        client.chat.completions.create(**QUESTION)

    assert [("user", "Which seats do I prefer?"), ("assistant", "Aisle.")] == said(server, "flor")


@pytest.mark.parametrize(("wish", "tells", "kept"), [("off", False, 0), ("read", True, 0), ("on", True, 2)])
def test_memory_per_request(server: Running, upstream: Upstream, wish: str, tells: bool, kept: int) -> None:
    """`off` adds and keeps nothing, `read` adds and keeps nothing new."""
    user = f"gil-{wish}"
    server.run(server.rememora.user(user, tenant="acme").remember("prefs.seat", "aisle seats"))
    upstream.plays(answer(completion("Aisle.")))
    with client_of(server, user, X_Rememora_Memory=wish) as client:
        client.chat.completions.create(**QUESTION)

    assert tells is ("aisle seats" in str(upstream.endpoint.asked))
    if kept:
        assert kept == len(said(server, user))
    else:
        page = server.run(server.rememora.user(user, tenant="acme").conversations.list())
        assert () == page.items


def test_keys_go_where_they_belong(server: Running, upstream: Upstream) -> None:
    """The upstream gets its own key and none of ours; no file of the store and no answer holds it."""
    upstream.plays(answer(completion("Ok.")))
    with client_of(server, "hugo", X_Upstream_Key="sk-own-yak-0815") as client:
        got = client.chat.completions.with_raw_response.create(**QUESTION)
    with client_of(server, "hugo") as client:
        client.chat.completions.create(**QUESTION)
    said(server, "hugo")
    keys = [headers["authorization"] for headers in upstream.endpoint.headers]
    files = b"".join(file.read_bytes() for file in Path(server.settings.store.url).rglob("*") if file.is_file())

    assert ["Bearer sk-own-yak-0815", f"Bearer {UPSTREAM_KEY}"] == keys
    assert not [name for headers in upstream.endpoint.headers for name in headers if name.startswith("x-rememora")]
    assert "rem_" not in str(upstream.endpoint.headers)
    assert UPSTREAM_KEY not in str(got.headers) + repr(server.settings)
    assert [False, False] == [key in files for key in (UPSTREAM_KEY.encode(), b"sk-own-yak-0815")]


def test_who_may_use_it(server: Running, upstream: Upstream) -> None:
    """Nobody without a key, no key for another person, no wish that is none."""
    upstream.plays(answer(completion("Ok.")))
    url = f"{server.address}/v1/chat/completions"
    mine = {"Authorization": f"Bearer {server.key('user', tenant='acme', user='ida')}"}
    answers = [
        httpx.post(url, json=QUESTION),
        httpx.post(url, json=QUESTION, headers={**mine, "X-Rememora-User": "ana"}),
        httpx.post(url, json=QUESTION, headers={**mine, "X-Rememora-Memory": "maybe"}),
        httpx.post(url, json=QUESTION, headers=mine),
    ]

    assert [401, 403, 422, 200] == [item.status_code for item in answers]
    assert 1 == len(upstream.endpoint.asked)


def test_a_client_that_goes_away_loses_nothing(server: Running, upstream: Upstream) -> None:
    """What the upstream had said until then is stored."""
    more = asyncio.Event()

    async def slow(writer: asyncio.StreamWriter) -> None:
        await events(chunks("Half an answer"), end=b"")(writer)
        await asyncio.wait_for(more.wait(), 30)

    upstream.plays(slow)
    key = {"Authorization": f"Bearer {server.key('user', tenant='acme', user='jana')}"}
    body = {**QUESTION, "stream": True}
    with httpx.stream("POST", f"{server.address}/v1/chat/completions", json=body, headers=key) as stream:
        next(stream.iter_raw())
    result = said(server, "jana")
    upstream._loop.call_soon_threadsafe(more.set)

    assert ("assistant", "Half an answer") == result[-1]


def test_an_upstream_that_is_down_is_said(tmp_path: Path) -> None:
    """As a problem of ours; without an upstream there is no proxy at all."""
    settings: Settings = settings_of(tmp_path, **{"proxy.upstream": "http://127.0.0.1:9/v1"})
    running = Running(settings).start()
    running.tenant("acme")
    key = {"Authorization": f"Bearer {running.key('user', tenant='acme', user='ana')}"}
    down = httpx.post(f"{running.address}/v1/chat/completions", json=QUESTION, headers=key)
    running.stop()

    assert (502, "model_unavailable") == (down.status_code, down.json()["code"])


def test_models_are_listed(server: Running, upstream: Upstream) -> None:
    """Clients that ask for them get the upstream's."""
    key = {"Authorization": f"Bearer {server.key('user', tenant='acme', user='ana')}"}
    upstream.plays(answer({"object": "list", "data": [{"id": "gpt-5-mini"}]}))

    got = httpx.get(f"{server.address}/v1/models", headers=key)
    assert (200, "gpt-5-mini") == (got.status_code, got.json()["data"][0]["id"])


def memories_of(server: Running, user: str) -> str:
    """Everything that is known of a user."""
    page = server.run(server.rememora.user(user, tenant="acme").memories.list())
    return str([memory.value for memory in page.items])


def test_a_request_to_memory_comes_before_the_upstream(server: Running, upstream: Upstream) -> None:
    """The model is told what was done, and no longer gets what was to be forgotten."""
    server.run(server.rememora.user("kai", tenant="acme").remember("prefs.seat", "aisle seats"))
    upstream.plays(answer(completion("Done.")))
    with client_of(server, "kai") as client:
        client.chat.completions.create(
            model="gpt-5-mini", messages=[{"role": "user", "content": "Forget my seat preference."}]
        )

    assert "aisle seats" not in str(upstream.endpoint.asked)
    assert "aisle seats" not in memories_of(server, "kai")


def test_a_new_fact_is_kept_while_the_upstream_answers(server: Running, upstream: Upstream) -> None:
    """The upstream does not wait for it: here it answers only once the fact is known."""
    kept: list[str] = []

    async def answers_later(writer: asyncio.StreamWriter) -> None:
        for _ in range(300):
            if "Lisbon" in (known := await asyncio.to_thread(memories_of, server, "lia")):
                kept.append(known)
                break
            await asyncio.sleep(0.02)
        await answer(completion("Nice."))(writer)

    upstream.plays(answers_later)
    with client_of(server, "lia") as client:
        client.chat.completions.create(
            model="gpt-5-mini", messages=[{"role": "user", "content": "I live in Lisbon."}]
        )

    assert kept


def test_a_fact_is_known_when_the_stream_ends(server: Running, upstream: Upstream) -> None:
    """The next request of the client finds it."""
    upstream.plays(events(chunks("Nice.")))
    body = {"messages": [{"role": "user", "content": "I live in Porto."}], "stream": True}
    key = {"Authorization": f"Bearer {server.key('user', tenant='acme', user='mia')}"}
    httpx.post(f"{server.address}/v1/chat/completions", json=body, headers=key)

    assert "Porto" in memories_of(server, "mia")


def test_a_fact_is_kept_although_the_upstream_fails(server: Running, upstream: Upstream) -> None:
    """A statement of the person is kept, also if the model fails."""
    upstream.plays(answer({"error": {"message": "overloaded"}}, status=529))
    body = {"messages": [{"role": "user", "content": "I live in Faro."}]}
    key = {"Authorization": f"Bearer {server.key('user', tenant='acme', user='nuno')}"}
    failed = httpx.post(f"{server.address}/v1/chat/completions", json=body, headers=key)

    assert 529 == failed.status_code
    assert "Faro" in memories_of(server, "nuno")
