"""Words by which people ask for a well-known key: "onde moro" asks for `user.location`."""

from __future__ import annotations

from typing import Final

from rememora.language.packs import CODES, attributes_of

_SAME: Final = {"user.city": "user.location", "user.address": "user.location", "user.company": "tenant.name"}
"""Keys that people ask for by the words of another key."""


def asked_by(key: str) -> str | None:
    """Return the words of a question about `key`; None if the key has no words of its own."""
    name = _SAME.get(key, key)
    words = [attributes_of(code).asked_by.get(name, "") for code in CODES]
    return " ".join(filter(None, words)) or None
