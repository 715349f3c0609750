"""One address before several servers: each new connection goes to the next of them."""

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
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._door.getsockname()[1])
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        """Take no more connections."""
        self._door.close()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._door.accept()
                there = socket.create_connection(("127.0.0.1", next(self._next)))
                for one, other in ((near, there), (there, near)):
                    threading.Thread(target=_carry, args=(one, other), daemon=True).start()


def _carry(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while piece := source.recv(PIECE):
            target.sendall(piece)
    for end in (source, target):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
