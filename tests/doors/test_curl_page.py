"""The commands of the page about curl work as they stand, in order, in both languages."""

from __future__ import annotations

import re

import pytest
from tests.doors.conftest import Running
from tests.doors.curl import send
from tests.house.source import ROOT

COMMAND = re.compile(r"^\$ (curl .*(?:\n     .*)*)$", re.MULTILINE)


@pytest.mark.parametrize("name", ["curl.md", "curl.pt-BR.md"])
def test_every_command_works(server: Running, name: str) -> None:
    """Each is answered with what it asked for; the last leaves nothing."""
    server.tenant(name)
    page = (ROOT / "docs/how-to" / name).read_text(encoding="utf-8")
    variables = {"KEY": server.key("service", tenant=name), "URL": server.address}
    answers = [send(command, **variables) for command in COMMAND.findall(page)]

    assert [201, 200, 200, 200, 200, 200, 201, 200, 200, 200] == [answer.status_code for answer in answers]
    assert "Recife" == answers[1].json()["items"][0]["content"].rpartition(" ")[2].strip('".')
    assert "event: reply" in answers[5].text
    assert "Recife" in answers[7].text
    assert "person" == answers[9].json()["kind"]
