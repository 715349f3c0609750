"""Every setting, in one frozen object: from code, then the environment, then a file, then the default."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Self, get_type_hints

import msgspec

from rememora.errors import SettingsError
from rememora.settings.engines import RedisSettings, StoreSettings
from rememora.settings.running import TelemetrySettings, TerminalSettings, WorkerSettings
from rememora.settings.section import SECRETS, Section, allowed, field_types
from rememora.settings.sections import (
    AccessSettings,
    ContextSettings,
    EntitySettings,
    EpisodeSettings,
    EventSettings,
    ImportSettings,
    KnowledgeSettings,
    LayerSettings,
    MissionSettings,
    ModelSettings,
    ProxySettings,
    ReadingSettings,
    RecallSettings,
    ServerSettings,
    SummarySettings,
    TaskSettings,
    WindowSettings,
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
    "AccessSettings",
    "ContextSettings",
    "EntitySettings",
    "EpisodeSettings",
    "EventSettings",
    "ImportSettings",
    "KnowledgeSettings",
    "LayerSettings",
    "MissionSettings",
    "ModelSettings",
    "ProxySettings",
    "ReadingSettings",
    "RecallSettings",
    "RedisSettings",
    "Section",
    "ServerSettings",
    "Settings",
    "StoreSettings",
    "SummarySettings",
    "TaskSettings",
    "TelemetrySettings",
    "TerminalSettings",
    "Weights",
    "WindowSettings",
    "WorkerSettings",
    "all_settings",
    "allowed",
    "env_name",
    "field_types",
    "hand_down",
    "section_types",
]


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """All sections; usually made with `Settings.load()`."""

    store: StoreSettings = msgspec.field(default_factory=StoreSettings)
    layers: LayerSettings = msgspec.field(default_factory=LayerSettings)
    window: WindowSettings = msgspec.field(default_factory=WindowSettings)
    summary: SummarySettings = msgspec.field(default_factory=SummarySettings)
    episodes: EpisodeSettings = msgspec.field(default_factory=EpisodeSettings)
    recall: RecallSettings = msgspec.field(default_factory=RecallSettings)
    weights: Weights = msgspec.field(default_factory=Weights)
    knowledge: KnowledgeSettings = msgspec.field(default_factory=KnowledgeSettings)
    reading: ReadingSettings = msgspec.field(default_factory=ReadingSettings)
    entities: EntitySettings = msgspec.field(default_factory=EntitySettings)
    imports: ImportSettings = msgspec.field(default_factory=ImportSettings)
    context: ContextSettings = msgspec.field(default_factory=ContextSettings)
    model: ModelSettings = msgspec.field(default_factory=ModelSettings)
    events: EventSettings = msgspec.field(default_factory=EventSettings)
    tasks: TaskSettings = msgspec.field(default_factory=TaskSettings)
    missions: MissionSettings = msgspec.field(default_factory=MissionSettings)
    redis: RedisSettings = msgspec.field(default_factory=RedisSettings)
    access: AccessSettings = msgspec.field(default_factory=AccessSettings)
    telemetry: TelemetrySettings = msgspec.field(default_factory=TelemetrySettings)
    server: ServerSettings = msgspec.field(default_factory=ServerSettings)
    proxy: ProxySettings = msgspec.field(default_factory=ProxySettings)
    worker: WorkerSettings = msgspec.field(default_factory=WorkerSettings)
    terminal: TerminalSettings = msgspec.field(default_factory=TerminalSettings)

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
        """Load settings from code (`{"summary.threshold": 30}`), environment and file; the first one wins."""
        environ = os.environ if environ is None else environ
        known = all_settings()
        # The weakest source first: each later one overwrites it.
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
    """Set an environment variable for this process and the processes it starts."""
    os.environ[name] = value
