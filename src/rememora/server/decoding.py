"""Decodes a request and checks it against the types of its operation; every error names the field."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from datetime import datetime
from difflib import get_close_matches
from functools import cache
from typing import Any, get_args, get_origin
from urllib.parse import unquote

import msgspec
from starlette.datastructures import QueryParams
from starlette.requests import ClientDisconnect, Request

from rememora.server.problems import RequestRefusal
from rememora.server.routing import ApiOperation
from rememora.settings.sections import ServerSettings

ALIKE = 0.7
_MISSING = re.compile(r"Object missing required field `([^`]+)`")
_UNKNOWN = re.compile(r"Object contains unknown field `[^`]+`")
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}[Tt]")


async def read_body(request: Request, limits: ServerSettings, most: int) -> bytes:
    """Return the whole body; refuse it as soon as it has more than `most` bytes or is too slow."""
    declared = request.headers.get("content-length", "")
    if declared.isdigit():
        _check_size(int(declared), most)
    parts: list[bytes] = []
    size = 0
    begun = asyncio.get_running_loop().time()
    # Two deadlines: a short one for the first byte, then a longer one for all of it.
    first_seconds = min(limits.body_start_seconds, limits.body_seconds)
    try:
        async with asyncio.timeout_at(begun + first_seconds) as limit:
            async for part in request.stream():
                limit.reschedule(begun + limits.body_seconds)
                size += len(part)
                _check_size(size, most)
                parts.append(part)
    except ClientDisconnect:
        raise RequestRefusal("undecodable", "the body ended early") from None
    except TimeoutError:
        late = f"the body was not complete within {limits.body_seconds} s"
        never = f"nothing of the body came within {limits.body_start_seconds} s"
        raise RequestRefusal("body_too_slow", late if parts else never) from None
    return b"".join(parts)


def _check_size(size: int, most: int) -> None:
    if size > most:
        raise RequestRefusal("too_large", f"a body may have at most {most} bytes")


def arguments(operation: ApiOperation, request: Request, raw: bytes) -> dict[str, Any]:
    """Return the arguments of an operation's function: names in the path, `query` and `body`."""
    taken = {
        name: _converted(unquote(request.path_params[name]), kind, name) for name, kind in operation.params.items()
    }
    if operation.query is not None:
        taken["query"] = _query(operation.query, request.query_params)
    if operation.body is not None:
        taken["body"] = _body(operation.body, raw, request.headers.get("content-type", ""))
    return taken


def _query(kind: Any, given: QueryParams) -> Any:
    """Decode the query parameters into a struct."""
    fields = _query_fields(kind)
    values: dict[str, Any] = {}
    for name in given:
        texts = given.getlist(name)
        is_list, kinds = fields.get(name, (False, frozenset()))
        if is_list:
            values[name] = [part for text in texts for part in text.split(",") if part]
        # Which of two values counts differs from proxy to proxy: a check in front could see another one than we
        # do.
        elif len(texts) > 1:
            raise RequestRefusal("invalid_input", f"{name} is given {len(texts)} times", field=name)
        else:
            values[name] = texts[0]
            _check_spelling(name, texts[0], kinds)
    return _converted(values, kind, "query")


def _body(kind: Any, raw: bytes, content_type: str) -> Any:
    """Decode the JSON body into a struct; no body at all counts as an empty object."""
    media = content_type.partition(";")[0].strip().lower()
    if media and media != "application/json" and not media.endswith("+json"):
        raise RequestRefusal("unsupported_media_type", "the body must be application/json")
    try:
        return _decoder(kind).decode(raw.strip() or b"{}")
    except msgspec.ValidationError as error:
        raise _refusal(error, "body", others=_misspelt(raw, kind)) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RequestRefusal("undecodable", f"the body is not JSON: {error}") from None


def _converted(value: Any, kind: Any, where: str) -> Any:
    try:
        return msgspec.convert(value, kind, strict=False)
    except msgspec.ValidationError as error:
        raise _refusal(error, where) from None


def _refusal(error: msgspec.ValidationError, where: str, *, others: Sequence[str] = ()) -> RequestRefusal:
    """Translate msgspec's error into one that names the field, with the `others`."""
    text, _, path = str(error).partition(" - at `")
    inside = path.rstrip("`").removeprefix("$").removeprefix(".")
    if missing := _MISSING.fullmatch(text):
        text = "is missing"
        inside = f"{inside}.{missing[1]}" if inside else missing[1]
    # msgspec names the first unknown field only; the caller should see all that are misspelt.
    elif others and not inside and _UNKNOWN.fullmatch(text):
        return RequestRefusal("invalid_input", "; ".join(others), field=where)
    field = inside or where
    return RequestRefusal("invalid_input", "; ".join([f"{field}: {text}", *others]), field=field)


def _misspelt(raw: bytes, kind: Any) -> list[str]:
    """Suggest the intended field for each unknown field of the body."""
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
    """Refuse values that lenient decoding would accept as booleans, times or null, unlike the OpenAPI document."""
    if bool in kinds and text not in ("true", "false"):
        raise RequestRefusal("invalid_input", f"{name}: must be true or false", field=name)
    if str not in kinds and text.lower() == "null":
        raise RequestRefusal("invalid_input", f"{name}: must have a value", field=name)
    if datetime in kinds and not _MOMENT.match(text):
        raise RequestRefusal("invalid_input", f"{name}: must be a moment as in 2026-01-31T12:00:00Z", field=name)


@cache
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


@cache
def _query_fields(kind: Any) -> dict[str, tuple[bool, frozenset[Any]]]:
    """Return for each field of a struct whether it is a list, and its plain types."""
    fields = msgspec.structs.fields(kind)
    return {field.name: (_is_list(field.type), frozenset(_flat(field.type))) for field in fields}


def _flat(kind: Any) -> list[Any]:
    inner = [plain for part in get_args(kind) for plain in _flat(part)]
    return inner or [kind]


def _is_list(kind: Any) -> bool:
    return get_origin(kind) in (list, tuple, frozenset) or any(_is_list(arg) for arg in get_args(kind))
