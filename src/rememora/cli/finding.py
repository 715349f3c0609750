"""One finding of `rememora doctor`."""

from __future__ import annotations

from typing import Literal

import msgspec

State = Literal["ok", "warn", "fail"]


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One check, its result, and how to fix what is wrong."""

    state: State
    what: str
    remedy: str = ""
