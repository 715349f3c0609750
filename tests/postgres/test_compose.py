"""What `compose.yaml` and the page about production say is what works."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from tests.engines.postgres import ADMIN, VERSION, Server, chosen_programs, major
from tests.engines.postgres_programs import DEFAULT
from tests.house.source import ROOT

from rememora import Rememora, Settings
from rememora.moving import migrate

SCRIPT = re.compile(r"content: \|\n((?:      .*\n)+)")
PAGES = ("docs/how-to/production.md", "docs/how-to/production.pt-BR.md")


def script() -> str:
    """The statements that make the roles, with passwords filled in."""
    hits = SCRIPT.search((ROOT / "compose.yaml").read_text(encoding="utf-8"))
    assert hits is not None
    lines = [line.removeprefix("      ") for line in hits[1].splitlines()]
    return re.sub(r"\$\{(\w+)[^}]*\}", r"\1", "\n".join(lines))


async def test_the_roles_of_compose_serve(tmp_path: Path) -> None:
    """Its script, then the two commands beneath it: a store that passes its own check."""
    server = Server()
    psql = [str(server.binaries / "psql"), server.url("postgres", ADMIN), "-v", "ON_ERROR_STOP=1", "-f", "-"]
    done = subprocess.run(psql, input=script(), text=True, capture_output=True, check=False)
    assert (0, "") == (done.returncode, done.stderr)
    before, after = migrate(server.url("rememora", "rememora_owner"), role="rememora_app")
    url = server.url("rememora", "rememora_app")
    overrides = {"store.url": url, "store.key_folder": str(tmp_path), "recall.embedder": "none"}
    async with Rememora.open(settings=Settings.load(overrides, environ={}), background=False) as rememora:
        message = await rememora.user("ana", tenant="acme").conversation("c1").append("user", "oi")
    server.remove()

    assert (None, 1) == (before, message.seq)
    assert after is not None


def test_what_compose_starts_was_tested() -> None:
    """The version of its image is that of the tests' own server, which the pages name first."""
    tested = str(DEFAULT)
    named = [re.findall(r"\b(\d+)\.\d+, ", (ROOT / page).read_text(encoding="utf-8"))[:1] for page in PAGES]
    images = re.findall(r"image: pgvector/pgvector:pg(\S+)", (ROOT / "compose.yaml").read_text(encoding="utf-8"))

    assert [[tested]] * 2 == named
    assert [tested] == images
    assert VERSION or DEFAULT == major(chosen_programs())


def test_the_pages_say_the_same() -> None:
    """The statements on the pages are those of the script, passwords apart."""

    def plain(text: str) -> list[str]:
        return re.sub(r"PASSWORD '[^']*'", "PASSWORD", text).strip().splitlines()

    for page in PAGES:
        hits = re.search(r"```sql\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)
        assert hits is not None
        assert plain(script()) == plain(hits[1])
