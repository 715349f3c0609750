"""What a request brings, read once and checked against the types of its route."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from difflib import get_close_matches
from functools import cache
from typing import Any, get_args, get_origin
from urllib.parse import unquote

import msgspec
from starlette.requests import ClientDisconnect, Request

from rememora.server.problems import Refusal
from rememora.server.route import Route

ALIKE = 0.7
_MISSING = re.compile(r"Object missing required field `([^`]+)`")
_UNKNOWN = re.compile(r"Object contains unknown field `[^`]+`")
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}[Tt]")


async def read_body(request: Request, *, most: int, first_seconds: float, seconds: float) -> bytes:
    """The whole body, refused as soon as it is known to be too long or too slow."""
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > most:
        raise Refusal("too_large", f"a body may have {most} bytes")
    parts: list[bytes] = []
    size = 0
    begun = asyncio.get_running_loop().time()
    try:
        async with asyncio.timeout_at(begun + min(first_seconds, seconds)) as limit:
            async for part in request.stream():
                limit.reschedule(begun + seconds)
                size += len(part)
                if size > most:
                    raise Refusal("too_large", f"a body may have {most} bytes")
                parts.append(part)
    except ClientDisconnect:
        raise Refusal("undecodable", "the body ended early") from None
    except TimeoutError:
        raise Refusal("body_too_slow", _lateness(parts, first_seconds, seconds)) from None
    return b"".join(parts)


def _lateness(parts: list[bytes], first_seconds: float, seconds: float) -> str:
    if not parts:
        return f"nothing of the body came within {first_seconds} s"
    return f"the body was not complete within {seconds} s"


def path_params(route: Route, found: Mapping[str, Any]) -> dict[str, Any]:
    """The names in the path, checked; `protect_slashes` left them encoded once."""
    return {name: _converted(unquote(found[name]), kind, name) for name, kind in route.params.items()}


def query_of(route: Route, request: Request) -> Any:
    """The parameters after the question mark, as the route's struct."""
    lists = _list_fields(route.query)
    values: dict[str, Any] = {}
    for name in request.query_params:
        given = request.query_params.getlist(name)
        if name in lists:
            values[name] = [part for each in given for part in each.split(",") if part]
        elif len(given) > 1:
            raise Refusal("invalid_input", f"{name} is given {len(given)} times", field=name)
        else:
            values[name] = given[0]
            _check_spelling(name, given[0], _plain_types(route.query).get(name, frozenset()))
    return _converted(values, route.query, "query")


def body_of(route: Route, raw: bytes, content_type: str) -> Any:
    """The JSON body as the route's struct; none at all is one without fields."""
    kind = content_type.partition(";")[0].strip().lower()
    if kind and kind != "application/json" and not kind.endswith("+json"):
        raise Refusal("unsupported_media_type", "the body must be application/json")
    try:
        return _decoder(route.body).decode(raw.strip() or b"{}")
    except msgspec.ValidationError as error:
        raise _refusal(error, "body", beside=_misspelt(raw, route.body)) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Refusal("undecodable", f"the body is not JSON: {error}") from None


def _converted(value: Any, kind: Any, where: str) -> Any:
    try:
        return msgspec.convert(value, kind, strict=False)
    except msgspec.ValidationError as error:
        raise _refusal(error, where) from None


def _refusal(error: msgspec.ValidationError, where: str, *, beside: Sequence[str] = ()) -> Refusal:
    """Translate what msgspec says, with the field it says it of, and `beside` it what else is wrong."""
    text, _, path = str(error).partition(" - at `")
    inside = path.rstrip("`").removeprefix("$").removeprefix(".")
    if missing := _MISSING.fullmatch(text):
        text = "is missing"
        inside = f"{inside}.{missing[1]}" if inside else missing[1]
    elif beside and not inside and _UNKNOWN.fullmatch(text):
        return Refusal("invalid_input", "; ".join(beside), field=where)
    field = inside or where
    return Refusal("invalid_input", "; ".join([f"{field}: {text}", *beside]), field=field)


def _misspelt(raw: bytes, kind: Any) -> list[str]:
    """Say of each field that the body has and its type has not which one may be meant."""
    if not (isinstance(kind, type) and issubclass(kind, msgspec.Struct)):
        return []
    try:
        given = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        # The first fault was found before the rest was read; that one is told.
        return []
    known = [field.encode_name for field in msgspec.structs.fields(kind)]
    return [
        f"unknown field {name!r}" + (f", did you mean {near[0]!r}?" if (near := _near(name, known)) else "")
        for name in (given if isinstance(given, dict) else ())
        if name not in known
    ]


def _near(name: str, known: Sequence[str]) -> list[str]:
    return get_close_matches(name, known, n=1, cutoff=ALIKE)


def _check_spelling(name: str, text: str, kinds: frozenset[Any]) -> None:
    """Refuse what a lenient reader would take for a truth, a moment or nothing, and the document does not."""
    if bool in kinds and text not in ("true", "false"):
        raise Refusal("invalid_input", f"{name}: must be true or false", field=name)
    if str not in kinds and text.lower() == "null":
        raise Refusal("invalid_input", f"{name}: must have a value", field=name)
    if datetime in kinds and not _MOMENT.match(text):
        raise Refusal("invalid_input", f"{name}: must be a moment as in 2026-01-31T12:00:00Z", field=name)


@cache
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


@cache
def _list_fields(kind: Any) -> frozenset[str]:
    return frozenset(field.name for field in msgspec.structs.fields(kind) if _is_list(field.type))


@cache
def _plain_types(kind: Any) -> dict[str, frozenset[Any]]:
    """The plain types that each field of a struct may have."""
    return {field.name: frozenset(_flat(field.type)) for field in msgspec.structs.fields(kind)}


def _flat(kind: Any) -> list[Any]:
    inner = [each for part in get_args(kind) for each in _flat(part)]
    return inner or [kind]


def _is_list(kind: Any) -> bool:
    return get_origin(kind) in (list, tuple, frozenset) or any(_is_list(each) for each in get_args(kind))
