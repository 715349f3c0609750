"""`StoreModules` without `await`; `make sync` writes this file from `handles/opened/modules.py`."""

from __future__ import annotations

from rememora.domain.modules import Module
from rememora.events.drain import Work
from rememora.handles.opened import modules as wrapped
from rememora.portal import Portal


class SyncStoreModules:
    """The modules of this process: their forms, and who does their work."""

    def __init__(self, portal: Portal, inner: wrapped.StoreModules) -> None:
        self._portal = portal
        self._inner = inner

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._inner!r}>"

    def add(self, module: Module) -> None:
        """Know one more module that work can be handed to, and the forms of what it takes."""
        return self._portal.run(self._inner.add(module))

    def serve(self, name: str, work: Work) -> None:
        """Have `work` do what is handed to a module, by every user of every tenant; others may serve it too."""
        return self._portal.run(self._inner.serve(name, work))
