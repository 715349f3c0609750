"""Writes the reference pages from the code (`make docs`), so that they cannot say anything else."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import msgspec
import typer
from msgspec import Meta

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tools.python_reference import python_page, types_page
from tools.reference_markdown import NOTE, as_page, as_table, doc_of

from rememora import errors, settings
from rememora.cli import app
from rememora.domain.event import PAYLOADS, Event
from rememora.domain.event_versions import events_schema
from rememora.gate.explain import Tongue, render_policy
from rememora.server import openapi
from rememora.server.problems import STATUS
from rememora.server.routes import table
from rememora.settings import ALIASES, MILLISECONDS, Settings, allowed, env_name, field_types, section_types

FOLDER = Path(__file__).parent.parent / "docs/reference"


def settings_page() -> str:
    """Every setting with its variable, default and range."""
    parts = [
        "# Settings\n",
        NOTE,
        "A setting is taken from code, then from the environment, then from a file; otherwise it has its default.",
        f"The file is `{settings.DEFAULT_FILE}` in the working folder, or what `{settings.FILE_ENV}` names.",
        "Invalid values and unknown names are refused at startup.\n",
        "```python\nfrom rememora import Settings\n",
        'settings = Settings.load({"summary.threshold": 30})\n```\n',
    ]
    for title, section in section_types().items():
        parts += [f"## {title}\n", f"{doc_of(section)}\n", as_table(_HEADS, _setting_rows(title, section)), ""]
    aliases = (
        [f"`{alias}`", f"`{path}`" + (", in milliseconds" if alias in MILLISECONDS else "")]
        for alias, path in ALIASES.items()
    )
    parts += [
        "## Names that hosts already use\n",
        "Our own name outweighs them where both are set; "
        "a name of these families that is not listed is refused at start.\n",
    ]
    parts += [as_table(["variable", "setting"], aliases)]
    return as_page(parts)


def errors_page() -> str:
    """Every error with its code and what it carries."""
    tree = inspect.cleandoc(errors.__doc__ or "").split("\n\n")[1]
    rows = (
        [*(f"`{name}`" for name in _names_of(error)), _carries(error), doc_of(error)] for error in error_types()
    )
    return as_page(
        [
            "# Errors\n",
            NOTE,
            "Everything Rememora raises is a `RememoraError`; its `code` is stable and safe to match on.\n",
            f"```text\n{inspect.cleandoc(tree)}\n```\n",
            "The tree is the whole design; the table below is what this version raises.\n",
            as_table(["error", "code", "is a", "carries", "meaning"], rows),
        ]
    )


def events_page() -> str:
    """The envelope and every type of event."""
    parts = [
        "# Events\n",
        NOTE,
        "An event is stored in the transaction that caused it,",
        "and delivered at least once, in order per conversation.",
        "Its `id` never changes between deliveries, so that a consumer can drop what it has seen.",
        "The JSON Schema is [events.schema.json](events.schema.json); `rememora events schema` prints it.\n",
        "## Envelope\n",
        as_table(["field", "type"], _field_rows(Event)),
        "",
    ]
    for kind in PAYLOADS:
        fields = as_table(["field of the payload", "type"], _field_rows(kind))
        parts += [f"## {kind.type}\n", f"{doc_of(kind)}\n", fields, ""]
    return as_page(parts[:-1])


def commands_page() -> str:
    """Every command with its options."""
    root = typer.main.get_command(app)
    parts = ["# Commands\n", NOTE, f"{root.help}\n"]
    for path, command in commands(root, "rememora"):
        parts += [f"## {path}\n", f"{(command.help or '').strip()}\n"]
        rows = list(_option_rows(command))
        parts += [as_table(["option", "default", "meaning"], rows), ""] if rows else []
    return as_page(parts).rstrip() + "\n"


def rest_page() -> str:
    """Every address of the server, from its OpenAPI document."""
    document = openapi.document(route for route in table() if not route.development)
    parts = ["# REST\n", NOTE, "Under `/api/v1`; the server describes itself at `/api/v1/openapi.json`."]
    parts += ["Every refusal is a problem (RFC 9457) whose `code` is one of those in [errors](errors.md).\n"]
    nouns: dict[str, list[list[str]]] = {}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            row = [f"`{method.upper()} {path.removeprefix('/api/v1')}`", operation.get("x-right", "none")]
            shown = [*_taken(operation), _answered(operation), operation["summary"]]
            nouns.setdefault(operation["tags"][0], []).append([*row, *shown])
    for noun, rows in nouns.items():
        parts += [f"## {noun}\n", as_table(["address", "right", "takes", "answers", "meaning"], rows), ""]
    parts += ["## Bodies\n", "What each body holds; where every field has a default, the body may be left out.\n"]
    for name, shape in _bodies(document).items():
        fields = as_table(["field", "type", "default"], _body_rows(shape))
        parts += [f"### {name}\n", fields if "properties" in shape else f"One of {_schema_in_words(shape)}.", ""]
    parts += [
        "## Statuses of codes\n",
        as_table(["code", "status"], ([f"`{c}`", str(s)] for c, s in STATUS.items())),
    ]
    return as_page(parts)


def events_json() -> str:
    """The JSON Schema of every event, for machines."""
    return json.dumps(events_schema(), indent=2) + "\n"


def old_events_json() -> str:
    """The JSON Schema of every event in version 1, for consumers that ask for it."""
    return json.dumps(events_schema(1), indent=2) + "\n"


PAGES = {
    "rest.md": rest_page,
    "settings.md": settings_page,
    "errors.md": errors_page,
    "events.md": events_page,
    "events.schema.json": events_json,
    "events.v1.schema.json": old_events_json,
    "cli.md": commands_page,
    "python.md": python_page,
    "python-types.md": types_page,
}
POLICY_PAGES: dict[str, Tongue] = {
    "what-may-become-a-memory.md": "en",
    "what-may-become-a-memory.pt-BR.md": "pt",
}
_WORDS = {"string": "text", "integer": "whole number", "boolean": "true or false"}
_LIMITS = {
    "maxLength": "at most {} characters",
    "minimum": "from {}",
    "exclusiveMinimum": "above {}",
    "maximum": "up to {}",
}
_HEADS = ["setting", "variable", "default", "allowed", "meaning"]


def _taken(operation: dict[str, Any]) -> list[str]:
    """What a request brings: the parameters after the question mark, and the type of its body."""
    names = [f"`{parameter['name']}`" for parameter in operation["parameters"] if parameter["in"] == "query"]
    if "requestBody" in operation:
        name = _named(operation["requestBody"]["content"]["application/json"]["schema"])
        names.append(name if name == "JSON" else f"[{name}](#{name.strip('`').lower()})")
    return [", ".join(names)]


def _answered(operation: dict[str, Any]) -> str:
    status, answer = next(iter(operation["responses"].items()))
    status = "204" if "204" in operation["responses"] else status
    kinds = [_named(value["schema"]) for value in answer.get("content", {}).values() if "schema" in value]
    return f"{status} {kinds[0]}" if kinds and status != "204" else status


def _named(schema: dict[str, Any]) -> str:
    name = schema.get("$ref", "").rpartition("/")[2]
    return f"`{name}`" if name else "JSON"


def _bodies(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Every type that a body is of, and every type inside one, by name."""
    shapes = document["components"]["schemas"]
    operations = [method for methods in document["paths"].values() for method in methods.values()]
    names = sorted({name for operation in operations for name in _names_in(operation.get("requestBody", {}))})
    result: dict[str, dict[str, Any]] = {}
    for name in names:
        # Grows while it is gone through: what a body holds comes after it.
        names.extend(inner for inner in _names_in(shapes[name]) if inner not in names)
        result[name] = shapes[name]
    return {name: result[name] for name in sorted(result)}


def _names_in(schema: Any) -> list[str]:
    if isinstance(schema, list):
        return [name for item in schema for name in _names_in(item)]
    if not isinstance(schema, dict):
        return []
    value = schema.get("$ref")
    inner = [name for item in schema.values() for name in _names_in(item)]
    return [value.rpartition("/")[2], *inner] if isinstance(value, str) else inner


def _body_rows(shape: dict[str, Any]) -> Iterator[list[str]]:
    for name, field in shape.get("properties", {}).items():
        needed = name in shape.get("required", [])
        default = f"`{json.dumps(field['default'], ensure_ascii=False)}`" if "default" in field else "none"
        yield [f"`{name}`", _schema_in_words(field), "required" if needed else default]


def _schema_in_words(schema: dict[str, Any]) -> str:
    """A schema as a reader needs it: its type, what it may be, how long or large."""
    if "anyOf" in schema:
        return "; or ".join(dict.fromkeys(_schema_in_words(item) for item in schema["anyOf"]))
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[`{name}`](#{name.lower()})"
    if "enum" in schema:
        return ", ".join(f"`{item}`" for item in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_schema_in_words(schema.get('items') or {})}"
    plain = "moment, ISO 8601 with zone" if schema.get("format") == "date-time" else schema.get("type", "any JSON")
    limits = [word.format(schema[key]) for key, word in _LIMITS.items() if key in schema]
    return ", ".join([_WORDS.get(plain, plain), *limits])


def error_types() -> list[type[errors.RememoraError]]:
    """Every error there is, in the order of its module."""
    return [
        item for item in vars(errors).values() if isinstance(item, type) and issubclass(item, errors.RememoraError)
    ]


def commands(command: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Every command below a group, with the words that call it."""
    # Typer brings its own copy of click in some versions: what counts is the shape, not the class.
    inner = getattr(command, "commands", None)
    if inner is None:
        yield path, command
        return
    for name, item in inner.items():
        yield from commands(item, f"{path} {name}")


def _setting_rows(title: str, section: type[settings.Section]) -> Iterator[list[str]]:
    defaults = getattr(Settings(), title)
    for name, kind in field_types(section).items():
        path = f"{title}.{name}"
        about = next(item.description or "" for item in get_args(kind) if isinstance(item, Meta))
        default = msgspec.json.encode(getattr(defaults, name)).decode()
        yield [f"`{path}`", f"`{env_name(path)}`", f"`{default}`", allowed(kind), about]


def _field_rows(kind: type[msgspec.Struct]) -> Iterator[list[str]]:
    for field in msgspec.structs.fields(kind):
        shown = field.type.__name__ if isinstance(field.type, type) else str(field.type)
        yield [f"`{field.name}`", _type_in_words(shown, required=field.required)]


def _type_in_words(shown: str, *, required: bool) -> str:
    plain = shown.replace("typing.", "").removesuffix(" | None")
    words = {"str": "text", "int": "whole number", "datetime": "moment, ISO 8601 in UTC", "dict": "object"}
    return words.get(plain.partition("[")[0], plain) + ("" if required else ", may be absent")


def _option_rows(command: Any) -> Iterator[list[str]]:
    for option in command.params:
        if option.param_type_name == "argument":
            yield [f"`{option.name}`", "", str(getattr(option, "help", None) or "")]
        elif not option.hidden:
            names = ", ".join(f"`{name}`" for name in [*option.opts, *option.secondary_opts])
            default = "" if option.default is None else f"`{option.default}`"
            yield [names, default, option.help or ""]


def _names_of(error: type[errors.RememoraError]) -> list[str]:
    return [error.__name__, error.code, error.__mro__[1].__name__]


def _carries(error: type[errors.RememoraError]) -> str:
    names = [name for name in inspect.signature(error.__init__).parameters if name not in ("self", "message")]
    return ", ".join(f"`{name}`" for name in names)


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, write in PAGES.items():
        (FOLDER / name).write_text(write(), encoding="utf-8")
    for name, language in POLICY_PAGES.items():
        (FOLDER.parent / "concepts" / name).write_text(render_policy(language=language), encoding="utf-8")
