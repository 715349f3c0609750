"""Actors and their rights beyond their own memory; none unless granted."""

from __future__ import annotations

import msgspec

from rememora.domain.check import check_name, check_text
from rememora.errors import RightMissing

REASON_BYTES = 2000


class Rights(msgspec.Struct, frozen=True, kw_only=True):
    """Rights of an actor; every right is absent until it is granted."""

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
"""A person with their own memory, who reads what the tenant shares."""

SERVICE = Rights(act_for_users=True)
"""An application of one tenant, on behalf of any of its users: it may do what that user may, and no more."""

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
"""Whoever runs the store, and has its files anyway."""

SUPPORT = Rights(read_masked=True)
"""Helps people without seeing what is known of them."""

SUPPORT_UNMASKED = Rights(read_masked=True, read_personal=True)
"""Support that broke the glass, for a while and for a reason on record."""

AUDITOR = Rights(read_masked=True)
"""Sees how things stand, and nothing of what people said."""


class Actor(msgspec.Struct, frozen=True):
    """The one who acts; the name goes on record, and the reason with it where there is one."""

    id: str
    rights: Rights = USER
    reason: str = ""

    def __post_init__(self) -> None:
        check_name("acting", self.id)
        if self.reason != "":
            check_text("reason", self.reason, max_bytes=REASON_BYTES)

    def need(self, right: str) -> None:
        """Refuse unless this actor has the right."""
        if not getattr(self.rights, right):
            raise RightMissing(right)
