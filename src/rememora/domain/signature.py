"""Signing and verification of webhooks, following Standard Webhooks: id, time and body under one key."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Mapping
from datetime import UTC, datetime

from rememora.errors import InvalidInput

ID, TIMESTAMP, SIGNATURE = "webhook-id", "webhook-timestamp", "webhook-signature"
PREFIX = "whsec_"
VERSION = "v1"
SECRET_BYTES = 16
TOLERANCE_SECONDS = 300


def secret_bytes(secret: str) -> bytes:
    """Return the key of a secret: `whsec_` and base64, or any sufficiently long text."""
    try:
        key = base64.b64decode(secret.removeprefix(PREFIX)) if secret.startswith(PREFIX) else secret.encode()
    except binascii.Error:
        raise InvalidInput("secret", f"must be base64 after {PREFIX}") from None
    if len(key) < SECRET_BYTES:
        raise InvalidInput("secret", f"must have at least {SECRET_BYTES} bytes")
    return key


def signed(key: bytes, id: str, body: bytes, *, at: datetime) -> dict[str, str]:
    """Return the headers that prove who sent a body, and when."""
    seconds = str(int(at.timestamp()))
    return {ID: id, TIMESTAMP: seconds, SIGNATURE: f"{VERSION},{_seal(key, id, seconds, body)}"}


def verify_webhook(
    secret: str,
    headers: Mapping[str, str],
    body: bytes,
    *,
    now: datetime | None = None,
    tolerance_seconds: float = TOLERANCE_SECONDS,
) -> bool:
    """Return whether a delivery is genuine and recent; ignore ids seen before, because deliveries may repeat."""
    given = {name.lower(): value for name, value in headers.items()}
    id, seconds, signatures = (given.get(name, "") for name in (ID, TIMESTAMP, SIGNATURE))
    if not (id and seconds.isascii() and seconds.isdecimal()):
        return False
    age = (now or datetime.now(UTC)).timestamp() - int(seconds)
    expected = f"{VERSION},{_seal(secret_bytes(secret), id, seconds, body)}"
    # Every signature is compared, so that the time taken says nothing.
    matches = [hmac.compare_digest(expected.encode(), text.encode()) for text in signatures.split()]
    return abs(age) <= tolerance_seconds and any(matches)


def _seal(key: bytes, id: str, seconds: str, body: bytes) -> str:
    digest = hmac.new(key, f"{id}.{seconds}.".encode() + body, hashlib.sha256).digest()
    return base64.b64encode(digest).decode()
