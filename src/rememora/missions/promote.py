"""Promotion: the only way for a result of a mission to be kept, through the gate (W9)."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

import msgspec

from rememora.domain.mission_path import read
from rememora.domain.scope import Scope
from rememora.errors import NotFound
from rememora.ports.missions import MissionStore

V_co = TypeVar("V_co", covariant=True)


class Promotion(msgspec.Struct, frozen=True, kw_only=True):
    """A mission's result that is to be remembered."""

    key: str
    value: Any
    mission_id: str

    @property
    def source_ref(self) -> str:
        """Return the source that the memory would name."""
        return f"mission:{self.mission_id}"


class Gate(Protocol[V_co]):
    """Judges a promotion and, if it is accepted, saves it; its answer is the verdict."""

    async def __call__(self, scope: Scope, promotion: Promotion) -> V_co: ...


async def promote(
    store: MissionStore, scope: Scope, mission_id: str, *, path: str, key: str, gate: Gate[V_co]
) -> V_co:
    """Submit the value at `path` to the gate, and return its verdict."""
    value = read(await store.get(scope, mission_id), path)
    if value is None:
        raise NotFound("result", path)
    return await gate(scope, Promotion(key=key, value=msgspec.to_builtins(value), mission_id=mission_id))
