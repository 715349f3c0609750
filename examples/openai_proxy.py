"""OpenAI's own client with memory: only its base address and a header are other ones.

Run it with `python examples/openai_proxy.py`; it needs the extras `proxy` and `openai`.
A few lines of HTTP stand in for the model, and say what they were shown.
"""

from __future__ import annotations

import asyncio
import json
import socket
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import openai
import uvicorn

from rememora import Rememora, Settings
from rememora.server import create_app


class Model(BaseHTTPRequestHandler):
    """An upstream that knows one thing: whether it was shown memory."""

    def do_POST(self) -> None:
        """Answer a chat completion."""
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        knows = any("aisle seats" in str(message["content"]) for message in asked["messages"][:-1])
        asks = str(asked["messages"][-1]["content"]).endswith("?")
        text = ("An aisle seat." if knows else "I do not know you yet.") if asks else "Noted."
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        body = {"id": "1", "object": "chat.completion", "created": 1, "model": asked["model"], "choices": [choice]}
        raw = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_: object) -> None:
        """Say nothing on the terminal."""


async def main(folder: str, upstream: str) -> None:
    """Serve the memory, and talk to the model through it."""
    settings = Settings.load({"store.url": folder, "proxy.upstream": upstream, "proxy.api_key": "sk-upstream"})
    async with Rememora.open(settings=settings) as rememora:
        await rememora.operator(acting="example").tenants.create("home")
        key = (await rememora.tenant("home", acting="example").access.issue_key("service")).secret
        bound = socket.create_server(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(create_app(rememora), log_level="error"))
        serving = asyncio.create_task(server.serve(sockets=[bound]))
        address = f"http://127.0.0.1:{bound.getsockname()[1]}/v1"
        user = {"X-Rememora-User": "ana"}
        async with openai.AsyncOpenAI(base_url=address, api_key=key, default_headers=user) as client:
            for text in ("I prefer aisle seats.", "Which seat should you book?"):
                got = await client.chat.completions.create(
                    model="any", messages=[{"role": "user", "content": text}]
                )
                print(f"{text} -> {got.choices[0].message.content}")
        server.should_exit = True
        await serving


if __name__ == "__main__":
    model = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=model.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(main(folder, f"http://127.0.0.1:{model.server_address[1]}/v1"))
