"""The OpenAPI document, generated from the table of routes and their types."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from typing import Any

import msgspec

from rememora.server.auth import (
    AGENT_HEADER,
    CONFIRM_HEADER,
    KEY_HEADER,
    REASON_HEADER,
    TENANT_HEADER,
    USER_HEADER,
)
from rememora.server.problems import MEDIA_TYPE, STATUS, Problem
from rememora.server.routing import ApiOperation
from rememora.server.samples import SAMPLES
from rememora.server.sse import MEDIA_TYPE as STREAM

REFERENCE = "#/components/schemas/{name}"
ALWAYS = ("error", "timeout", "unavailable")
GUARDED = ("key_rejected", "right_missing", "not_found", "invalid_input", "quota_exceeded")
WRITING = ("conflict", "too_large")
# Header parameters are no part of a route's types, so their descriptions stand here.
NAMED = {
    USER_HEADER: "Whose memory it is about, where the key is not a user's own; percent-encoded.",
    AGENT_HEADER: "Which agent's own memory of the user; without it, the memory that no agent has to itself.",
    REASON_HEADER: "Why a person's memory is looked through, where the key is an administrator's or operator's.",
    TENANT_HEADER: "Which tenant it is about, where the key is an operator's; percent-encoded.",
}
REPEAT_HEADER = "Idempotency-Key"
HEADER_SCHEMAS = {REPEAT_HEADER: {"type": "string", "minLength": 1, "maxLength": 255}}

TOLD: Mapping[str, Any] = {
    "type": "object",
    "description": "One server-sent event; `problem` is the last of a stream that could not go on.",
    "required": ["event", "data"],
    "properties": {
        "event": {"type": "string"},
        "id": {"type": "string"},
        "data": {"type": "string", "contentMediaType": "application/json"},
    },
}
"""Schema of each event of a stream: before OpenAPI 3.2, the schema of a stream is that of one event."""

LINKS: Mapping[str, tuple[tuple[str, str, str], ...]] = {
    "append_message": (
        ("list_messages", "conversation", "/conversation"),
        ("get_window", "conversation", "/conversation"),
        ("get_context", "conversation", "/conversation"),
        ("append_episode", "conversation", "/conversation"),
        ("delete_conversation", "conversation", "/conversation"),
    ),
    "put_conversation": (("get_conversation", "conversation", "/id"), ("append_message", "conversation", "/id")),
    "create_mission": (
        ("get_mission", "mission", "/id"),
        ("update_mission", "mission", "/id"),
        ("act_on_mission", "mission", "/id"),
        ("send_call", "mission", "/id"),
        ("close_mission", "mission", "/id"),
        ("delete_mission", "mission", "/id"),
    ),
    "remember": (
        ("get_memory", "memory", "/memories/0/id"),
        ("correct_memory", "memory", "/memories/0/id"),
        ("forget_memory", "memory", "/memories/0/id"),
        ("restore_memory", "memory", "/memories/0/id"),
        ("explain_memory", "memory", "/memories/0/id"),
    ),
    "issue_key": (("rotate_key", "key", "/key/id"), ("revoke_key", "key", "/key/id")),
    "create_tenant": (("get_tenant", "tenant", "/id"), ("change_tenant", "tenant", "/id")),
    "create_task": (("get_task", "task", "/id"), ("cancel_task", "task", "/id")),
    "claim_task": (
        ("complete_task", "task", "/held/task/id"),
        ("fail_task", "task", "/held/task/id"),
        ("renew_task", "task", "/held/task/id"),
        ("release_task", "task", "/held/task/id"),
    ),
    "list_proposals": (("answer_proposal", "proposal", "/items/0/id"),),
    "list_quarantine": (
        ("approve_quarantined", "held", "/items/0/id"),
        ("reject_quarantined", "held", "/items/0/id"),
    ),
}
"""Links from an answer to routes, and the field of the answer that becomes the path parameter."""


def document(routes: Iterable[ApiOperation]) -> dict[str, Any]:
    """Return the whole OpenAPI 3.1 document."""
    routes = list(routes)
    shapes = Shapes(routes)
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, shapes)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Rememora",
            "version": version("rememora"),
            "description": "The memory of AI agents. Every refusal is a problem as RFC 9457 describes it.",
        },
        "security": [{"bearer": []}, {"key": []}],
        "paths": paths,
        "components": {
            "schemas": shapes.components,
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "key": {"type": "apiKey", "in": "header", "name": KEY_HEADER},
            },
        },
    }


class Shapes:
    """Return the schemas of every type that a route names, generated together so that names are unique."""

    def __init__(self, routes: Sequence[ApiOperation]) -> None:
        kinds = [kind for route in routes for kind in _kinds(route) if _has_schema(kind)]
        # All types in one call: msgspec then gives types that share a name different ones.
        kinds = [*dict.fromkeys([*kinds, Problem])]
        schemas, components = msgspec.json.schema_components(kinds, ref_template=REFERENCE)
        names = _plain_names(components)
        references = {REFERENCE.format(name=old): REFERENCE.format(name=new) for old, new in names.items()}
        self.components = {
            names[name]: _with_references(component, references) for name, component in components.items()
        }
        self._schemas = dict(zip(kinds, _with_references(list(schemas), references), strict=True))

    def of(self, kind: Any) -> dict[str, Any]:
        """Return the schema of one type."""
        return dict(self._schemas[kind])

    def fields(self, kind: Any) -> dict[str, Any]:
        """Return the schema of a struct, with its fields."""
        component: dict[str, Any] = self.components[self._schemas[kind]["$ref"].rpartition("/")[2]]
        return component


def _kinds(route: ApiOperation) -> list[Any]:
    return [route.query, route.body, route.answer, *route.params.values()]


def _plain_names(components: Iterable[str]) -> dict[str, str]:
    """Return a short name for each schema: of types with the same name, which msgspec prefixes with their module,
    the first keeps the short name, and the others keep their module too.
    """
    plain = {name: name.replace("typing.", "") for name in components}
    # Sorted, so that the document does not depend on the order of imports.
    taken = {name for name in plain.values() if "." not in name}
    for dotted in sorted(name for name in plain.values() if "." in name):
        module, _, name = dotted.rpartition(".")
        if name in taken:
            name = module.rpartition(".")[2].partition("_")[0].title() + name
        taken.add(name)
        plain[dotted] = name
    return plain


def _with_references(schema: Any, references: Mapping[str, str]) -> Any:
    """Return a schema with renamed references, including those of a discriminator's mapping."""
    if isinstance(schema, dict):
        return {key: _with_references(value, references) for key, value in schema.items()}
    if isinstance(schema, list | tuple):
        return [_with_references(value, references) for value in schema]
    return references.get(schema, schema) if isinstance(schema, str) else schema


def _operation(route: ApiOperation, shapes: Shapes) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": route.name,
        "tags": [route.noun],
        "summary": route.about.partition("\n")[0],
        "parameters": [*_in_path(route, shapes), *_in_query(route, shapes), *_in_headers(route)],
        "responses": {str(route.status): _answer(route, shapes), **_problems(route, shapes)},
    }
    operation["responses"] |= {str(status): _answer(route, shapes) for status in route.also}
    if links := LINKS.get(route.name):
        operation["responses"][str(route.status)]["links"] = {
            name: {"operationId": name, "parameters": {param: f"$response.body#{pointer}"}}
            for name, param, pointer in links
        }
    if route.answer is type(None):
        operation["responses"]["204"] = operation["responses"].pop(str(route.status))
    if route.right is None:
        # An empty list lifts the key that every other operation needs.
        operation["security"] = []
    else:
        operation["x-right"] = route.right
    if route.body is not None:
        content: dict[str, Any] = {"schema": shapes.of(route.body)}
        if (sample := SAMPLES.get(route.name)) is not None:
            content["example"] = sample
        operation["requestBody"] = {"required": _needed(route.body), "content": {"application/json": content}}
    return operation


def _needed(body: Any) -> bool:
    """Return whether a body is required: not if every field has a default."""
    return not isinstance(body, type(msgspec.Struct)) or any(
        field.required for field in msgspec.structs.fields(body)
    )


def _in_path(route: ApiOperation, shapes: Shapes) -> list[dict[str, Any]]:
    return [
        {"name": name, "in": "path", "required": True, "schema": shapes.of(kind)}
        for name, kind in route.params.items()
    ]


def _in_query(route: ApiOperation, shapes: Shapes) -> list[dict[str, Any]]:
    if route.query is None:
        return []
    shape = shapes.fields(route.query)
    required = shape.get("required", [])
    return [
        {
            "name": name,
            "in": "query",
            "required": name in required,
            "schema": _without_null(schema),
            **({"explode": True, "style": "form"} if _without_null(schema).get("type") == "array" else {}),
        }
        for name, schema in shape["properties"].items()
    ]


def _in_headers(route: ApiOperation) -> list[dict[str, Any]]:
    if route.right is None:
        return []
    given = {} if route.right == "operate" else dict(NAMED)
    # Headers differ by what a route does; each is described only where it has an effect.
    if route.noun == "memories" and route.params and route.method != "GET":
        given["If-Match"] = "The `ETag` of the memory as it was seen; where it stands otherwise, nothing is done."
    if route.erases:
        about = "For a link: the `confirmation` that the same request was answered with a moment ago."
        given[CONFIRM_HEADER] = about
    if route.once:
        given[REPEAT_HEADER] = "Makes a write that may be repeated: the first is done, the others get its answer."
    return [
        {
            "name": name,
            "in": "header",
            "schema": HEADER_SCHEMAS.get(name, {"type": "string"}),
            "description": about,
        }
        for name, about in given.items()
    ]


def _answer(route: ApiOperation, shapes: Shapes) -> dict[str, Any]:
    if route.answer is type(None):
        return {"description": "Done."}
    content: dict[str, Any] = {}
    if _has_schema(route.answer):
        content["application/json"] = {"schema": shapes.of(route.answer)}
    if route.streams:
        content[STREAM] = {"schema": TOLD}
    elif isinstance(route.answer, str):
        content[route.answer.partition(";")[0]] = {"schema": {"type": "string"}}
    return {"description": route.about.partition("\n")[0], "content": content}


def _problems(route: ApiOperation, shapes: Shapes) -> dict[str, Any]:
    codes: list[str] = [*ALWAYS]
    if route.right is not None:
        codes += GUARDED
    elif route.query is not None:
        # A route that needs no key still checks its parameters; `GUARDED` says so of the others.
        codes.append("invalid_input")
    if route.method != "GET":
        codes += WRITING
    if route.body is not None:
        codes += ["undecodable", "unsupported_media_type"]
    if route.noun == "memories":
        codes.append("changed_meanwhile")
    if route.erases:
        codes.append("confirmation_needed")
    if route.noun == "chat":
        codes.append("model_unavailable")
    if route.name == "get_metrics":
        codes.append("missing_extra")
    shape = {MEDIA_TYPE: {"schema": shapes.of(Problem)}}
    ordered = sorted(set(codes), key=STATUS.__getitem__)
    return {str(STATUS[code]): {"description": f"`{code}`", "content": shape} for code in ordered}


def _has_schema(kind: Any) -> bool:
    return kind is not None and kind is not type(None) and not isinstance(kind, str)


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Remove null: an optional parameter is left out, never null."""
    if "anyOf" not in schema:
        return schema
    kept = [option for option in schema["anyOf"] if option.get("type") != "null"]
    rest = {key: value for key, value in schema.items() if key not in ("anyOf", "default")}
    return {**rest, **kept[0]} if len(kept) == 1 else {**rest, "anyOf": kept}
