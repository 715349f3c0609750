"""The modules that work can be handed to, and the schemas of their payloads."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from rememora.domain.check import check_mapping, check_name
from rememora.errors import InvalidInput

CRM = "mod-02-whatsapp-crm"
_PATH = re.compile(r" - at `\$([^`]*)`$")
_FIELD = re.compile(r"(?:required|unknown) field `([^`]+)`")

Phone = Annotated[str, Meta(pattern=r"^\+[1-9][0-9]{7,14}$", description="E.164, as in +5511987654321.")]
Words = Annotated[str, Meta(min_length=1, max_length=4096)]
Label = Annotated[str, Meta(min_length=1, max_length=255)]


class Form(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Schema of a payload: a wrong, missing or unknown field is refused by its path."""


class SendMessage(Form, frozen=True, kw_only=True):
    """Send a text message to a contact."""

    to: Phone
    text: Words


class UpdateContact(Form, frozen=True, kw_only=True):
    """Save notes about a contact."""

    phone: Phone
    name: Label | None = None
    stage: Label | None = None
    tags: Annotated[tuple[Label, ...], Meta(max_length=50)] = ()
    note: Words | None = None


class ScheduleFollowUp(Form, frozen=True, kw_only=True):
    """Follow up with a contact at a given time."""

    phone: Phone
    at: Annotated[datetime, Meta(tz=True)]
    text: Words


class Module(msgspec.Struct, frozen=True, kw_only=True):
    """A module that does work: a name, and the payload schema of each kind of work."""

    name: str
    kinds: Mapping[str, type[msgspec.Struct]]

    def __post_init__(self) -> None:
        check_name("module", self.name)
        for kind in self.kinds:
            check_name("kind", kind)

    def check(self, kind: str, payload: object) -> dict[str, Any]:
        """Validate the payload and return it as plain JSON; an error names the wrong path."""
        form = self.kinds.get(kind)
        if form is None:
            raise InvalidInput("kind", f"{self.name} does none of this; it does {', '.join(sorted(self.kinds))}")
        plain = check_mapping("payload", payload)
        try:
            msgspec.convert(plain, form)
        except msgspec.ValidationError as error:
            raise refusal(str(error)) from None
        return plain


# Registered from the start. Each kind of task has the struct that its payload is checked against.
WHATSAPP_CRM = Module(
    name=CRM,
    kinds={
        "message.send": SendMessage,
        "contact.update": UpdateContact,
        "followup.schedule": ScheduleFollowUp,
    },
)


class Modules:
    """The registered modules, by name."""

    def __init__(self, known: Iterable[Module] = (WHATSAPP_CRM,)) -> None:
        self._known = {module.name: module for module in known}

    def add(self, module: Module) -> None:
        """Register a module; a known name gets the new schemas."""
        self._known[module.name] = module

    def get(self, name: str) -> Module:
        """Return a module by its name."""
        module = self._known.get(name)
        if module is None:
            raise InvalidInput("module", f"must be one of {', '.join(sorted(self._known))}")
        return module


def refusal(message: str) -> InvalidInput:
    """Convert a validation error into one that names the path, without repeating the value."""
    path = _PATH.search(message)
    reason = _PATH.sub("", message)
    named = _FIELD.search(reason)
    place = (path.group(1) if path else "") + (f".{named.group(1)}" if named else "")
    return InvalidInput(f"payload{place}", reason)
