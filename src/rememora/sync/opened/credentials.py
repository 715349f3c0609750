"""`StoreCredentials` without `await`; `make sync` writes this file from `handles/opened/credentials.py`."""

from __future__ import annotations

from rememora.domain.scope import Scope
from rememora.domain.tenancy import Caller, Confirmation
from rememora.handles.opened import credentials as wrapped
from rememora.portal import Portal


class SyncStoreCredentials:
    """The keys, links and confirmations that callers show."""

    def __init__(self, portal: Portal, inner: wrapped.StoreCredentials) -> None:
        self._portal = portal
        self._inner = inner

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._inner!r}>"

    def admit(self, credential: str) -> Caller:
        """Return the owner of a key or a signed link; refused when it is not valid."""
        return self._portal.run(self._inner.admit(credential))

    def admit_link(self, token: str) -> Caller:
        """Admit a signed link to its page; an API key is refused, because addresses are logged and shared."""
        return self._portal.run(self._inner.admit_link(token))

    def ask_to_confirm(self, scope: Scope, act: bytes) -> Confirmation:
        """A token with which the scope's user confirms one act, given by its fingerprint, within minutes."""
        return self._portal.run(self._inner.ask_to_confirm(scope, act))

    def confirm(self, scope: Scope, token: str, act: bytes) -> None:
        """Use a confirmation up, or refuse it."""
        return self._portal.run(self._inner.confirm(scope, token, act))
