"""Language packs of other packages: found by their entry points, without running their code."""

from __future__ import annotations

import re
from collections.abc import Collection
from importlib.machinery import ModuleSpec
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from rememora.errors import PluginFailed

GROUP: Final = "rememora.languages"
_CODE: Final = re.compile(r"[a-z]{2,3}")


def find_packs(builtin: Collection[str]) -> dict[str, Path]:
    """Find the folders of installed packs by language code, sorted; one that cannot be used is refused."""
    found: dict[str, Path] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        if not _CODE.fullmatch(entry.name):
            raise _failed(entry, "must be named by a language code of two or three letters")
        if entry.name in builtin:
            raise _failed(entry, "has the code of a language that Rememora brings itself")
        if entry.name in found:
            raise _failed(entry, "has the code of another installed pack; remove one of them")
        found[entry.name] = _folder(entry)
    return found


def _folder(entry: EntryPoint) -> Path:
    """Return the folder of the package that an entry point names; nothing of it is imported."""
    spec: ModuleSpec | None = None if "." in entry.value else find_spec(entry.value)
    places = spec.submodule_search_locations if spec is not None else None
    if not places:
        raise _failed(entry, f"must name a package with the files of the pack, and {entry.value!r} is none")
    return Path(next(iter(places)))


def _failed(entry: EntryPoint, reason: str) -> PluginFailed:
    package = f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.value
    return PluginFailed(GROUP, entry.name, package=package, reason=reason)
