"""The API reference as one page, generated from the OpenAPI document: nouns, rights, fields, and curl commands."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import Any

import msgspec

from rememora.domain.tenancy import RIGHTS
from rememora.server.pages.schemas import fields_table, kind_of, resolved
from rememora.server.pages.wording import ENGLISH, Words, operation_text, told

Operation = Mapping[str, Any]
METHODS = ("get", "post", "put", "patch", "delete")
USER, SAMPLE_USER = "x-rememora-user", "me"
KEY = "$REMEMORA_KEY"
_PLACE = re.compile(r"\{(\w+)\}")
_CODE = re.compile(r"`([^`]+)`")


def reference(document: Mapping[str, Any], *, base: str, words: Words = ENGLISH) -> str:
    """Return the body of the page; `base` is the URL that its commands call."""
    nouns = _by_noun(document)
    shapes = document["components"]["schemas"]
    sections = "".join(_section(noun, operations, shapes, base, words) for noun, operations in nouns.items())
    return (
        f'<div class="reference"><nav aria-label="{words["operations"]}">{_ways(words)}<details open>'
        f"<summary>Rememora API</summary>{_menu(nouns, words)}</details></nav>"
        f'<main id="top">{_opening(document, base, words)}{sections}{_shapes(shapes, words)}</main></div>'
    )


def _ways(words: Words) -> str:
    """Return the links to the front page, and to this page in the other language."""
    other = words["other"]
    return (
        f'<p class="ways"><a href=".">← {words["home"]}</a> '
        f'<a href="?lang={other}" lang="{other}" hreflang="{other}">{words["other_name"]}</a></p>'
    )


def curl(method: str, path: str, operation: Operation, base: str) -> str:
    """Return a shell command that uses the key in REMEMORA_KEY."""
    lines = [
        f"curl{'' if method == 'get' else f' -X {method.upper()}'} {shlex.quote(base + _filled(path, operation))}"
    ]
    if operation.get("security") != []:
        lines.append(f'-H "Authorization: Bearer {KEY}"')
    if any(parameter["name"] == USER for parameter in operation["parameters"]):
        lines.append(f"-H 'X-Rememora-User: {SAMPLE_USER}'")
    example = _example(operation)
    if example is not None:
        lines += ["-H 'Content-Type: application/json'", f"-d {shlex.quote(_json(example))}"]
    return " \\\n     ".join(lines)


def _by_noun(document: Mapping[str, Any]) -> dict[str, list[tuple[str, str, Operation]]]:
    nouns: dict[str, list[tuple[str, str, Operation]]] = {}
    for path, methods in document["paths"].items():
        for method in METHODS:
            if method in methods:
                nouns.setdefault(methods[method]["tags"][0], []).append((method, path, methods[method]))
    return nouns


def _opening(document: Mapping[str, Any], base: str, words: Words) -> str:
    chat = document["paths"]["/api/v1/chat"]["post"]
    return (
        f"<h1>Rememora API <small>{escape(document['info']['version'])}</small></h1>"
        f"<p>{words['about']} "
        f'<a href="openapi.json">{words["document"]}</a>, {words["for"]}</p>'
        f"<h2>{words['start']}</h2><p>{words['key']}</p>"
        f"{_block('export REMEMORA_KEY=…' + chr(10) + curl('post', '/api/v1/chat', chat, base))}"
        f"{_rights(words)}{_credentials(words)}"
    )


def _rights(words: Words) -> str:
    rows = "".join(
        f"<tr><th><code>{role}</code></th><td>{', '.join(sorted(rights))}</td></tr>"
        for role, rights in RIGHTS.items()
    )
    return (
        f"<details><summary>{words['rights']}</summary><p>{words['each']}</p>"
        f"<table><tbody>{rows}</tbody></table></details>"
    )


def _credentials(words: Words) -> str:
    """Return the fields that the forms below use; the script shows them and stores them nowhere."""
    plain = 'autocomplete="off" spellcheck="false"'
    return (
        f'<fieldset class="try credentials" hidden><legend>{words["try"]}</legend>'
        f'<label>{words["your_key"]} <input id="key" type="password" {plain}></label>'
        f'<label>{words["user"]} <input id="user" value="{SAMPLE_USER}" {plain}></label>'
        f'<label>{words["reason"]} <input id="reason" placeholder="{words["why"]}" autocomplete="off"></label>'
        f'<label class="wide">{words["find"]} '
        '<input id="find" type="search" placeholder="memory, erase, POST …"></label>'
        f"<p>{words['stays']}</p></fieldset>"
    )


def _menu(nouns: Mapping[str, Iterable[tuple[str, str, Operation]]], words: Words) -> str:
    parts = []
    for noun, operations in nouns.items():
        items = "".join(
            f"<li><a href='#{operation['operationId']}'><code>{operation['operationId']}</code></a></li>"
            for *_, operation in operations
        )
        # No link in what opens and closes: a keyboard or a screen reader could not tell the two apart.
        whole = f"<li>{_link(f'#noun-{noun}', words['all'])}</li>"
        parts.append(f"<details><summary>{escape(_noun(noun, words))}</summary><ul>{whole}{items}</ul></details>")
    return "".join(parts) + f"<p>{_link('#schemas', words['types'])}</p>"


def _noun(noun: str, words: Words) -> str:
    """Return the title of a group of operations."""
    return words.get(f"noun.{noun}", noun.capitalize())


def _section(
    noun: str, operations: Iterable[tuple[str, str, Operation]], shapes: Mapping[str, Any], base: str, words: Words
) -> str:
    title = words.get(f"long.{noun}", _noun(noun, words))
    inside = "".join(
        _operation(method, path, operation, shapes, base, words) for method, path, operation in operations
    )
    return f'<section><h2 id="noun-{noun}">{escape(title)}</h2>{inside}</section>'


def _operation(
    method: str, path: str, operation: Operation, shapes: Mapping[str, Any], base: str, words: Words
) -> str:
    id = operation["operationId"]
    right = operation.get("x-right")
    needs = (
        f'<span class="right">{words["needs"]} <code>{right}</code></span>'
        if right
        else f'<span class="right">{words["open"]}</span>'
    )
    return (
        f'<details class="operation" id="{id}"><summary><b class="{method}">{method.upper()}</b> '
        f"<code>{_wrapping(path)}</code> {_summary(operation, words)}</summary>"
        f"<p>{needs}</p>{''.join(_parts(operation, shapes, words))}"
        f"<h3>curl</h3>{_block(curl(method, path, operation, base))}"
        f"{_form(method, path, operation, words)}</details>"
    )


def _summary(operation: Operation, words: Words) -> str:
    """Return the description of an operation in the page's language; text of the document is marked as English."""
    return _described(operation["summary"], operation_text(words, operation["operationId"]), words)


def _described(english: str, translated: str | None, words: Words) -> str:
    opening = "<span>" if translated is not None or words is ENGLISH else "<span lang='en'>"
    return f"{opening}{_with_code(translated or english)}</span>"


def _block(text: str) -> str:
    """Return a text as code that can be scrolled with the keyboard if it is wider than the screen."""
    return f'<pre tabindex="0"><code>{escape(text)}</code></pre>'


def _with_code(text: str) -> str:
    """Return a text as HTML, with text between backticks as code."""
    return _CODE.sub(r"<code>\1</code>", escape(text))


def _parts(operation: Operation, shapes: Mapping[str, Any], words: Words) -> Iterator[str]:
    if operation["parameters"]:
        rows = "".join(_parameter(parameter, words) for parameter in operation["parameters"])
        yield f"<h3>{words['parameters']}</h3><table><tbody>{rows}</tbody></table>"
    if body := operation.get("requestBody"):
        content = body["content"]["application/json"]
        yield f"<h3>{words['body' if body['required'] else 'body_optional']}</h3>"
        yield fields_table(content["schema"], shapes, words)
        if "example" in content:
            yield _block(_json(content["example"], indent=2))
    yield f"<h3>{words['answers']}</h3>" + "".join(
        _answer(code, answer, words) for code, answer in _good(operation)
    )
    problems = ", ".join(f"{code} {escape(answer['description'].strip('`'))}" for code, answer in _bad(operation))
    yield f'<p class="problems">{words["problems"]}: {problems}</p>'


def _good(operation: Operation) -> list[tuple[str, Any]]:
    return [(code, answer) for code, answer in operation["responses"].items() if code < "4"]


def _bad(operation: Operation) -> list[tuple[str, Any]]:
    return [(code, answer) for code, answer in operation["responses"].items() if code >= "4"]


def _answer(code: str, answer: Mapping[str, Any], words: Words) -> str:
    kinds = [
        f"<code>{code}</code> {escape(media)}: {kind_of(content['schema'], words)}"
        for media, content in answer.get("content", {}).items()
    ] or [f"<code>{code}</code> {escape(answer['description'])}"]
    return "".join(f"<p>{kind}</p>" for kind in kinds)


def _parameter(parameter: Mapping[str, Any], words: Words) -> str:
    schema = parameter["schema"]
    about = told(words, parameter.get("description") or schema.get("description", ""))
    need = words["required"] if parameter.get("required") else ""
    return (
        f"<tr><th><code>{escape(parameter['name'])}</code></th>"
        f"<td>{told(words, parameter['in'])} · {kind_of(schema, words)} {need}<br>{_with_code(about)}</td></tr>"
    )


def _form(method: str, path: str, operation: Operation, words: Words) -> str:
    """Return a form that the script sends; it is hidden without a script."""
    inputs = "".join(
        f'<label>{escape(parameter["name"])} <input name="{escape(parameter["name"])}" data-in="{parameter["in"]}"'
        f' value="{escape(_sample(parameter["name"])) if parameter["in"] == "path" else ""}"></label>'
        for parameter in operation["parameters"]
        if parameter["in"] in ("path", "query")
    )
    example = _example(operation)
    if "requestBody" in operation:
        text = "" if example is None else escape(_json(example, indent=2))
        inputs += (
            f'<label class="wide">{words["body"]} <textarea rows="6" spellcheck="false">{text}</textarea></label>'
        )
    return (
        f'<form class="try" hidden data-method="{method.upper()}" data-path="{escape(path.lstrip("/"))}">{inputs}'
        f'<button type="submit">{words["send"]}</button>'
        '<pre class="answer" hidden aria-live="polite"></pre></form>'
    )


def _shapes(shapes: Mapping[str, Any], words: Words) -> str:
    items = "".join(
        f'<details id="type-{escape(name)}"><summary><code>{escape(name)}</code> '
        f"{_about_type(shape, words)}</summary>"
        f"{fields_table(resolved(shape, shapes), shapes, words)}</details>"
        for name, shape in sorted(shapes.items())
    )
    return f'<section><h2 id="schemas">{words["shapes"]}</h2>{items}</section>'


def _about_type(shape: Mapping[str, Any], words: Words) -> str:
    english = str(shape.get("description", "")).partition("\n")[0]
    translated = told(words, english)
    return _described(english, None if translated == english else translated, words) if english else ""


def _filled(path: str, operation: Operation) -> str:
    filled = _PLACE.sub(lambda found: _sample(found[1]), path)
    needed = [
        parameter for parameter in operation["parameters"] if parameter["in"] == "query" and parameter["required"]
    ]
    return filled + (
        "?" + "&".join(f"{parameter['name']}={_sample(parameter['name'])}" for parameter in needed)
        if needed
        else ""
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


def _wrapping(path: str) -> str:
    """Return a path that can wrap at its slashes on a narrow screen."""
    return escape(path).replace("/", "/<wbr>")
