"""JSON Schema for readers: the type of a value in words, and the fields of an object as a table."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

import msgspec

from rememora.server.pages.wording import ENGLISH, Words, told

# Keywords of JSON Schema in words; the English text is also the key of its translation.
_LIMITS = (
    ("minimum", "at least {}"),
    ("exclusiveMinimum", "more than {}"),
    ("maximum", "at most {}"),
    ("minLength", "{} characters at least"),
    ("maxLength", "{} characters at most"),
    ("minItems", "{} items at least"),
    ("maxItems", "{} items at most"),
)
_PLAIN = {"string": "text", "integer": "integer", "number": "number", "boolean": "true or false", "null": "null"}


def kind_of(schema: Mapping[str, Any], words: Words = ENGLISH) -> str:
    """Return the type of a value as HTML; a named type links to its fields."""
    if "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2]
        return f'<a href="#type-{escape(name)}">{escape(name)}</a>'
    if values := schema.get("enum") or ([schema["const"]] if "const" in schema else []):
        return " | ".join(f"<code>{escape(_value(value))}</code>" for value in values)
    if several := schema.get("anyOf") or schema.get("oneOf"):
        return told(words, " or ").join(kind_of(option, words) for option in several)
    if schema.get("type") in ("array", "object"):
        return _kind_of_many(schema, words)
    return told(words, _PLAIN.get(str(schema.get("type", "")), "any value")) + _form(schema)


def _kind_of_many(schema: Mapping[str, Any], words: Words) -> str:
    """Return the type of a list or of an object without fields of its own."""
    kind, inside = ("list", "items") if schema["type"] == "array" else ("object", "additionalProperties")
    item = schema.get(inside)
    if not isinstance(item, dict) or not item:
        return told(words, kind)
    return told(words, f"{kind} of {{}}").format(kind_of(item, words))


def fields_table(schema: Mapping[str, Any], shapes: Mapping[str, Any], words: Words) -> str:
    """Return the fields of an object, or the type of anything else."""
    whole = resolved(schema, shapes)
    if not whole.get("properties"):
        return f"<p>{kind_of(schema, words)}</p>"
    needed = whole.get("required", ())
    rows = "".join(
        _row(name, field, words, required=name in needed) for name, field in whole["properties"].items()
    )
    return f"<table><tbody>{rows}</tbody></table>"


def resolved(schema: Mapping[str, Any], shapes: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schema that a reference names."""
    if "$ref" not in schema:
        return schema
    shape: Mapping[str, Any] = shapes[str(schema["$ref"]).rpartition("/")[2]]
    return shape


def _row(name: str, schema: Mapping[str, Any], words: Words, *, required: bool) -> str:
    notes = [told(words, str(schema.get("description", ""))), *_limits(schema, words)]
    if "default" in schema and schema["default"] not in (None, [], {}):
        notes.append(told(words, "{} if left out").format(_value(schema["default"])))
    said = escape("; ".join(note.rstrip(".") for note in notes if note))
    need = told(words, " required") if required else ""
    kind = kind_of(schema, words)
    return f"<tr><th><code>{escape(name)}</code>{need}</th><td>{kind} <small>{said}</small></td></tr>"


def _limits(schema: Mapping[str, Any], words: Words) -> list[str]:
    limits = [(said, schema[name]) for name, said in _LIMITS if name in schema and schema[name] != 1_000_000]
    return [told(words, said).format(limit) for said, limit in limits]


def _form(schema: Mapping[str, Any]) -> str:
    return f" ({escape(str(schema['format']))})" if "format" in schema else ""


def _value(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
