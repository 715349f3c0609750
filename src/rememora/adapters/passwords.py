"""Hashes passwords with argon2id, a few at a time and off the event loop."""

from __future__ import annotations

import asyncio
from functools import cache
from importlib import import_module
from typing import Any

from rememora.errors import MissingExtra

AT_ONCE = 2
"""Each hash takes 64 MiB and some 50 ms of a core: more at once would let strangers take the machine."""


class Argon2:
    """Argon2id with the parameters that its package recommends."""

    def __init__(self) -> None:
        self._places = asyncio.Semaphore(AT_ONCE)

    async def hash(self, password: str) -> str:
        """Hash a password with a salt of its own."""
        async with self._places:
            return await asyncio.to_thread(_hasher().hash, password)

    async def verify(self, hashed: str, password: str) -> bool:
        """Return whether a password is the one that was hashed; without a hash it takes as long and is False."""
        async with self._places:
            return await asyncio.to_thread(_verify, hashed or _nobody(), password) and bool(hashed)

    def is_outdated(self, hashed: str) -> bool:
        """Return whether a hash was made with weaker parameters than today's."""
        return bool(_hasher().check_needs_rehash(hashed))


def _verify(hashed: str, password: str) -> bool:
    errors = import_module("argon2.exceptions")
    try:
        return bool(_hasher().verify(hashed, password))
    except (errors.VerificationError, errors.InvalidHashError):
        return False


@cache
def _hasher() -> Any:
    # Here and not above: only whoever signs in needs it.
    try:
        return import_module("argon2").PasswordHasher()
    except ModuleNotFoundError:
        raise MissingExtra("server") from None


@cache
def _nobody() -> str:
    """A hash that no password is compared with in earnest."""
    return str(_hasher().hash("nobody"))
