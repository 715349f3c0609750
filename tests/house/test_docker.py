"""The recipe of the image, checked without Docker: what it copies and sets is there, and its check works."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import files as files_of
from pathlib import Path

import pytest
from tests.doors.conftest import Running, settings_of
from tests.house.source import ROOT
from tests.house.test_base_install import needed
from tools.assemble_image import HOME, USER

from rememora import Settings

MOST_BYTES = 320_000_000
"""Of the packages as they are installed. In the image they are about 170 MB, without symbols for debuggers, tests
and tables that nothing reads (tests/house/test_image.py): a heavy newcomer fails here, before it is built."""
RECIPE = (ROOT / "Dockerfile").read_text(encoding="utf-8")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Running]:
    """A server as the image runs one."""
    running = Running(settings_of(tmp_path)).start()
    yield running
    running.stop()


def test_the_extras_are_there() -> None:
    """Each is one of the package, and together they bring the server."""
    extras = re.findall(r"^ARG EXTRAS=(\S+)", RECIPE, re.MULTILINE)[0].split(",")
    known = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]

    assert set(extras) <= set(known)
    assert "server" in extras


def test_its_packages_leave_the_image_small() -> None:
    """As they are installed they are no more than what leaves the image below 250 MB."""
    extras = re.findall(r"^ARG EXTRAS=(\S+)", RECIPE, re.MULTILINE)[0].split(",")
    sizes = {name: size_of(name) for name in needed("rememora", frozenset({"", *extras})) - {"rememora"}}

    assert min(sizes.values()) > 0
    assert sum(sizes.values()) < MOST_BYTES, sorted(sizes, key=lambda name: -sizes[name])[:5]


def test_there_are_two_steps() -> None:
    """What builds stays behind: the image holds the assembled files and the home of its user alone."""
    bases = re.findall(r"^FROM (\S+)", RECIPE, re.MULTILINE)
    last = RECIPE.rpartition("\nFROM ")[2]

    assert 2 == len(bases)
    assert "scratch" == bases[-1]
    copied = re.findall(r"^COPY --from=build (.+)$", last, re.MULTILINE)
    assert ["/image /", f"--chown={USER}:{USER} /homes/ /var/lib/"] == copied
    assert "HEALTHCHECK" in last


def size_of(name: str) -> int:
    """The bytes of an installed package, as an image would hold them."""
    files = [item for item in files_of(name) or () if item.suffix != ".pyc"]
    return sum(file.size or 0 for file in files)


def test_what_is_copied_is_there_and_let_in() -> None:
    """Every source of a COPY from the context exists, and `.dockerignore` does not hold it back."""
    lines = re.findall(r"^COPY (?!--from)(.+)$", RECIPE, re.MULTILINE)
    copied = [name for line in lines for name in line.split()[:-1]]
    let_in = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}

    assert copied
    assert set(copied) <= let_in
    assert all((ROOT / name).exists() for name in copied)


def test_what_it_sets_has_an_effect() -> None:
    """The settings in its environment are settings, and the port it shows is the default one."""
    result = dict(re.findall(r"(REMEMORA_\w+)=(\S+)", RECIPE))
    settings = Settings.load({}, environ=result)

    assert ("/var/lib/rememora/store", "0.0.0.0") == (settings.store.url, settings.server.host)
    assert f"EXPOSE {settings.server.port}" in RECIPE


def test_it_runs_as_nobody_special() -> None:
    """Not as root, from a folder of its own, and with the product's own command."""
    last = RECIPE.rpartition("\nFROM ")[2]

    assert last.index(f"USER {USER}:{USER}") < last.index("ENTRYPOINT")
    assert f"HOME={HOME} " in last
    assert ["rememora"] == json.loads(re.findall(r"^ENTRYPOINT (.+)$", last, re.MULTILINE)[0])


def test_its_health_check_works(server: Running) -> None:
    """The very command, against a server that is up and against a port where nobody is."""
    words = json.loads(re.findall(r"CMD (\[.+urlopen.+\])$", RECIPE, re.MULTILINE)[0])
    port = server.address.rpartition(":")[2]
    codes = [
        subprocess.run(
            [sys.executable, *(word.replace(":8787/", f":{number}/") for word in words[1:])],
            capture_output=True,
            check=False,
        ).returncode
        for number in (port, "9")
    ]

    assert [0, 1] == codes
