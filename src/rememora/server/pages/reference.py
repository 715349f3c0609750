"""The API reference as one page, written from the OpenAPI document: nouns, rights, fields, a curl for each."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import Any

import msgspec

from rememora.domain.tenancy import RIGHTS
from rememora.server.pages.schemas import fields_table, kind_of, resolved

Operation = Mapping[str, Any]
METHODS = ("get", "post", "put", "patch", "delete")
USER, SAMPLE_USER = "x-rememora-user", "me"
KEY = "$REMEMORA_KEY"
_PLACE = re.compile(r"\{(\w+)\}")
_TITLES = {
    "memory": "Memory: search and windows",
    "memories": "Memories: what is known",
    "gate": "Gate: what may become a memory",
    "person": "Person: profile, export, erase",
}


def reference(document: Mapping[str, Any], *, base: str) -> str:
    """Return the body of the page; `base` is the address that its commands call."""
    nouns = _by_noun(document)
    shapes = document["components"]["schemas"]
    sections = "".join(_section(noun, found, shapes, base) for noun, found in nouns.items())
    return (
        '<div class="reference"><nav aria-label="Operations"><details open>'
        f"<summary>{_link('#top', 'Rememora API')}</summary>{_menu(nouns)}</details></nav>"
        f'<main id="top">{_opening(document, base)}{sections}{_shapes(shapes)}</main></div>'
    )


def curl(method: str, path: str, operation: Operation, base: str) -> str:
    """Return a command for a shell where REMEMORA_KEY holds a key."""
    lines = [
        f"curl{'' if method == 'get' else f' -X {method.upper()}'} {shlex.quote(base + _filled(path, operation))}"
    ]
    if operation.get("security") != []:
        lines.append(f'-H "Authorization: Bearer {KEY}"')
    if any(each["name"] == USER for each in operation["parameters"]):
        lines.append(f"-H 'X-Rememora-User: {SAMPLE_USER}'")
    example = _example(operation)
    if example is not None:
        lines += ["-H 'Content-Type: application/json'", f"-d {shlex.quote(_json(example))}"]
    return " \\\n     ".join(lines)


def _by_noun(document: Mapping[str, Any]) -> dict[str, list[tuple[str, str, Operation]]]:
    nouns: dict[str, list[tuple[str, str, Operation]]] = {}
    for path, found in document["paths"].items():
        for method in METHODS:
            if method in found:
                nouns.setdefault(found[method]["tags"][0], []).append((method, path, found[method]))
    return nouns


def _opening(document: Mapping[str, Any], base: str) -> str:
    chat = document["paths"]["/api/v1/chat"]["post"]
    return (
        f"<h1>Rememora API <small>{escape(document['info']['version'])}</small></h1>"
        f"<p>{escape(document['info']['description'])} "
        '<a href="openapi.json">OpenAPI 3.1 document</a>, for clients and generators.</p>'
        "<h2>Start here</h2><p>Put your key in the environment and say something. A key that is not a user's own "
        "names the user in <code>X-Rememora-User</code>; it reads a person's memory only with a reason in "
        "<code>X-Rememora-Reason</code>.</p>"
        f"<pre><code>export REMEMORA_KEY=…\n{escape(curl('post', '/api/v1/chat', chat, base))}</code></pre>"
        f"{_rights()}{_credentials()}"
    )


def _rights() -> str:
    rows = "".join(
        f"<tr><th><code>{role}</code></th><td>{', '.join(sorted(rights))}</td></tr>"
        for role, rights in RIGHTS.items()
    )
    return (
        "<details><summary>Which key may do what</summary><p>Each operation names the right it needs.</p>"
        f"<table><tbody>{rows}</tbody></table></details>"
    )


def _credentials() -> str:
    """Return the fields that the forms below use; the script shows them and keeps them nowhere."""
    return (
        '<fieldset class="try credentials" hidden><legend>Try it from this page</legend>'
        '<label>Key <input id="key" type="password" autocomplete="off" spellcheck="false"></label>'
        f'<label>User <input id="user" value="{SAMPLE_USER}" autocomplete="off" spellcheck="false"></label>'
        '<label>Reason <input id="reason" placeholder="why you read it" autocomplete="off"></label>'
        '<label class="wide">Find <input id="find" type="search" placeholder="memory, erase, POST …"></label>'
        "<p>The key stays in this tab and is sent to this server only.</p></fieldset>"
    )


def _menu(nouns: Mapping[str, Iterable[tuple[str, str, Operation]]]) -> str:
    parts = []
    for noun, found in nouns.items():
        items = "".join(
            f"<li>{_link('#' + each['operationId'], _spoken(each['operationId']))}</li>" for *_, each in found
        )
        parts.append(f"<details><summary>{_link(f'#noun-{noun}', noun)}</summary><ul>{items}</ul></details>")
    return "".join(parts) + f"<p>{_link('#schemas', 'types')}</p>"


def _section(noun: str, found: Iterable[tuple[str, str, Operation]], shapes: Mapping[str, Any], base: str) -> str:
    title = _TITLES.get(noun, noun.capitalize())
    inside = "".join(_operation(method, path, each, shapes, base) for method, path, each in found)
    return f'<section><h2 id="noun-{noun}">{escape(title)}</h2>{inside}</section>'


def _operation(method: str, path: str, operation: Operation, shapes: Mapping[str, Any], base: str) -> str:
    id = operation["operationId"]
    right = operation.get("x-right")
    needs = (
        f'<span class="right">needs <code>{right}</code></span>'
        if right
        else '<span class="right">open to all</span>'
    )
    return (
        f'<details class="operation" id="{id}"><summary><b class="{method}">{method.upper()}</b> '
        f"<code>{_wrapping(path)}</code> <span>{escape(operation['summary'])}</span></summary>"
        f"<p>{needs}</p>{''.join(_parts(operation, shapes))}"
        f"<h4>curl</h4><pre><code>{escape(curl(method, path, operation, base))}</code></pre>"
        f"{_form(method, path, operation)}</details>"
    )


def _parts(operation: Operation, shapes: Mapping[str, Any]) -> Iterator[str]:
    if operation["parameters"]:
        rows = "".join(_parameter(each) for each in operation["parameters"])
        yield f"<h4>Parameters</h4><table><tbody>{rows}</tbody></table>"
    if body := operation.get("requestBody"):
        content = body["content"]["application/json"]
        yield "<h4>Body</h4>" if body["required"] else "<h4>Body (may be left out)</h4>"
        yield fields_table(content["schema"], shapes)
        if "example" in content:
            yield f"<pre><code>{escape(_json(content['example'], indent=2))}</code></pre>"
    yield "<h4>Answers</h4>" + "".join(_answer(code, each) for code, each in _good(operation))
    problems = ", ".join(f"{code} {escape(each['description'].strip('`'))}" for code, each in _bad(operation))
    yield f'<p class="problems">Problems (RFC 9457): {problems}</p>'


def _good(operation: Operation) -> list[tuple[str, Any]]:
    return [(code, each) for code, each in operation["responses"].items() if code < "4"]


def _bad(operation: Operation) -> list[tuple[str, Any]]:
    return [(code, each) for code, each in operation["responses"].items() if code >= "4"]


def _answer(code: str, answer: Mapping[str, Any]) -> str:
    kinds = [
        f"<code>{code}</code> {escape(media)}: {kind_of(content['schema'])}"
        for media, content in answer.get("content", {}).items()
    ] or [f"<code>{code}</code> {escape(answer['description'])}"]
    return "".join(f"<p>{each}</p>" for each in kinds)


def _parameter(parameter: Mapping[str, Any]) -> str:
    schema = parameter["schema"]
    about = parameter.get("description") or schema.get("description", "")
    need = "required" if parameter.get("required") else ""
    return (
        f"<tr><th><code>{escape(parameter['name'])}</code></th>"
        f"<td>{parameter['in']} {need}<br>{kind_of(schema)} {escape(about)}</td></tr>"
    )


def _form(method: str, path: str, operation: Operation) -> str:
    """Return a form that the script sends; without a script it is not shown."""
    inputs = "".join(
        f'<label>{escape(each["name"])} <input name="{escape(each["name"])}" data-in="{each["in"]}"'
        f' value="{escape(_sample(each["name"])) if each["in"] == "path" else ""}"></label>'
        for each in operation["parameters"]
        if each["in"] in ("path", "query")
    )
    example = _example(operation)
    if "requestBody" in operation:
        text = "" if example is None else escape(_json(example, indent=2))
        inputs += f'<label class="wide">body <textarea rows="6" spellcheck="false">{text}</textarea></label>'
    return (
        f'<form class="try" hidden data-method="{method.upper()}" data-path="{escape(path.lstrip("/"))}">{inputs}'
        '<button type="submit">Send</button><pre class="answer" hidden aria-live="polite"></pre></form>'
    )


def _shapes(shapes: Mapping[str, Any]) -> str:
    items = "".join(
        f'<details id="type-{escape(name)}"><summary><code>{escape(name)}</code> '
        f"<span>{escape(str(shape.get('description', '')).partition(chr(10))[0])}</span></summary>"
        f"{fields_table(resolved(shape, shapes), shapes)}</details>"
        for name, shape in sorted(shapes.items())
    )
    return f'<section><h2 id="schemas">Types</h2>{items}</section>'


def _filled(path: str, operation: Operation) -> str:
    filled = _PLACE.sub(lambda found: _sample(found[1]), path)
    needed = [each for each in operation["parameters"] if each["in"] == "query" and each["required"]]
    return filled + (
        "?" + "&".join(f"{each['name']}={_sample(each['name'])}" for each in needed) if needed else ""
    )


def _sample(name: str) -> str:
    known = {"conversation": "c1", "tenant": "home", "query": "Recife", "q": "Recife"}
    return known.get(name, f"{name.upper()}_ID" if name.isidentifier() else name)


def _example(operation: Operation) -> Any:
    body = operation.get("requestBody")
    return None if body is None else body["content"]["application/json"].get("example")


def _json(value: Any, *, indent: int = 0) -> str:
    text = msgspec.json.encode(value)
    return (msgspec.json.format(text, indent=indent) if indent else msgspec.json.format(text, indent=-1)).decode()


def _link(target: str, text: str) -> str:
    return f'<a href="{escape(target)}">{escape(text)}</a>'


def _spoken(name: str) -> str:
    return name.replace("_", " ")


def _wrapping(path: str) -> str:
    """Return a path that a narrow screen may break at its slashes."""
    return escape(path).replace("/", "/<wbr>")
