"""Whose memory it is: the first argument of everything that reads or writes."""

from __future__ import annotations

import msgspec


class Scope(msgspec.Struct, frozen=True):
    """A user of a tenant, and the conversation where there is one."""

    tenant: str
    user: str
    conversation: str | None = None
