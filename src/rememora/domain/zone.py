"""Time zone of a person, which decides when their day begins and ends."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, tzinfo
from typing import Final

ZONE_KEYS: Final = ("user.timezone", "user.locale")
"""Keys of memories that imply a time zone, most reliable first."""
_LOCALES: Final = {
    "pt-br": "America/Sao_Paulo",
    "pt-pt": "Europe/Lisbon",
    "en-gb": "Europe/London",
    "en-ie": "Europe/Dublin",
}
"""Locales that usually imply one time zone."""


def zone_of(names: Iterable[str]) -> tzinfo:
    """Return the first time zone, or the zone of a locale, among values under the `ZONE_KEYS`; else UTC."""
    # It reads how Python was built: too much for an import that may never need it.
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    for name in names:
        try:
            return ZoneInfo(_LOCALES.get(name.replace("_", "-").lower(), name))
        except (ValueError, OSError, ZoneInfoNotFoundError):
            continue
    return UTC
