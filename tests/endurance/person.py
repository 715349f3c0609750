"""One person of a running server, and the clients through which the person is told of and asked about."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from functools import cached_property
from pathlib import Path
from typing import Any

import httpx
from tests.doors.conftest import Running
from tests.doors.test_mcp import call as call_tool
from tests.doors.test_mcp import connected
from tests.doors.upstream import Upstream, client_of
from tests.endurance.browser import Browser

from rememora import OPERATOR, UserMemory
from rememora.domain.tenancy import EVERY_TENANT

TENANT = "acme"
QUESTION = "onde moro, qual é o plano, o prazo, a placa e o nome do cachorro?"
"""Asks for what the doors were told, in none of the words that are looked for."""
REASON = "looks for erased words"
WISH, YES = "Apaga tudo que você sabe sobre mim para sempre", "sim, apaga tudo"
PASSWORD = "a sentence of some length"


class Person:
    """One person of a server, and the clients through which the person is told of and asked about."""

    def __init__(self, server: Running, upstream: Upstream, name: str, folder: Path) -> None:
        self.server, self.upstream, self.name, self.folder = server, upstream, name, folder
        self.key = server.key("user", tenant=TENANT, user=name)
        self.rest = server.client(self.key)
        about = {"X_Rememora_User": name, "X_Rememora_Reason": REASON}
        self.admin = server.client(server.key("admin", tenant=TENANT), **about)
        self.ids: dict[str, str] = {"conversation": "c1", "tenant": TENANT}
        self.memories: list[str] = []
        self.conversations: list[str] = []
        tenant = server.rememora.tenant(TENANT, acting="test", rights=OPERATOR)
        # Lists of a tenant begin here: what others did before would fill their pages.
        self.events = max((event.position for event in server.run(tenant.events.newest(limit=1))), default=0)
        self.acts = max((act.position for act in server.run(tenant.audit.newest(limit=1))), default=0)

    @property
    def memory(self) -> UserMemory:
        """The person's memory in the server's own process."""
        return self.server.rememora.user(self.name, tenant=TENANT)

    @cached_property
    def mem0(self) -> httpx.Client:
        """A client of the routes that are mem0's."""
        return httpx.Client(base_url=f"{self.server.address}/mem0", headers={"X-API-Key": self.key}, timeout=30)

    def run(self, work: Awaitable[Any]) -> Any:
        """Wait for work in the server's own loop."""

        async def waiting() -> Any:
            return await work

        return self.server.run(waiting())

    def post(self, path: str, body: dict[str, Any], **headers: str) -> dict[str, Any]:
        """Post to the API; what it answers must be an acceptance."""
        got = self.rest.post(path, json=body, headers={name.replace("_", "-"): headers[name] for name in headers})
        assert got.status_code < 300, f"{path}: {got.text}"
        reply: dict[str, Any] = got.json()
        return reply

    def tool(self, name: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool of MCP over HTTP."""

        async def calling() -> dict[str, Any]:
            async with connected(self.server, self.key) as client:
                return await call_tool(client, name, **arguments)

        return asyncio.run(calling())

    def model(self, conversation: str) -> Any:
        """OpenAI's own client of the proxy."""
        return client_of(self.server, self.name, X_Rememora_Conversation=conversation)

    @cached_property
    def page(self) -> Browser:
        """The person's own pages, entered by a link."""
        access = self.server.rememora.tenant(TENANT, acting="test").access
        browser = Browser(self.server.address)
        browser.get("/me", link=self.server.run(access.link(self.name)).token)
        return browser

    @cached_property
    def desk(self) -> Browser:
        """The operator's pages, entered with the password of an owner."""
        name = f"owner-{self.name}"
        invitation = self.server.rememora.tenant(EVERY_TENANT, acting="test").access.invite("owner")
        accepting = self.server.rememora.sessions.accept_invitation
        self.server.run(accepting(self.server.run(invitation).token, name=name, password=PASSWORD))
        browser = Browser(self.server.address)
        browser.submit("/sign-in", "/sign-in", name=name, password=PASSWORD)
        return browser

    def note(self) -> None:
        """Note what there is: after an erasure somebody may still hold the address of what was erased."""
        document = self.rest.get("/export").json()
        self.memories = [memory["memory"]["id"] for memory in document["memories"]]
        self.conversations = [talk["about"]["id"] for talk in document["conversations"]]

    def close(self) -> None:
        """Close the clients."""
        opened = (self.__dict__.get(name) for name in ("mem0", "page", "desk"))
        for client in (self.rest, self.admin, *opened):
            if client is not None:
                client.close()


Tell = Callable[[Person, str], Any]
Erase = Callable[[Person], Any]
Read = Callable[[Person], Iterable[str]]
