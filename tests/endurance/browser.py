"""A browser without a screen: it keeps cookies, and sends the forms of a page with their hidden fields."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlsplit

import httpx

EVENTS = "text/event-stream"


class Forms(HTMLParser):
    """Collects the posted forms of a page: where each goes, and what its hidden fields hold."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a form, or take over a hidden field of the last one."""
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.found.append((given.get("action", ""), {}))
        elif tag == "input" and given.get("type") == "hidden" and self.found:
            self.found[-1][1][given["name"]] = given.get("value", "")

    def hidden(self, action: str) -> dict[str, str]:
        """The hidden fields of the first form that goes there; one without an address goes to its own page."""
        fields = [fields for where, fields in self.found if where == action]
        assert fields, f"no form of {action} among {[where for where, _ in self.found]}"
        return fields[0]


class Browser:
    """One visitor of the pages of a server."""

    def __init__(self, address: str) -> None:
        self._client = httpx.Client(base_url=address, timeout=60, follow_redirects=True)
        self._origin = {"Origin": address, "Sec-Fetch-Site": "same-origin"}

    def get(self, path: str, **query: str) -> str:
        """Open a page that is there."""
        got = self._client.get(path, params=query or None)
        assert got.status_code == 200, f"{path}: {got.status_code}: {got.text}"
        return got.text

    def look(self, path: str, **query: str) -> str:
        """Open a page that may be gone."""
        return self._client.get(path, params=query or None).text

    def submit(self, page: str, action: str, *, accept: str = "text/html", status: int = 200, **typed: str) -> str:
        """Send a form of a page as the page gives it, with what is typed; return the page that answers."""
        hidden = Forms(self.get(page)).hidden(action)
        headers: dict[str, Any] = {"Accept": accept, **self._origin}
        got = self._client.post(action or urlsplit(page).path, data={**hidden, **typed}, headers=headers)
        assert got.status_code == status, f"{action}: {got.status_code}: {got.text}"
        return got.text

    def close(self) -> None:
        """Close the connections."""
        self._client.close()
