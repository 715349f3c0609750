"""Passwords are hashed as the package recommends: the tests elsewhere pay less for each."""

from __future__ import annotations

import runpy
from typing import Any

from argon2 import PasswordHasher

from rememora.adapters import passwords


async def test_passwords_are_hashed_with_the_recommended_parameters() -> None:
    """A hash costs as much as argon2id asks for by default, and one that cost less is outdated."""
    hasher: Any = runpy.run_path(str(passwords.__file__))["Argon2"]()
    hashed = await hasher.hash("a sentence of some length")
    cheaper = PasswordHasher(time_cost=1).hash("a sentence of some length")

    assert hashed.startswith("$argon2id$v=19$m=65536,t=3,p=4$")
    assert (False, True) == (hasher.is_outdated(hashed), hasher.is_outdated(cheaper))
    assert await hasher.verify(hashed, "a sentence of some length")
    assert not await hasher.verify(hashed, "another sentence")
    assert not await hasher.verify("", "nobody")
