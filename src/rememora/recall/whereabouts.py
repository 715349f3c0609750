"""Where a user's day begins and ends, as the memories on their shelf tell: no question to the store is needed."""

from __future__ import annotations

from datetime import tzinfo

import msgspec
import numpy as np
from numpy.typing import NDArray

from rememora.domain.hit import Item
from rememora.domain.zone import ZONE_KEYS, zone_of

_Told = dict[str, tuple[str, str]]


class Whereabouts:
    """The time zone and the locale among what is known of one user, by the names of their rows."""

    def __init__(self) -> None:
        self._told: _Told = {}
        self._zone: tzinfo | None = None

    @property
    def zone(self) -> tzinfo:
        """That of the person, UTC where nothing tells of one."""
        if self._zone is None:
            known = dict(self._told.values())
            self._zone = zone_of(known[key] for key in ZONE_KEYS if key in known)
        return self._zone

    def learn(self, name: str, item: Item) -> None:
        """Take in an item that may tell of it."""
        key = item.metadata.get("key")
        if item.key.kind == "memory" and key in ZONE_KEYS:
            self._told[name] = (key, str(item.metadata["value"]))
            self._zone = None

    def forget(self, name: str) -> None:
        """An item is gone."""
        if self._told.pop(name, None):
            self._zone = None

    def state(self) -> NDArray[np.uint8]:
        """All of it, to be saved."""
        return np.frombuffer(msgspec.msgpack.encode(self._told), dtype=np.uint8)

    def restore(self, state: NDArray[np.uint8]) -> None:
        """Be what was saved."""
        self._told, self._zone = msgspec.msgpack.decode(state.tobytes(), type=_Told), None
