"""Events follow the schema that is published."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from tests.clock import MIDDAY
from tests.contract.making import ANA
from tests.looped import looped

from rememora.domain.event import (
    PAYLOADS,
    ConversationDeleted,
    CrmDelegationFailed,
    CrmDelegationSent,
    EpisodeCreated,
    Event,
    Payload,
    event_of,
)
from rememora.domain.event_versions import PAYLOADS_OF, as_version, events_schema
from rememora.domain.scope import Scope

SCHEMA = Draft202012Validator(events_schema(), format_checker=Draft202012Validator.FORMAT_CHECKER)


SCHEMA_1 = Draft202012Validator(events_schema(1), format_checker=Draft202012Validator.FORMAT_CHECKER)


def outside(event: Event) -> dict[str, Any]:
    """An event as others read it."""
    read: dict[str, Any] = json.loads(msgspec.json.encode(event))
    return read


def sample(kind: type[Payload]) -> Payload:
    """A payload with every field filled."""
    values: dict[Any, object] = {int: 3, str: "x", float: 0.5, bool: True, tuple[str, ...]: ("x",)}
    hints = {field.name: field.type for field in msgspec.structs.fields(kind) if field.required}
    return kind(**{name: values[hint] for name, hint in hints.items()})


def test_the_schema_is_a_schema() -> None:
    """The published schema is valid itself."""
    Draft202012Validator.check_schema(events_schema())


@pytest.mark.parametrize("kind", PAYLOADS)
@pytest.mark.parametrize("scope", [ANA, Scope("acme", "ana")])
def test_every_type_follows_the_schema(kind: type[Payload], scope: Scope) -> None:
    """Each type of event, inside a conversation and outside one, passes."""
    SCHEMA.validate(outside(event_of(scope, sample(kind), at=MIDDAY)))


@looped("missing", ["id", "type", "tenant", "user", "occurred_at", "payload"])
def test_an_event_without_a_field_does_not(missing: str) -> None:
    """The schema can say no."""
    event = outside(event_of(ANA, sample(PAYLOADS[0]), at=MIDDAY))
    del event[missing]

    assert not SCHEMA.is_valid(event)


def test_an_unknown_type_or_a_foreign_payload_does_not() -> None:
    """Each type has its own payload."""
    event = outside(event_of(ANA, sample(PAYLOADS[0]), at=MIDDAY))

    assert not SCHEMA.is_valid(event | {"type": "nobody.knows"})
    assert not SCHEMA.is_valid(event | {"payload": {"messages": "many"}})


def test_types_are_unique_and_documented() -> None:
    """One type per payload, named in lower case with dots, each with its sentence."""
    types = [kind.type for kind in PAYLOADS]

    assert len(types) == len(set(types))
    assert all(item.replace(".", "").replace("_", "").islower() and "." in item for item in types)
    assert all((kind.__doc__ or "").strip() for kind in PAYLOADS)


@looped("kind", PAYLOADS)
def test_every_event_is_told_in_the_version_asked_for(kind: type[Payload]) -> None:
    """Told to a consumer of version 1 it follows that schema and says no version; told back it is the same."""
    event = event_of(ANA, filled(kind), at=MIDDAY, subject="e1" if kind is EpisodeCreated else None)
    old = as_version(event, 1)

    SCHEMA_1.validate(outside(old))
    assert {"version", "subject"}.isdisjoint(outside(old))
    assert outside(event) == outside(as_version(old, 2))


@looped("kind", PAYLOADS_OF[1])
def test_a_stored_event_of_version_1_is_readable(kind: type[Payload]) -> None:
    """An event as the version before wrote it, read today, follows today's schema."""
    written = outside(event_of(ANA, sample(kind), at=MIDDAY))
    written = {name: value for name, value in written.items() if name not in ("version", "subject")}
    event = msgspec.json.decode(msgspec.json.encode(written), type=Event)

    SCHEMA_1.validate(written)
    SCHEMA.validate(outside(as_version(event, 2)))


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        (CrmDelegationSent, {"task_id", "correlation_id", "tenant_id", "result_summary"}),
        (CrmDelegationFailed, {"task_id", "correlation_id", "tenant_id", "error_code"}),
        (EpisodeCreated, {"tenant_id", "session_id", "turn_count", "summary"}),
    ],
)
def test_the_names_that_hosts_know(kind: type[Payload], names: set[str]) -> None:
    """The payloads have exactly the fields of the first systems."""
    assert names == set(kind.__struct_fields__)


def filled(kind: type[Payload]) -> Payload:
    """A payload whose tenant and session are those of its event."""
    mine = {"tenant_id": ANA.tenant, "session_id": str(ANA.conversation)}
    return msgspec.structs.replace(
        sample(kind), **{name: value for name, value in mine.items() if name in kind.__struct_fields__}
    )


@given(st.integers(min_value=0, max_value=2**31))
def test_an_event_reads_as_it_was_written(count: int) -> None:
    """Nothing of an event is lost on the way out and back."""
    event = event_of(ANA, ConversationDeleted(messages=count), at=MIDDAY)

    assert event == msgspec.json.decode(msgspec.json.encode(event), type=Event)
