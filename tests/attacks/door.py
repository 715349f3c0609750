"""A server with one person of one tenant, and a client for every kind of credential that attacks it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
from tests.doors.conftest import Running, settings_of
from tests.doors.test_tenants_apart import ABSENT, CRM

TENANT, USER = "acme", "ana"
CANARY = "canario-9b1c"
REASON = "ticket 4711"


def outcome(answer: httpx.Response) -> str:
    """What an answer comes to; whatever the route itself says of absent ids counts as let in."""
    assert answer.status_code < 500, answer.text
    problem = answer.json() if "problem+json" in answer.headers["content-type"] else {}
    if answer.status_code == 422 and problem.get("field") == "x-rememora-reason":
        return "reason"
    return {401: "no key", 403: "denied", 428: "confirm"}.get(answer.status_code, "let in")


class Door:
    """A server with one person of one tenant, and a client for each kind of credential."""

    def __init__(self, server: Running) -> None:
        self.server = server
        for tenant in (TENANT, "rival"):
            server.tenant(tenant)
        self.owner = server.user(USER, tenant=TENANT)
        self.admin = self.client("admin")
        self.ids = self._furnish()

    def _furnish(self) -> dict[str, str]:
        self.owner.post("/conversations/c1/messages", json={"role": "user", "content": f"o segredo é {CANARY}"})
        kept = self.owner.post("/memories", json={"key": "user.city", "value": CANARY}).json()
        return {**ABSENT, "conversation": "c1", "memory": kept["memories"][0]["id"]}

    def link(self, user: str = USER, *, read_only: bool = False) -> str:
        """A link's token."""
        access = self.server.rememora.tenant(TENANT, acting="test").access
        return self.server.run(access.link(user, read_only=read_only)).token

    def client(self, who: str, *, user: str = USER, tenant: str = TENANT) -> httpx.Client:
        """A client that holds a fresh credential of one kind."""
        server, about = self.server, {"X_Rememora_User": user}
        if who.endswith("with reason"):
            about["X_Rememora_Reason"] = REASON
        role: Any = who.removesuffix(" with reason")
        if who == "nobody":
            return server.client()
        if who == "user":
            return server.user(user, tenant=tenant)
        if who in ("link", "read-only link"):
            return server.client(self.link(user, read_only=who != "link"))
        if role == "operator":
            return server.client(server.key("operator"), X_Rememora_Tenant=tenant, **about)
        return server.client(server.key(role, tenant=tenant, module=CRM if role == "module" else ""), **about)

    def chain(self) -> list[dict[str, Any]]:
        """The tenant's chain of changes as an administrator sees it."""
        items: list[dict[str, Any]] = self.admin.get("/audit", params={"limit": 1000}).json()["items"]
        return items


def opened(folder: Path) -> Iterator[Door]:
    """A server in a folder, until it is done with."""
    running = Running(settings_of(folder)).start()
    yield Door(running)
    running.stop()
