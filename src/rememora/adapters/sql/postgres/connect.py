"""Connecting to PostgreSQL: a dead peer is detected, and nobody waits for it forever."""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

from rememora.settings import StoreSettings

Connection = psycopg.Connection[Any]
SLACK_SECONDS = 5.0
"""So much longer than the server gives itself is waited for its answer, and it for our next word."""

LEAST_CONNECT_SECONDS = 2
"""The driver takes no less."""


def connect(url: str, settings: StoreSettings, *, name: str) -> Connection:
    """A new connection; what the URL itself says of keeping it alive holds."""
    kept: dict[str, Any] = {
        "keepalives_idle": 30,
        "keepalives_interval": 10,
        "keepalives_count": 3,
        "tcp_user_timeout": round(timeout_of(settings) * 1000),
    }
    given = conninfo_to_dict(url)
    # Statements are prepared by the session, not by the driver.
    return psycopg.connect(
        url,
        autocommit=True,
        prepare_threshold=None,
        connect_timeout=connect_timeout_of(settings),
        application_name=f"rememora {name}",
        **{key: value for key, value in kept.items() if key not in given},
    )


def connect_timeout_of(settings: StoreSettings) -> int:
    """For how many seconds a server may keep us waiting for a connection."""
    return max(LEAST_CONNECT_SECONDS, round(settings.connect_seconds))


def timeout_of(settings: StoreSettings) -> float:
    """For how many seconds a server may say nothing: the first statement of a write waits for others as well."""
    return max(settings.statement_seconds, settings.busy_seconds) + SLACK_SECONDS
