"""The files of the image, assembled as the Dockerfile does it, and started in a root of their own."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.house.source import ROOT
from tools.assemble_image import HOME, USER, size_of

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the image is Linux"),
    pytest.mark.skipif(not all(map(shutil.which, ("strip", "ldd"))), reason="strip and ldd are not installed"),
]
MOST_BYTES = 250_000_000
EXTRAS = re.findall(r"^ARG EXTRAS=(\S+)", (ROOT / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE)[0]
CHROOT = shutil.which("chroot", path="/usr/sbin:/sbin:/usr/bin") or ""
CHECK = """
import ctypes.util, os, ssl, zoneinfo
import numpy, psycopg, redis, usearch.index, uvloop, mcp.server, httpx, alembic
certificates = ssl.get_default_verify_paths().capath
print(ctypes.util.find_library("c"), zoneinfo.ZoneInfo("America/Sao_Paulo"), os.getuid())
print(sum(os.path.isfile(os.path.join(certificates, name)) for name in os.listdir(certificates)) > 50)
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the extras of the image, from the registry."""
    folder = tmp_path_factory.mktemp("environment") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    install = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--python", str(folder / "bin/python")]
    done = subprocess.run([*install, f"{ROOT}[{EXTRAS}]"], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"the packages of the image could not be installed: {done.stderr[-300:]}")
    return folder


@pytest.fixture(scope="module")
def image(environment: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the image, by the very tool of the Dockerfile."""
    root = tmp_path_factory.mktemp("image") / "root"
    tool = [str(environment / "bin/python"), str(ROOT / "tools/assemble_image.py")]
    subprocess.run([*tool, str(environment), str(root)], check=True, capture_output=True)
    return root


def test_it_is_small(image: Path) -> None:
    """All of its files, uncompressed, are less than 250 MB."""
    assert size_of(image) < MOST_BYTES


def test_it_holds_no_tool(image: Path) -> None:
    """No shell, no package manager, no compiler, and no compiled module of another run."""
    names = {path.name for path in image.rglob("*")}

    assert not {"sh", "bash", "dash", "apt", "dpkg", "pip", "gcc", "ld", "__pycache__"} & names


@pytest.fixture
def inside(image: Path) -> list[str]:
    """The words that run a program in the image as its user."""
    if not CHROOT or os.geteuid() != 0:
        pytest.skip("only root may run a program in another root")
    home = image / HOME.strip("/")
    home.mkdir(parents=True, exist_ok=True)
    os.chown(home, USER, USER)
    # An engine brings the devices along; an empty file does for this one.
    nothing = image / "dev/null"
    nothing.parent.mkdir(exist_ok=True)
    nothing.touch()
    nothing.chmod(0o666)
    # The folders of a test are its user's alone.
    for folder in image.parents[:3]:
        folder.chmod(0o755)
    return [CHROOT, f"--userspec={USER}:{USER}", str(image)]


@pytest.fixture
def running(inside: list[str], environment: Path) -> Iterator[str]:
    """The address of the server, started in the image."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    reply = {
        "HOME": HOME,
        "PATH": str(environment / "bin"),
        "REMEMORA_STORE_URL": f"{HOME}/store",
        "REMEMORA_SERVER_PORT": str(port),
    }
    words = [*inside, str(environment / "bin/rememora"), "serve"]
    with subprocess.Popen(words, env=reply, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        yield f"http://127.0.0.1:{port}"
        server.terminate()


def test_its_packages_find_what_they_load(inside: list[str], environment: Path) -> None:
    """Compiled modules, the C library by name, time zones and certificates."""
    done = subprocess.run(
        [*inside, str(environment / "bin/python"), "-W", "error", "-c", CHECK],
        env={"HOME": HOME},
        capture_output=True,
        text=True,
        check=False,
    )

    assert f"libc.so.6 America/Sao_Paulo {USER}\nTrue\n" == done.stdout, done.stderr[-2000:]


def test_it_serves(running: str) -> None:
    """The server comes up, ready, on a store in the home of its user."""
    for _ in range(120):
        try:
            with urllib.request.urlopen(f"{running}/api/v1/health/ready", timeout=5) as answer:
                assert 200 == answer.status
                return
        except OSError:
            time.sleep(0.5)
    pytest.fail("the server did not come up")
