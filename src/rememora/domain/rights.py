"""Actors and their rights beyond their own memory; none unless granted."""

from __future__ import annotations

import msgspec

from rememora.domain.check import check_name, check_text
from rememora.errors import RightMissing

REASON_BYTES = 2000


class Rights(msgspec.Struct, frozen=True, kw_only=True):
    """Rights of an actor; each is absent until it is granted."""

    write_shared: bool = False
    read_personal: bool = False
    review: bool = False
    erase_others: bool = False
    # The files hold every tenant's words: to look for a text in them is an operator's right.
    search_files: bool = False
    # A person's own application speaks for them: what it reads needs no reason, because it is their own use.
    act_for_users: bool = False
    # How much is held of a person and of what kind, without what it says.
    read_masked: bool = False


USER = Rights()
"""A person with their own memory, who can read what the tenant shares."""

SERVICE = Rights(act_for_users=True)
"""An application of one tenant, on behalf of any of its users, with the rights of that user."""

ADMIN = Rights(write_shared=True, read_personal=True, review=True, erase_others=True, read_masked=True)
"""An administrator of one tenant."""


OPERATOR = Rights(
    write_shared=True,
    read_personal=True,
    review=True,
    erase_others=True,
    search_files=True,
    read_masked=True,
)
"""Somebody who runs the store, and has its files anyway."""

SUPPORT = Rights(read_masked=True)
"""Helps people without seeing their data."""

SUPPORT_UNMASKED = Rights(read_masked=True, read_personal=True)
"""Support that broke the glass, for a limited time and a recorded reason."""

AUDITOR = Rights(read_masked=True)
"""Sees figures and states, but no content."""


class Actor(msgspec.Struct, frozen=True):
    """The actor of a change; the name is recorded, with the reason if there is one."""

    id: str
    rights: Rights = USER
    reason: str = ""

    def __post_init__(self) -> None:
        check_name("acting", self.id)
        if self.reason != "":
            check_text("reason", self.reason, max_bytes=REASON_BYTES)

    def need(self, right: str) -> None:
        """Raise unless this actor has the right."""
        if not getattr(self.rights, right):
            raise RightMissing(right)
