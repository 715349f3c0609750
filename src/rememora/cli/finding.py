"""One finding of `rememora doctor`."""

from __future__ import annotations

from typing import Literal

import msgspec

State = Literal["ok", "warn", "fail"]


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing looked at, and what to do about it."""

    state: State
    what: str
    remedy: str = ""
