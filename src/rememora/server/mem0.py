"""mem0's REST routes under `/mem0`: those of its own server, and those that its `MemoryClient` calls.

The user comes from the key, as everywhere: a `user_id` that the key may not speak for is refused.
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable
from typing import Annotated, Any, TypeVar
from urllib.parse import quote

import msgspec
from starlette.responses import JSONResponse, Response

from rememora.compat.mem0 import PEOPLE, AsyncMemory
from rememora.compat.mem0_rows import SCOPES, entity_of
from rememora.domain.scope import split_owner
from rememora.errors import InvalidInput, NotFound, RememoraError
from rememora.handles.user import UserMemory
from rememora.server.auth import AGENT_HEADER, USER_HEADER, ApiRequest
from rememora.server.routing import Routes

PREFIX = "/mem0"
LISTED = 100
BATCH = 1000
T = TypeVar("T")
routes = Routes("mem0", prefix=PREFIX)


class Mem0Owner(msgspec.Struct, frozen=True, kw_only=True):
    """Owner of the memories."""

    user_id: str | None = None
    agent_id: str | None = None
    run_id: str | None = None
    top_k: int | None = None
    limit: int | None = None
    show_expired: bool = False
    page: Annotated[int, msgspec.Meta(ge=1)] = 1
    page_size: Annotated[int, msgspec.Meta(ge=1, le=BATCH)] = LISTED


class NewMemories(msgspec.Struct, frozen=True, kw_only=True):
    """Messages to learn from, or to keep unchanged."""

    messages: str | list[dict[str, Any]]
    user_id: str | None = None
    agent_id: str | None = None
    run_id: str | None = None
    metadata: dict[str, Any] | None = None
    expiration_date: str | None = None
    infer: bool | None = None


class Mem0Query(msgspec.Struct, frozen=True, kw_only=True):
    """Query and filters of a search or a list."""

    query: str = ""
    user_id: str | None = None
    agent_id: str | None = None
    run_id: str | None = None
    filters: dict[str, Any] | None = None
    top_k: int | None = None
    threshold: float | None = None
    explain: bool = False
    show_expired: bool = False


class Mem0Update(msgspec.Struct, frozen=True, kw_only=True):
    """Changes to a memory."""

    text: str | None = None
    metadata: dict[str, Any] | None = None
    expiration_date: str | msgspec.UnsetType | None = msgspec.UNSET


class BatchEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One memory of a batch, and its changes."""

    memory_id: str
    text: str | None = None
    metadata: dict[str, Any] | None = None


class Mem0Batch(msgspec.Struct, frozen=True, kw_only=True):
    """Memories to change or to forget together."""

    memories: Annotated[list[BatchEntry], msgspec.Meta(min_length=1, max_length=BATCH)]


class Mem0Verbs(AsyncMemory):
    """mem0's verbs for one request, only for people whom its key may speak for."""

    def __init__(self, ask: ApiRequest) -> None:
        super().__init__(rememora=ask.rememora, tenant=ask.tenant)
        self._ask = ask

    async def _person(self, user: str) -> UserMemory:
        # mem0 has an agent_id of its own, which narrows what is the user's.
        kept = {name: value for name, value in self._ask.headers.items() if name != AGENT_HEADER}
        named = {**kept, USER_HEADER: quote(user, safe="")}
        return ApiRequest(self._ask.rememora, self._ask.caller, named, self._ask.tenant).voice

    async def entities(self) -> list[dict[str, str]]:
        """List the users, agents and runs that have memories; with a person's key only that person."""
        if self._ask.caller.user is not None:
            names = [self._ask.caller.user]
        else:
            people = await self._ask.rememora.operator(acting="mem0").tenants.people(limit=PEOPLE)
            names = sorted({split_owner(owner)[0] for tenant, owner in people if tenant == self.tenant})
        return [{"id": name, **entity_of(name)} for name in names]


@routes.get("/v1/ping/", content=None)
async def ping(ask: ApiRequest) -> Response:
    """Confirm to a client that its key is valid."""
    return JSONResponse({"status": "ok", "org_id": ask.tenant, "project_id": ask.tenant, "user_email": ""})


@routes.post("/memories", answer=Any)
@routes.post("/v1/memories/", answer=Any)
@routes.post("/v3/memories/add/", answer=Any)
async def add(ask: ApiRequest, body: NewMemories) -> Response:
    """Learn from messages."""
    infer = True if body.infer is None else body.infer
    how: dict[str, Any] = {"metadata": body.metadata, "expiration_date": body.expiration_date, "infer": infer}
    return await _answered(Mem0Verbs(ask).add(body.messages, **_named(ask, body), **how))


@routes.get("/memories", answer=Any)
@routes.get("/v1/memories/", answer=Any)
async def get_all(ask: ApiRequest, query: Mem0Owner) -> Response:
    """List memories."""
    most = query.top_k or query.limit or LISTED
    listed = Mem0Verbs(ask).get_all(filters=_named(ask, query), top_k=most, show_expired=query.show_expired)
    return await _answered(listed)


@routes.post("/v2/memories/", once=False, reads=True, answer=Any)
@routes.post("/v3/memories/", once=False, reads=True, answer=Any)
async def get_all_filtered(ask: ApiRequest, query: Mem0Owner, body: Mem0Query) -> Response:
    """List memories under a filter, page by page."""
    end = query.page * query.page_size
    shown = query.show_expired or body.show_expired
    listed = Mem0Verbs(ask).get_all(filters=_filters(ask, body), top_k=sys.maxsize, show_expired=shown)
    rows = (await _answer(listed))["results"]
    page = rows[end - query.page_size : end]
    following = _page_address(query, query.page + 1) if len(rows) > end else None
    before = _page_address(query, query.page - 1) if query.page > 1 else None
    return JSONResponse({"count": len(rows), "next": following, "previous": before, "results": page})


@routes.post("/search", once=False, reads=True, answer=Any)
@routes.post("/v1/memories/search/", once=False, reads=True, answer=Any)
@routes.post("/v2/memories/search/", once=False, reads=True, answer=Any)
@routes.post("/v3/memories/search/", once=False, reads=True, answer=Any)
async def search(ask: ApiRequest, body: Mem0Query) -> Response:
    """Search memories, best first."""
    how: dict[str, Any] = {"explain": body.explain, "show_expired": body.show_expired, "threshold": body.threshold}
    return await _answered(
        Mem0Verbs(ask).search(body.query, filters=_filters(ask, body), top_k=body.top_k or 20, **how)
    )


@routes.get("/memories/{memory_id}", answer=Any)
@routes.get("/v1/memories/{memory_id}/", answer=Any)
async def get(ask: ApiRequest, memory_id: str) -> Response:
    """Get one memory."""
    memory = await _answer(Mem0Verbs(ask).get(memory_id))
    if memory is None:
        raise NotFound("memory", memory_id)
    return JSONResponse(memory)


@routes.put("/memories/{memory_id}", answer=Any)
@routes.put("/v1/memories/{memory_id}/", answer=Any)
async def update(ask: ApiRequest, memory_id: str, body: Mem0Update) -> Response:
    """Change a memory's text, metadata or expiration date."""
    given = {} if body.expiration_date is msgspec.UNSET else {"expiration_date": body.expiration_date}
    return await _answered(Mem0Verbs(ask).update(memory_id, text=body.text, metadata=body.metadata, **given))


@routes.get("/memories/{memory_id}/history", answer=Any)
@routes.get("/v1/memories/{memory_id}/history/", answer=Any)
async def history(ask: ApiRequest, memory_id: str) -> Response:
    """List what happened to one memory."""
    return await _answered(Mem0Verbs(ask).history(memory_id))


@routes.delete("/memories/{memory_id}", answer=Any)
@routes.delete("/v1/memories/{memory_id}/", answer=Any)
async def delete(ask: ApiRequest, memory_id: str) -> Response:
    """Forget one memory; it can be restored through Rememora."""
    return await _answered(Mem0Verbs(ask).delete(memory_id))


@routes.delete("/memories", answer=Any)
@routes.delete("/v1/memories/", answer=Any)
async def delete_all(ask: ApiRequest, query: Mem0Owner) -> Response:
    """Forget all memories of a user, an agent or a run."""
    return await _answered(Mem0Verbs(ask).delete_all(**_named(ask, query)))


@routes.put("/v1/batch/", answer=Any)
async def batch_update(ask: ApiRequest, body: Mem0Batch) -> Response:
    """Change several memories, one after the other; the first error stops it."""
    verbs = Mem0Verbs(ask)
    for change in body.memories:
        await _answer(verbs.update(change.memory_id, text=change.text, metadata=change.metadata))
    return JSONResponse({"message": f"Successfully updated {len(body.memories)} memories"})


@routes.delete("/v1/batch/", answer=Any)
async def batch_delete(ask: ApiRequest, body: Mem0Batch) -> Response:
    """Forget several memories, one after the other; the first that does not exist stops it."""
    verbs = Mem0Verbs(ask)
    for change in body.memories:
        await _answer(verbs.delete(change.memory_id))
    return JSONResponse({"message": f"Successfully deleted {len(body.memories)} memories"})


@routes.get("/entities", content="people", answer=Any)
@routes.get("/v1/entities/", content="people", answer=Any)
async def users(ask: ApiRequest) -> Response:
    """List the users that have memories, and agents and runs with memories of their own."""
    entities = await Mem0Verbs(ask).entities()
    return JSONResponse({"count": len(entities), "next": None, "previous": None, "results": entities})


@routes.delete("/entities/{type}/{name}", answer=Any)
@routes.delete("/v2/entities/{type}/{name}/", answer=Any)
async def delete_users(ask: ApiRequest, type: str, name: str) -> Response:
    """Forget all memories of one user, agent or run."""
    if f"{type}_id" not in SCOPES:
        raise InvalidInput("type", "must be user, agent or run")
    await _answer(Mem0Verbs(ask).delete_all(**{f"{type}_id": name}))
    return JSONResponse({"message": "Entity deleted successfully!"})


@routes.post("/reset", right="tenant", content="people", answer=Any)
async def reset(ask: ApiRequest) -> Response:
    """Forget every memory of every person of the tenant."""
    await _answer(AsyncMemory(rememora=ask.rememora, tenant=ask.tenant).reset())
    return JSONResponse({"message": "All memories reset"})


def _page_address(query: Mem0Owner, page: int) -> str:
    return f"{PREFIX}/v3/memories/?page={page}&page_size={query.page_size}"


def _named(ask: ApiRequest, given: Mem0Owner | NewMemories | Mem0Query) -> dict[str, Any]:
    """Return the ids that a request names; by default the person of its key or header."""
    named = {name: value for name in SCOPES if (value := getattr(given, name)) is not None}
    return named or {"user_id": ask.user}


def _filters(ask: ApiRequest, body: Mem0Query) -> dict[str, Any]:
    """Return the filter with an id in it: as given, from the fields next to it, or from the key."""
    filters = dict(body.filters or {})
    parts = [filters, *(condition for condition in filters.get("AND", []) if isinstance(condition, dict))]
    inside = {name: part[name] for part in parts for name in SCOPES if part.get(name)}
    return {**(inside or _named(ask, body)), **filters}


async def _answer(work: Awaitable[T]) -> T:
    """Call a verb of mem0, and convert its errors into ours."""
    try:
        return await work
    except RememoraError:
        raise
    except ValueError as error:
        text = str(error)
        if "not found" in text:
            raise NotFound("memory", text.split()[-3]) from None
        raise InvalidInput("body", text) from None


async def _answered(work: Awaitable[Any]) -> Response:
    return JSONResponse(await _answer(work))
