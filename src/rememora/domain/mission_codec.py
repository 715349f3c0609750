"""Encoding of a mission: each section as JSON of its own, checked against the schema on every write."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from rememora.domain.mission import Mission
from rememora.domain.mission_bus import MessageBus
from rememora.domain.mission_intake import Intake, Name, Orchestrator
from rememora.domain.mission_work import Coordinator, Executors, FinalAnswer
from rememora.errors import InvalidInput

MAX_SECTION_BYTES: Final = 8 * 1024 * 1024

_ENCODER: Final = msgspec.json.Encoder()
# A decoder per section: a write encodes and checks only the sections that it changed.
_DECODERS: Final[Mapping[str, msgspec.json.Decoder[Any]]] = {
    "intake": msgspec.json.Decoder(Intake),
    "orchestrator": msgspec.json.Decoder(Orchestrator),
    "bus": msgspec.json.Decoder(MessageBus),
    "coordinators": msgspec.json.Decoder(dict[Name, Coordinator]),
    "executors": msgspec.json.Decoder(Executors),
    "final": msgspec.json.Decoder(FinalAnswer),
}
SECTIONS: Final = tuple(_DECODERS)

_PLACE: Final = re.compile(r" - at `(?:key` in `)?\$([^`]*)`$")


def dump(after: Mission, *, before: Mission | None = None) -> dict[str, bytes]:
    """Encode the sections that differ from `before`; an invalid one refuses the whole write."""
    return {
        name: _checked(name, section)
        for name in SECTIONS
        if (section := getattr(after, name)) is not getattr(before, name, None)
    }


def load(head: Mapping[str, Any], sections: Mapping[str, bytes]) -> Mission:
    """Build a mission from its header and the sections that `dump` wrote."""
    return Mission(**head, **{name: _DECODERS[name].decode(body) for name, body in sections.items()})


def blame(error: msgspec.ValidationError, at: str) -> InvalidInput:
    """Name the wrong field below `at`, as a path."""
    text = str(error)
    if (place := _PLACE.search(text)) is None:
        return InvalidInput(at, text)
    cause = error.__cause__
    reason = cause.reason if isinstance(cause, InvalidInput) else text[: place.start()]
    return InvalidInput(at + place.group(1), reason)


def _checked(name: str, section: object) -> bytes:
    try:
        body = _ENCODER.encode(section)
        _DECODERS[name].decode(body)
    except msgspec.ValidationError as error:
        raise blame(error, name) from None
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(name, f"cannot be kept as JSON: {error}") from None
    if len(body) > MAX_SECTION_BYTES:
        raise InvalidInput(name, f"larger than {MAX_SECTION_BYTES} bytes")
    return body
