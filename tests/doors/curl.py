"""A curl command as a page or a terminal shows it, sent as it stands."""

from __future__ import annotations

import shlex

import httpx


def send(command: str, **variables: str) -> httpx.Response:
    """Send a curl command; `variables` are what the shell would put in the place of `$NAME`."""
    for name, value in variables.items():
        command = command.replace(f"${name}", value)
    words = shlex.split(command.replace("\\\n", " "))
    assert "curl" == words[0]
    method, address, body = None, "", None
    headers: dict[str, str] = {}
    rest = iter(words[1:])
    for word in rest:
        if word == "-X":
            method = next(rest)
        elif word == "-H":
            name, _, value = next(rest).partition(": ")
            headers[name] = value
        elif word == "-d":
            body = next(rest)
        else:
            address = word
    return httpx.request(
        method or ("GET" if body is None else "POST"),
        address,
        headers=headers,
        content=None if body is None else body.encode(),
        timeout=60,
    )
