"""Every setting, in one frozen object: from code, then the environment, then a file, then the default."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Self, get_type_hints

import msgspec

from rememora.errors import SettingsError
from rememora.settings.engines import Redis, Store
from rememora.settings.section import SECRETS, Section, allowed, field_types
from rememora.settings.sections import (
    Access,
    Context,
    Entities,
    Episodes,
    Events,
    Imports,
    Knowledge,
    Layers,
    Missions,
    Model,
    Proxy,
    Recall,
    Server,
    Summary,
    Tasks,
    Telemetry,
    Terminal,
    Window,
    Worker,
)
from rememora.settings.sources import (
    ALIASES,
    DEFAULT_FILE,
    FILE_ENV,
    MILLISECONDS,
    env_name,
    from_code,
    from_environment,
    from_file,
)
from rememora.settings.weights import Weights

__all__ = [
    "ALIASES",
    "DEFAULT_FILE",
    "FILE_ENV",
    "MILLISECONDS",
    "SECRETS",
    "Access",
    "Context",
    "Entities",
    "Episodes",
    "Events",
    "Imports",
    "Knowledge",
    "Layers",
    "Missions",
    "Model",
    "Proxy",
    "Recall",
    "Redis",
    "Section",
    "Server",
    "Settings",
    "Store",
    "Summary",
    "Tasks",
    "Telemetry",
    "Terminal",
    "Weights",
    "Window",
    "Worker",
    "all_settings",
    "allowed",
    "env_name",
    "field_types",
    "hand_down",
    "section_types",
]


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """All sections; `Settings.load()` is how one is usually made."""

    store: Store = msgspec.field(default_factory=Store)
    layers: Layers = msgspec.field(default_factory=Layers)
    window: Window = msgspec.field(default_factory=Window)
    summary: Summary = msgspec.field(default_factory=Summary)
    episodes: Episodes = msgspec.field(default_factory=Episodes)
    recall: Recall = msgspec.field(default_factory=Recall)
    weights: Weights = msgspec.field(default_factory=Weights)
    knowledge: Knowledge = msgspec.field(default_factory=Knowledge)
    entities: Entities = msgspec.field(default_factory=Entities)
    imports: Imports = msgspec.field(default_factory=Imports)
    context: Context = msgspec.field(default_factory=Context)
    model: Model = msgspec.field(default_factory=Model)
    events: Events = msgspec.field(default_factory=Events)
    tasks: Tasks = msgspec.field(default_factory=Tasks)
    missions: Missions = msgspec.field(default_factory=Missions)
    redis: Redis = msgspec.field(default_factory=Redis)
    access: Access = msgspec.field(default_factory=Access)
    telemetry: Telemetry = msgspec.field(default_factory=Telemetry)
    server: Server = msgspec.field(default_factory=Server)
    proxy: Proxy = msgspec.field(default_factory=Proxy)
    worker: Worker = msgspec.field(default_factory=Worker)
    terminal: Terminal = msgspec.field(default_factory=Terminal)

    def __post_init__(self) -> None:
        for title, section in section_types().items():
            if not isinstance(getattr(self, title), section):
                raise SettingsError(title, getattr(self, title), f"a {section.__name__} section")

    @classmethod
    def load(
        cls,
        overrides: Mapping[str, object] | None = None,
        *,
        environ: Mapping[str, str] | None = None,
        file: str | Path | None = None,
    ) -> Self:
        """Settings of code (`{"summary.threshold": 30}`), environment and file, in this order of weight."""
        environ = os.environ if environ is None else environ
        known = all_settings()
        values = from_file(file or environ.get(FILE_ENV), known)
        values |= from_environment(environ, known)
        values |= from_code(overrides or {}, known)
        grouped: dict[str, dict[str, object]] = {}
        for path, value in values.items():
            section, _, name = path.partition(".")
            grouped.setdefault(section, {})[name] = value
        kinds = section_types()
        sections: dict[str, Any] = {name: kinds[name](**fields) for name, fields in grouped.items()}
        return cls(**sections)


@cache
def section_types() -> dict[str, type[Section]]:
    """The sections by name."""
    return dict(get_type_hints(Settings))


@cache
def all_settings() -> dict[str, Any]:
    """Every setting as `section.field` with its annotated type."""
    return {
        f"{title}.{name}": kind
        for title, section in section_types().items()
        for name, kind in field_types(section).items()
    }


def hand_down(name: str, value: str) -> None:
    """Set a variable for what this process and those it starts load later."""
    os.environ[name] = value
