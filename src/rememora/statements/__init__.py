"""Effects of a new statement on known ones: keep both, replace one, change a part, or ask.

The rooms that compute with numpy are loaded when they are first used, so that `import rememora` stays light.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rememora.statements import contacts, items, links, meaning, planner, touching

__all__ = ["contacts", "items", "links", "meaning", "planner", "touching"]


def __getattr__(name: str) -> ModuleType:
    if name in __all__:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
