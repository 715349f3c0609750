"""Settings of a running process: what it logs, its background loops, and its terminal."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from rememora.settings.section import Section


class TelemetrySettings(Section, frozen=True, kw_only=True):
    """Observability; never personal text, unless `content` is on."""

    title = "telemetry"
    log_form: Annotated[Literal["pretty", "json"], Meta(description="Logs for people or for machines.")] = "pretty"
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"], Meta(description="Lowest level that is logged.")
    ] = "info"
    metrics: Annotated[bool, Meta(description="Collect metrics, and serve `/api/v1/metrics`.")] = True
    content: Annotated[bool, Meta(description="Include queries in spans; they may be personal.")] = False


class WorkerSettings(Section, frozen=True, kw_only=True):
    """The background loops."""

    title = "worker"
    poll_seconds: Annotated[
        float, Meta(gt=0, le=3600, description="Longest sleep before checking for another process's work.")
    ] = 1.0


class TerminalSettings(Section, frozen=True, kw_only=True):
    """Defaults of the command line, for options that a command leaves out."""

    title = "terminal"
    tenant: Annotated[str, Meta(description="Default of `--tenant`; empty for the only tenant of the store.")] = ""
    user: Annotated[str, Meta(description="Default of `--user`; empty for the only user of the tenant.")] = ""
