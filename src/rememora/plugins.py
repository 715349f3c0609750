"""Loads plugins: entry points of other packages, chosen by the name in a setting.

A plugin is a *factory*, a callable that makes one part. Each kind of plugin has a group of entry points, the
setting that names one, and a protocol that the part has to implement. Only the plugin that a setting names is
imported; other installed plugins cost nothing.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import msgspec

from rememora.adapters.sql.store import Engine
from rememora.context.gather import Source
from rememora.errors import PluginFailed, RememoraError, SettingsError
from rememora.ports.outside import Embedder
from rememora.ports.vectors import Vectors
from rememora.reading.results import MessageReader

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


class Kind(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of plugin."""

    group: str
    """The group of entry points."""
    setting: str
    """The setting that names one."""
    protocol: type
    """The protocol of the part that its factory makes."""
    builtin: tuple[str, ...] = ()
    """Values of the setting that need no plugin."""


# What can be plugged in. Values that need no plugin are listed in the error about an unknown name.
ENGINES: Final = Kind(
    group="rememora.engines",
    setting="store.url",
    protocol=Engine,
    builtin=("a folder", "sqlite:///folder", ":memory:", "postgresql://…"),
)
VECTORS: Final = Kind(
    group="rememora.vectors",
    setting="recall.vectors",
    protocol=Vectors,
    builtin=("memory", "engine", "duckdb:///file"),
)
EMBEDDERS: Final = Kind(
    group="rememora.embedders",
    setting="recall.embedder",
    protocol=Embedder,
    builtin=("offline", "openai", "sentence-transformers", "none"),
)
READERS: Final = Kind(
    group="rememora.readers", setting="reading.reader", protocol=MessageReader, builtin=("builtin",)
)
LAYERS: Final = Kind(group="rememora.layers", setting="context.layers", protocol=Source)
KINDS: Final = (ENGINES, VECTORS, EMBEDDERS, READERS, LAYERS)


def installed(kind: Kind) -> dict[str, list[EntryPoint]]:
    """Find the entry points of a kind by name; several if packages use the same name."""
    # Not at import: most programs choose no plugin.
    from importlib.metadata import entry_points

    entries: dict[str, list[EntryPoint]] = {}
    for entry in sorted(entry_points(group=kind.group), key=lambda point: point.name):
        entries.setdefault(entry.name, []).append(entry)
    return entries


def make(kind: Kind, name: str, *args: object, **options: object) -> Any:
    """Load the plugin of that name, let its factory make the part, and check the part against its protocol."""
    entry = _entry(kind, name)
    try:
        factory = entry.load()
        made = factory(*args, **options)
    except RememoraError:
        # A factory may refuse a setting in our own words.
        raise
    except Exception as error:
        # Whatever a stranger's code raises is named with the package that it comes from.
        raise _failed(kind, entry, f"raised {type(error).__name__}: {error}") from error
    if faults := faults_of(made, kind.protocol):
        raise _failed(kind, entry, f"does not fulfil {kind.protocol.__name__}: {'; '.join(faults)}")
    return made


def _entry(kind: Kind, name: str) -> EntryPoint:
    """Find the one plugin of a name."""
    known = installed(kind)
    if name not in known:
        names = ", ".join(known) or "none"
        choices = [*kind.builtin, f"a plugin installed under {kind.group} ({names})"]
        raise SettingsError(kind.setting, name, ", ".join(choices))
    first, *others = known[name]
    # Which of two packages is meant cannot be guessed, and must not depend on the order of installation.
    if others:
        packages = " and ".join(_package(entry_point) for entry_point in known[name])
        raise SettingsError(kind.setting, name, f"a name that only one package provides, not {packages}")
    return first


def _failed(kind: Kind, entry: EntryPoint, reason: str) -> PluginFailed:
    return PluginFailed(kind.group, entry.name, package=_package(entry), reason=reason)


def _package(entry: EntryPoint) -> str:
    """Name the package that offers a plugin."""
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.value


def faults_of(made: object, protocol: type) -> list[str]:
    """List what an object lacks of a protocol: members that are missing, not async, or take other arguments."""
    return [fault for name, member in _members(protocol).items() for fault in _faults(made, name, member)]


def _members(protocol: type) -> dict[str, Any]:
    """Collect the members of a protocol and of the protocols that it extends."""
    kinds = [base for base in reversed(protocol.__mro__) if getattr(base, "_is_protocol", False)]
    members = {name: member for kind in kinds for name, member in vars(kind).items()}
    return {
        name: member
        for name, member in members.items()
        if name == "__call__" or (not name.startswith("_") and (callable(member) or isinstance(member, property)))
    }


def _faults(made: object, name: str, member: Any) -> Iterator[str]:
    actual = getattr(made, name, None)
    if actual is None:
        yield f"`{name}` is missing"
    elif inspect.isfunction(member):
        if inspect.iscoroutinefunction(member) and not _is_async(made, actual):
            yield f"`{name}` must be async"
        if not _takes(actual, member):
            yield f"`{name}` must take {_parameters(member)}"


def _is_async(made: object, actual: object) -> bool:
    """Tell whether a member is async; a plain function's `__call__` says nothing, the function itself does."""
    return inspect.iscoroutinefunction(actual) or (inspect.isfunction(made) and inspect.iscoroutinefunction(made))


def _takes(actual: Any, member: Any) -> bool:
    """Tell whether a callable accepts the arguments of the protocol."""
    _, *parameters = inspect.signature(member).parameters.values()
    by_place = [None for parameter in parameters if parameter.kind is not parameter.KEYWORD_ONLY]
    by_name = {parameter.name: None for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY}
    try:
        inspect.signature(actual).bind(*by_place, **by_name)
    except TypeError:
        return False
    except ValueError:
        # Written in C without a signature: what it takes is found out when it is used.
        return True
    return True


def _parameters(member: Any) -> str:
    _, *parameters = inspect.signature(member).parameters.values()
    return str(
        inspect.Signature([parameter.replace(annotation=inspect.Parameter.empty) for parameter in parameters])
    )
