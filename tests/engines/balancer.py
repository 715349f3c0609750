"""One address before several servers: each new connection goes to the next of them, until it is moved."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from itertools import cycle

PIECE = 65_536


class Balancer:
    """Spreads connections over ports of this machine until it is closed."""

    def __init__(self, *ports: int) -> None:
        self._next = cycle(ports)
        self._open: list[socket.socket] = []
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._door.getsockname()[1])
        threading.Thread(target=self._serve, daemon=True).start()

    def move(self, *ports: int) -> None:
        """Lead to others from now on, as an address does that moves with whoever is primary."""
        self._next = cycle(ports)
        self._cut()

    def close(self) -> None:
        """Take no more connections, and end those there are."""
        self._door.close()
        self._cut()

    def _cut(self) -> None:
        was, self._open = self._open, []
        for item in was:
            with suppress(OSError):
                item.shutdown(socket.SHUT_RDWR)

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._door.accept()
                try:
                    there = socket.create_connection(("127.0.0.1", next(self._next)))
                except OSError:
                    near.close()
                    continue
                self._open += [near, there]
                for one, other in ((near, there), (there, near)):
                    threading.Thread(target=_carry, args=(one, other), daemon=True).start()


def _carry(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while piece := source.recv(PIECE):
            target.sendall(piece)
    for end in (source, target):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
