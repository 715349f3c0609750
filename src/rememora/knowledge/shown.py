"""Display of a memory's key to others than its owner: keys often contain the person's own words.

A key that the policy names is shown unchanged. Any other one is shown as its namespace and a keyed digest, which
is the same every time, so that events about one memory can be related, and cannot be guessed back.
"""

from __future__ import annotations

from rememora.gate import Policy
from rememora.ports.outside import Signer

MARK = "#"
"""Beginning of a digest; no key may hold it."""

DIGEST_BYTES = 6
_PURPOSE = b"rememora memory key\0"


def shown_key(key: str, *, tenant: str, signer: Signer, policy: Policy) -> str:
    """A key for eyes that are not its owner's; one that is shown already, or empty, stays as it is."""
    if not key or MARK in key or key in policy.fixed_keys:
        return key
    digest = signer.seal(_PURPOSE + tenant.encode() + b"\0" + key.encode())[:DIGEST_BYTES].hex()
    return f"{_stem(key, policy)}{MARK}{digest}"


def _stem(key: str, policy: Policy) -> str:
    """The longest beginning of a key that the policy wrote, not the person."""
    found = [stem for stem in policy.key_stems if key.startswith(stem)]
    return max(found, key=len, default="")
