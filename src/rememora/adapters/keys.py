"""The signing key of a store: made on first use, in the store's folder, readable by its owner alone."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from rememora.adapters import private_files
from rememora.errors import Conflict, StoreUnavailable

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

FILE = "signing.key"
KEY_BYTES = 32
_SEAL = b"rememora fingerprint"


class StoreKey:
    """An Ed25519 key in a file, or in memory where there is no folder."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self.vouched: set[str] = set()

    @property
    def place(self) -> Path | None:
        """The file of the key, or None in memory."""
        return None if self._folder is None else self._folder / FILE

    @property
    def public_key(self) -> bytes:
        return self._key.public_key().public_bytes_raw()

    def sign(self, content: bytes) -> bytes:
        return self._key.sign(content)

    def verify(self, content: bytes, signature: bytes) -> bool:
        from cryptography.exceptions import InvalidSignature

        try:
            self._key.public_key().verify(signature, content)
        except InvalidSignature:
            return False
        return True

    @property
    def made(self) -> bool:
        """Return whether there is a key already; one that is not made yet has signed nothing."""
        return "_secret" in vars(self) or (self._folder is not None and (self._folder / FILE).exists())

    def hand_to(self, other: StoreKey) -> None:
        """Let another store sign as this one does, so that what was signed here can be verified there."""
        if self.made:
            other.take(self._secret)

    def take(self, secret: bytes) -> None:
        """Be this key from now on; a store that has another one keeps it, and refuses."""
        if not self.made and self._folder is not None:
            _make(self._folder / FILE, secret)
        elif not self.made:
            self._secret = secret
        if self._secret != secret:
            raise Conflict("the target has a signing key of its own")

    def tighten(self) -> None:
        """Let nobody but its owner read the file of the key."""
        if self.place is not None:
            private_files.tighten(self.place)

    def seal(self, content: bytes) -> bytes:
        return hmac.digest(self._sealing, content, "sha256")

    @cached_property
    def _secret(self) -> bytes:
        return secrets.token_bytes(KEY_BYTES) if self._folder is None else _secret_in(self._folder / FILE)

    @cached_property
    def _sealing(self) -> bytes:
        return hmac.digest(self._secret, _SEAL, hashlib.sha256)

    @cached_property
    def _key(self) -> Ed25519PrivateKey:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return Ed25519PrivateKey.from_private_bytes(self._secret)


def _secret_in(file: Path) -> bytes:
    try:
        if not file.exists():
            _make(file, secrets.token_bytes(KEY_BYTES))
        secret = bytes.fromhex(file.read_text(encoding="ascii").strip())
    except (OSError, ValueError) as error:
        raise StoreUnavailable(f"cannot read the signing key {file}: {error}") from None
    if len(secret) != KEY_BYTES:
        raise StoreUnavailable(f"the signing key {file} has {len(secret)} bytes, not {KEY_BYTES}")
    return secret


def _make(file: Path, secret: bytes) -> None:
    # Written aside and linked into place: of two processes that both need a key, one wins, and it is whole.
    private_files.make_folder(file.parent)
    draft = file.with_name(f".{FILE}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        with private_files.create(draft) as written:
            written.write(secret.hex().encode())
            written.flush()
            os.fsync(written.fileno())
        os.link(draft, file)
    except FileExistsError:
        return
    finally:
        draft.unlink(missing_ok=True)
