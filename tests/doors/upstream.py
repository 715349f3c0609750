"""An upstream of the proxy over real HTTP, and OpenAI's own client of the server that passes requests on."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import openai
from tests.doors.conftest import Running
from tests.endpoint import Act, Endpoint, answer, serving

UPSTREAM_KEY = "sk-upstream-zebra-4711"
QUESTION: dict[str, Any] = {
    "model": "gpt-5-mini",
    "messages": [{"role": "user", "content": "Which seats do I prefer?"}],
}


class Upstream:
    """An upstream in a thread of its own."""

    def __init__(self) -> None:
        self.endpoint: Endpoint
        self._loop = asyncio.new_event_loop()
        self._up, self._stop = threading.Event(), asyncio.Event()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._run(),), daemon=True)
        self._thread.start()
        assert self._up.wait(30)

    async def _run(self) -> None:
        async with serving(answer({})) as self.endpoint:
            self._up.set()
            await self._stop.wait()
            # One that says nothing more would say so for ever.
            silent = asyncio.all_tasks() - {asyncio.current_task()}
            for task in silent:
                task.cancel()
            await asyncio.gather(*silent, return_exceptions=True)

    def plays(self, *acts: Act) -> None:
        """Set the next answers, and clear the recorded requests."""
        self.endpoint.acts = list(acts)
        self.endpoint.asked.clear()
        self.endpoint.headers.clear()
        self.endpoint.paths.clear()

    def stop(self) -> None:
        """End it."""
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(30)


@contextmanager
def client_of(server: Running, user: str, **headers: str) -> Iterator[openai.OpenAI]:
    """OpenAI's client of one user, as an application would set it up."""
    named = {"X-Rememora-User": user, **{name.replace("_", "-"): value for name, value in headers.items()}}
    key = server.key("service", tenant="acme")
    with openai.OpenAI(
        base_url=f"{server.address}/v1", api_key=key, default_headers=named, max_retries=0
    ) as client:
        yield client


def completion(text: str | None, **message: Any) -> dict[str, Any]:
    """A chat completion of OpenAI's shape."""
    said = {"role": "assistant", "content": text, **message}
    return {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "gpt-5-mini",
        "choices": [{"index": 0, "message": said, "finish_reason": "stop"}],
    }


def response(text: str) -> dict[str, Any]:
    """A response of OpenAI's shape."""
    content = [{"type": "output_text", "text": text, "annotations": []}]
    message = {"type": "message", "id": "m1", "role": "assistant", "status": "completed", "content": content}
    return {
        "id": "r1",
        "object": "response",
        "created_at": 1,
        "model": "gpt-5-mini",
        "output": [message],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }


def chunks(*texts: str) -> list[dict[str, Any]]:
    """The pieces of a streamed completion."""
    return [
        {
            "id": "c1",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "gpt-5-mini",
            "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}],
        }
        for text in texts
    ]


def heard_of(client: openai.OpenAI, heard: list[str]) -> None:
    """Ask the question, and hear its answer piece by piece, to its end or until it breaks off."""
    stream = client.chat.completions.create(**QUESTION, stream=True)
    heard.extend(item.choices[0].delta.content for item in stream)


def said(server: Running, user: str, conversation: str = "openai") -> list[tuple[str, str]]:
    """Return the stored messages of a conversation, once its answer is stored."""
    chat = server.rememora.user(user, tenant="acme").conversation(conversation)

    async def stored() -> list[tuple[str, str]]:
        for _ in range(200):
            messages = (await chat.messages()).items
            if messages and messages[-1].role == "assistant":
                break
            await asyncio.sleep(0.01)
        return [(item.role, item.content) for item in messages]

    return server.run(stored())
