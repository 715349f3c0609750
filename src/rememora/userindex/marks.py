"""Numbers for texts: the same in every process, and so likely to differ that they stand for the texts."""

from __future__ import annotations

from hashlib import blake2b
from zlib import crc32


def mark_of_bytes(text: bytes) -> int:
    """A number of 64 bits for some bytes."""
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "little", signed=True)


def mark_of(text: str) -> int:
    """A number for a text that no other text is likely to have."""
    return mark_of_bytes(text.encode())


def mark_of_token(token: str) -> int:
    """A number of 32 bits to look a token up by; another token may have the same."""
    return crc32(token.encode())
