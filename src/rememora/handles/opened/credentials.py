"""Credentials of callers: keys, signed links, and confirmations."""

from __future__ import annotations

from rememora.domain.scope import Scope
from rememora.domain.tenancy import Caller, Confirmation
from rememora.errors import KeyRejected
from rememora.tenancy import keys, links
from rememora.wiring.parts import Parts


class StoreCredentials:
    """The keys, links and confirmations that callers show."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def admit(self, credential: str) -> Caller:
        """Return the owner of a key or a signed link; refused when it is not valid."""
        admit = links.admit if credential.startswith(links.PREFIX) else keys.admit
        return await admit(self._parts.store, credential, clock=self._parts.clock)

    async def admit_link(self, token: str) -> Caller:
        """Admit a signed link to its page; an API key is refused, because addresses are logged and shared."""
        if not token.startswith(links.PREFIX):
            raise KeyRejected
        return await links.admit(self._parts.store, token, clock=self._parts.clock)

    async def ask_to_confirm(self, scope: Scope, act: bytes) -> Confirmation:
        """A token with which the scope's user confirms one act, given by its fingerprint, within minutes."""
        return await links.ask_to_confirm(self._parts.store, scope, act, clock=self._parts.clock)

    async def confirm(self, scope: Scope, token: str, act: bytes) -> None:
        """Use a confirmation up, or refuse it."""
        await links.confirm(self._parts.store, scope, token, act, clock=self._parts.clock)
