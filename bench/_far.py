"""A server as if it stood elsewhere: what goes through here takes its time, in each direction.

    python bench/_far.py HOST PORT MILLISECONDS

Prints the port that leads there. A process of its own, so that it takes no time from what is measured.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit, urlunsplit

PIECE = 65_536


@contextmanager
def far(url: str, milliseconds: float) -> Iterator[str]:
    """The same server, with so long a way there and back."""
    parts = urlsplit(url)
    command = [sys.executable, __file__, parts.hostname or "127.0.0.1", str(parts.port), str(milliseconds)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    port = int(child.stdout.readline())
    user = parts.netloc.rpartition("@")
    try:
        yield urlunsplit(parts._replace(netloc=f"{user[0]}{user[1]}127.0.0.1:{port}"))
    finally:
        child.kill()
        child.wait()


def carry(source: socket.socket, target: socket.socket, seconds: float) -> None:
    """One direction of one connection, piece by piece."""
    with suppress(OSError):
        while piece := source.recv(PIECE):
            time.sleep(seconds)
            target.sendall(piece)
    for end in (source, target):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


def main(host: str, port: int, milliseconds: float) -> None:
    """Take connections until killed."""
    with socket.create_server(("127.0.0.1", 0)) as door:
        print(door.getsockname()[1], flush=True)
        while True:
            near, _ = door.accept()
            there = socket.create_connection((host, port))
            for one, other in ((near, there), (there, near)):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                threading.Thread(target=carry, args=(one, other, milliseconds / 2000), daemon=True).start()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
