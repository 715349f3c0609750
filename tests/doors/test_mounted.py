"""The application inside another: under a path of a Starlette or FastAPI host, whose lifespan runs its own."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
import uvicorn
from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route
from starlette.types import Receive, Scope, Send
from tests.doors.conftest import settings_of

from rememora import Rememora
from rememora.errors import StoreUnavailable
from rememora.server import create_app
from rememora.server.routing import protect_slashes
from rememora.server.serve import listen

Host = Callable[[Starlette], Any]
HOSTS: dict[str, Host] = {}
BROWSER = {"Accept": "text/html", "Accept-Language": "en"}


def host(make: Host) -> Host:
    """Name a host that mounts the application under `/memory` and answers `/own` itself."""
    HOSTS[make.__name__] = make
    return make


@host
def starlette(memory: Starlette) -> Any:
    """A Starlette application."""
    routes = [Route("/own", lambda _: PlainTextResponse("own")), Mount("/memory", memory)]
    return Starlette(routes=routes, lifespan=memory.router.lifespan_context)


@host
def fastapi(memory: Starlette) -> Any:
    """A FastAPI application."""
    made = FastAPI(lifespan=memory.router.lifespan_context)
    made.get("/own")(lambda: "own")
    made.mount("/memory", memory)
    return made


@host
def plain_asgi(memory: Starlette) -> Any:
    """A host without a framework, which cuts its prefix from the path before it passes a request on."""
    response = PlainTextResponse("own")

    async def pass_on(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await memory(scope, receive, send)
        elif scope["path"].startswith("/memory/"):
            inside = {"path": scope["path"].removeprefix("/memory"), "root_path": "/memory"}
            await memory({**scope, **inside}, receive, send)
        else:
            await response(scope, receive, send)

    return pass_on


class Mounted:
    """A memory that is served inside a host, and a client with a key to it."""

    def __init__(self, rememora: Rememora, client: httpx.AsyncClient) -> None:
        self.rememora, self.client = rememora, client


@asynccontextmanager
async def mounted(folder: Path, make: Host) -> AsyncIterator[Mounted]:
    """Serve a host with the application in it; its lifespan has ended when this has."""
    settings = settings_of(folder)
    rememora = await Rememora.open(settings=settings, background=False)
    await rememora.operator(acting="test").tenants.create("acme")
    key = (await rememora.tenant("acme", acting="test").access.issue_key("user", user="ana")).secret
    bound = listen(settings)
    config = uvicorn.Config(make(create_app(rememora, closes=True)), lifespan="on", log_config=None)
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve(sockets=[bound]))
    address = "http://{}:{}".format(*bound.getsockname()[:2])
    try:
        headers = {"Authorization": f"Bearer {key}"}
        async with httpx.AsyncClient(base_url=address, headers=headers, timeout=30) as client:
            yield Mounted(rememora, client)
    finally:
        server.should_exit = True
        await serving


@pytest.mark.parametrize("name", HOSTS)
async def test_the_api_answers_under_the_path_of_a_host(tmp_path: Path, name: str) -> None:
    """Ids with slashes, problems and MCP, as at the root of a server; the host's own routes stay its own."""
    async with mounted(tmp_path, HOSTS[name]) as there:
        api = "/memory/api/v1"
        assert "own" in (await there.client.get("/own")).text
        assert {"status": "ok"} == (await there.client.get(f"{api}/health/live")).json()
        kept = await there.client.post(f"{api}/memories", json={"key": "user.city", "value": "Recife"})
        assert 201 == kept.status_code
        assert "Recife" == (await there.client.get(f"{api}/memories/user.city")).json()["value"]
        for id in ("a/b", "100%", "a%2Fb"):
            put = await there.client.put(f"{api}/conversations/{quote(id, safe='')}", json={})
            assert id == put.json()["id"]
        missing = await there.client.get(f"{api}/nothing")
        assert (404, "not_found") == (missing.status_code, missing.json()["code"])
        wrong = await there.client.delete(f"{api}/memories/correct")
        assert (405, "POST") == (wrong.status_code, wrong.headers["allow"])
        assert "nosniff" == missing.headers["x-content-type-options"]
        assert 16 == len(missing.headers["x-request-id"])
        query = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        accept = {"Accept": "application/json, text/event-stream"}
        spoken = await there.client.post("/memory/mcp", json=query, headers=accept)
        assert "search_memories" in spoken.text


@pytest.mark.parametrize("name", HOSTS)
async def test_pages_and_document_know_where_they_are(tmp_path: Path, name: str) -> None:
    """Commands, redirects, cookies and the document's `servers` have the path of the host."""
    async with mounted(tmp_path, HOSTS[name]) as there:
        local = f"{there.client.base_url}".rstrip("/") + "/memory"
        docs = await there.client.get("/memory/docs", headers=BROWSER)
        document = (await there.client.get("/memory/api/v1/openapi.json")).json()
        body = (await there.client.get("/memory/api/v1")).json()
        page = await there.client.get("/memory/", headers=BROWSER)

        assert f"{local}/api/v1/chat" in docs.text
        assert [{"url": "/memory"}] == document["servers"]
        assert ("/memory/api/v1", "/memory/docs") == (body["api"], body["page"])
        assert 200 == (await there.client.get(body["health"])).status_code
        assert "Path=/memory/" in page.headers["set-cookie"]


@pytest.mark.parametrize("name", HOSTS)
async def test_the_lifespan_of_a_host_ends_that_of_the_application(tmp_path: Path, name: str) -> None:
    """With `closes` the memory is closed when the host stops, and not before."""
    async with mounted(tmp_path, HOSTS[name]) as there:
        assert 200 == (await there.client.get("/memory/api/v1/health/ready")).status_code

    with pytest.raises(StoreUnavailable):
        await there.rememora.health.index_lag()


async def test_a_host_that_runs_no_lifespan_is_answered(tmp_path: Path) -> None:
    """Nothing but what ends with the application needs one."""
    async with Rememora.open(settings=settings_of(tmp_path), background=False) as rememora:
        app = Starlette(routes=[Mount("/memory", create_app(rememora))])
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://host") as client:
            ready = await client.get("/memory/api/v1/health/ready")

        assert {"status": "ok", "index_lag": 0} == json.loads(ready.content)


@pytest.mark.parametrize(
    ("path", "raw", "kept"),
    [
        ("/x/a b", b"/x/a%20b", "/x/a b"),
        ("/x/a/b", b"/x/a%2fb", "/x/a%2Fb"),
        ("/x/100%", b"/x/100%25", "/x/100%25"),
        ("/x/a/b", b"/host/x/a%2Fb?q=1", "/x/a%2Fb"),
        ("/host/x/a/b", b"/x/a%2Fb", "/host/x/a%2Fb"),
        ("/x/50%", None, "/x/50%25"),
    ],
)
def test_slashes_in_ids_are_kept(path: str, raw: bytes | None, kept: str) -> None:
    """Whether or not the host cut its prefix, and also where it does not say how the path was sent."""
    assert kept == protect_slashes(path, raw)
