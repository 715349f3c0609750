"""Writes the types and the table of operations of `clients/typescript` from the OpenAPI document (`make docs`)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rememora.server import openapi
from rememora.server.routes import table

FOLDER = Path(__file__).parent.parent / "clients/typescript"
NOTE = "// Written by `make docs` from the OpenAPI document; changes belong in the routes of the server.\n"
NAMES = {"integer": "number", "number": "number", "string": "string", "boolean": "boolean", "null": "null"}
_PLAIN = re.compile(r"[A-Za-z_$][\w$]*")
Schema = Mapping[str, Any]


def pages() -> dict[str, str]:
    """The generated files by name."""
    document = openapi.document(route for route in table() if not route.development)
    return {"schema.d.ts": _types(document), "operations.js": _operations(document)}


def _types(document: Schema) -> str:
    parts = [NOTE]
    for name, schema in sorted(document["components"]["schemas"].items()):
        parts.append(f"{_doc(schema.get('description', ''), '')}export type {name} = {type_of(schema)};\n")
    parts.append("/** Every operation of the server: what it takes, and what it answers. */")
    parts.append("export interface Operations {")
    parts += [
        f"{_doc(item['summary'], '  ')}  {name}: {_operation(item)};" for name, _, _, item in _each(document)
    ]
    return "\n".join(parts) + "\n}\n"


def _operations(document: Schema) -> str:
    rows = [f"  {name}: [{json.dumps(method)}, {json.dumps(path)}]," for name, method, path, _ in _each(document)]
    return "\n".join(
        [NOTE, "/** The method and the address of every operation. */", "export const operations = {"]
    ) + ("\n" + "\n".join(rows) + "\n};\n")


def _each(document: Schema) -> Iterator[tuple[str, str, str, Schema]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if isinstance(operation, Mapping) and "operationId" in operation:
                yield operation["operationId"], method.upper(), path, operation


def _operation(operation: Schema) -> str:
    fields = [
        ("path", _parameters(operation, "path")),
        ("query", _parameters(operation, "query")),
        ("body", _content(operation.get("requestBody", {}))),
        ("answer", _answer(operation)),
    ]
    return "{ " + "; ".join(f"{name}: {type}" for name, type in fields) + " }"


def _parameters(operation: Schema, place: str) -> str:
    items = [item for item in operation.get("parameters", []) if item["in"] == place]
    fields = (_field(item["name"], item["schema"], required=bool(item.get("required"))) for item in items)
    return "{ " + "; ".join(fields) + " }" if items else "undefined"


def _content(body: Schema) -> str:
    content = body.get("content", {})
    return type_of(content["application/json"]["schema"]) if "application/json" in content else "undefined"


def _answer(operation: Schema) -> str:
    good = [item for status, item in sorted(operation["responses"].items()) if status.startswith("2")]
    types = dict.fromkeys(_content(item) if "content" in item else "undefined" for item in good)
    others = any(kind in item.get("content", {}) for item in good for kind in ("text/plain",))
    return " | ".join("string" if others and item == "undefined" else item for item in types)


def type_of(schema: Schema) -> str:
    """The TypeScript type of a schema."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(map(type_of, schema["anyOf"])))
    if "enum" in schema:
        return " | ".join(json.dumps(item, ensure_ascii=False) for item in schema["enum"])
    kind = schema.get("type")
    if kind == "array":
        inner = type_of(schema.get("items", {}))
        return f"({inner})[]" if " | " in inner else f"{inner}[]"
    if kind == "object":
        return _object(schema)
    return NAMES[kind] if kind is not None else "unknown"


def _object(schema: Schema) -> str:
    required = schema.get("required", ())
    fields = [_field(name, item, required=name in required) for name, item in schema.get("properties", {}).items()]
    if fields:
        return "{ " + "; ".join(fields) + " }"
    others = schema.get("additionalProperties")
    return f"Record<string, {type_of(others) if isinstance(others, Mapping) else 'unknown'}>"


def _field(name: str, schema: Schema, *, required: bool) -> str:
    shown = name if _PLAIN.fullmatch(name) else json.dumps(name)
    return f"{shown}{'' if required else '?'}: {type_of(schema)}"


def _doc(text: str, indent: str) -> str:
    """A comment, which no text can end early."""
    words = " ".join(text.replace("*/", "* /").split())
    return f"{indent}/** {words} */\n" if words else ""


if __name__ == "__main__":
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
