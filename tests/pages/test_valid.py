"""Every page is valid HTML: a parser finds nothing to mend, ids are unique, fields have labels."""

from __future__ import annotations

from collections import Counter

import html5lib
import httpx
from tests.pages.conftest import TENANT, Site
from tests.pages.reading import MARKUP, Language

from rememora.dashboard.visitor import COOKIE, LANGUAGE_COOKIE, SESSION_COOKIE
from rememora.missions.guards import CallRequest

DESK = (
    "",
    "/missions",
    "/people?user={user}&reason=x&q=Recife",
    "/quarantine?reason=x",
    "/gate",
    "/recall?user={user}&q=Recife&reason=x",
    "/keys",
    "/events",
    "/tasks",
    "/audit?verify=1",
    "/receipt",
    "/logins",
    "/tenants",
    "/health",
)


def faults(text: str) -> list[str]:
    """What a strict parser finds wrong with a page."""
    parser = html5lib.HTMLParser(strict=False)
    document = parser.parse(text)
    lines = [f"{line}:{column} {what}" for (line, column), what, _ in parser.errors]
    ids = Counter(item.get("id") for item in document.iter() if item.get("id"))
    lines += [f"two elements have the id {id}" for id, times in ids.items() if times > 1]
    fields = [item for item in document.iter() if item.tag.rpartition("}")[2] in ("input", "select", "textarea")]
    inside = {field for label in document.iter() if label.tag.endswith("}label") for field in label.iter()}
    lines += [
        f"no label: {field.attrib}"
        for field in fields
        if field not in inside and field.get("type") != "hidden" and not field.get("aria-label")
    ]
    named = [name for item in document.iter() for name in item.attrib if isinstance(name, str)]
    return lines + [f"inline {name}" for name in named if name == "style" or name.startswith("on")]


def test_every_page_is_valid(site: Site, language: Language) -> None:
    """Of a visitor, of a person and of the desk, with markup for content."""
    name = f"valid-{language}"
    site.say(name, "Moro em Recife.", f"Guarda que o lema é {MARKUP}", "acho que talvez eu goste de azul")
    person = site.user(name)
    memory = site.run(person.memories.list()).items[0]
    for query in (f"comparar {MARKUP}", "resumir"):
        mission = site.run(person.missions.create(query))
        site.run(person.missions.bus(mission.id).send(CallRequest(sender="chefe", to="compras", start=True)))
    anybody = (
        "/",
        "/docs",
        "/me",
        "/sign-in",
        "/invitation?token=" + site.run(site.access().invite("auditor")).token,
    )
    items = ["/me", f"/me/memory/{memory.id}", f"/me/memory/{memory.id}/erase", "/me/timeline", "/me/left-out"]
    items += ["/me/conversations", "/me/conversations/c1", "/me/data", "/me/receipt", "/me/export.html"]
    items += ["/chat?conversation=c1", "/chat?temporary=1", "/me/memory/nothing"]
    desk = [f"/desk{path.format(user=name)}{'&' if '?' in path else '?'}tenant={TENANT}" for path in DESK]
    desk.append("/account")
    visits = [(anybody, {}), (items, {COOKIE: site.link(name)}), (desk, {SESSION_COOKIE: site.session("owner")})]
    wrong: dict[str, list[str]] = {}
    for paths, cookies in visits:
        with httpx.Client(base_url=site.address, cookies={**cookies, LANGUAGE_COOKIE: language}) as client:
            for path in paths:
                answer = client.get(path, headers={"Accept": "text/html"}, timeout=60)
                assert answer.status_code < 500, path
                if result := faults(answer.text):
                    wrong[path] = result

    assert {} == wrong


def test_the_check_finds_what_is_wrong() -> None:
    """It can fail: an unclosed element, a double id, a field without a label, something inline."""
    page = "<!doctype html><html lang=en><title>x</title><p id=a><b id=a><input name=b onclick=c()></i></p></html>"
    result = " ".join(faults(page))

    assert all(part in result for part in ("id a", "no label", "onclick", "end-tag"))
