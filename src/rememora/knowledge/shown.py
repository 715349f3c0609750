"""How a memory's key is shown to others than its owner: keys are often made of the person's own words.

A key that the policy names is shown as it is. Any other one is shown by its namespace and a keyed digest, which is
the same every time, so that events about one memory can be told to belong together, and cannot be guessed back.
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
