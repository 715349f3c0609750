"""Time zone of a user, read from the memories on their index without a query to the store."""

from __future__ import annotations

from datetime import tzinfo

import msgspec
import numpy as np
from numpy.typing import NDArray

from rememora.domain.hit import IndexItem
from rememora.domain.zone import ZONE_KEYS, zone_of

_Told = dict[str, tuple[str, str]]


class UserTimezone:
    """The time zone and the locale among what is known of one user, by the names of their rows."""

    def __init__(self) -> None:
        self._told: _Told = {}
        self._zone: tzinfo | None = None

    @property
    def zone(self) -> tzinfo:
        """Return the person's time zone, UTC where none is known."""
        if self._zone is None:
            known = dict(self._told.values())
            self._zone = zone_of(known[key] for key in ZONE_KEYS if key in known)
        return self._zone

    def learn(self, name: str, item: IndexItem) -> None:
        """Learn from an item that may name a time zone."""
        if item.key.kind == "memory":
            self.note(name, str(item.metadata.get("key")), item.metadata.get("value"))

    def note(self, name: str, key: str, value: object) -> None:
        """Note what is known under a key, if that may name a time zone."""
        if key in ZONE_KEYS:
            self._told[name] = (key, str(value))
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
