"""Modules that work can be handed to."""

from __future__ import annotations

from rememora.domain.modules import Module
from rememora.events.drain import Drain, Work
from rememora.wiring.parts import Parts


class StoreModules:
    """The modules of this process: their forms, and who does their work."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def add(self, module: Module) -> None:
        """Know one more module that work can be handed to, and the forms of what it takes."""
        self._parts.modules.add(module)

    async def serve(self, name: str, work: Work) -> None:
        """Have `work` do what is handed to a module, by every user of every tenant; others may serve it too."""
        parts = self._parts
        settings = parts.settings.tasks
        drain = Drain(store=parts.store, module=name, work=work, settings=settings, clock=parts.clock)
        for place in range(settings.at_once):
            parts.worker.add(f"tasks-{name}-{place}", drain.step)
