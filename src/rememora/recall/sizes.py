"""From how many rows on a user is treated as a large one."""

from __future__ import annotations

from typing import Final

KEPT_ROWS: Final = 20_000
"""Rows up to which a user's texts are kept beside them; of more, the few that are found are read."""
SAVED_ROWS: Final = 2_000
"""Number of rows above which a user's index is saved: building one of that size takes half a second of CPU."""
