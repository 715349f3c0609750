"""Knowledge nouns: memories, their drafts, and the outcome of a draft."""

from __future__ import annotations

import hashlib
import math
import re
from datetime import datetime
from typing import Any, Literal, TypedDict, get_args

import msgspec

from rememora.domain.check import check_between, check_json, check_name, check_text
from rememora.domain.question import Asks
from rememora.domain.rights import REASON_BYTES
from rememora.domain.scope import SHARED
from rememora.domain.value_span import ValueSpan, check_attribute_span, value_of_attribute
from rememora.domain.verdict import AnyVerdict, Origin, Refuse, Value
from rememora.errors import InvalidInput
from rememora.language.keys import attribute_of, subject_of
from rememora.language.subjects import canonical_subject, is_project, kind_of_key, same_subject

Reach = Literal["personal", "tenant_shared"]
Status = Literal["active", "deprecated", "deleted"]
Source = Literal["profile_seed", "explicit_user", "inferred", "admin_system"]

Review = Literal["held", "approved", "rejected"]

VALUE_BYTES = 64 * 1024
_SEGMENT = "[a-z0-9_][a-z0-9_-]*"
_KEY = re.compile(rf"\A{_SEGMENT}(?:\.{_SEGMENT})+")
_ATTRIBUTE = re.compile(_SEGMENT)
_PREFIX = re.compile(rf"\A{_SEGMENT}(?:\.{_SEGMENT})*")


class Memory(msgspec.Struct, frozen=True, kw_only=True):
    """One durable fact. Its value never changes: a new value is a new memory that supersedes it."""

    tenant: str
    user: str
    id: str
    scope: Reach
    category: str
    key: str
    value: Any
    confidence: float
    status: Status
    source: Source
    source_ref: str | None = None
    conversation: str | None = None
    origin: Origin = Origin.USER_SAID
    suppressed: bool = False
    supersedes: str | None = None
    evidence: str | None = None
    subject: str | None = None
    """The subject: `me`, `company`, or a name; none where it is not known."""
    attribute: str | None = None
    """The attribute that its value belongs to, such as `price` or `place`."""
    attribute_span: ValueSpan | None = None
    """Part of a statement that is the value of its attribute, where the reading was sure."""
    attribute_value: str | None = None
    """The value of the attribute: that part of a statement, or all of a slot. Read from `value`, never given."""
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    """The time for which it is true, if that was stated; not the time at which it was said."""
    follows: str | None = None
    """The memory that it changed in part; the rest of that memory stays valid."""
    because: str | None = None
    """The rule that set it, when its condition came true."""
    doubted_at: datetime | None = None
    doubted_by: str | None = None
    """The time since which it may no longer hold, and the memory whose change raised the doubt."""
    created_at: datetime
    updated_at: datetime

    def __post_init__(self) -> None:
        # Whatever was given: no memory shows words that its value does not have.
        words = value_of_attribute(self.key, self.value, self.attribute_span)
        msgspec.structs.force_setattr(self, "attribute_value", words)

    @property
    def owner(self) -> str:
        """Return the owner: the user, or the whole tenant."""
        return SHARED if self.scope == "tenant_shared" else self.user


class MemoryStanding(msgspec.Struct, frozen=True, kw_only=True):
    """The words of a memory, and whether they still hold: what a note on a retelling needs of it."""

    value: Any
    evidence: str | None
    status: Status
    doubted_at: datetime | None
    updated_at: datetime


class TimelineValue(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One value of a statement: when it was said, when it held, and the rule that set it."""

    memory: str
    value: Any
    attribute_value: str | None = None
    said_at: datetime
    since: datetime
    until: datetime | None = None
    because: str | None = None
    doubted_at: datetime | None = None


class DraftOptions(TypedDict, total=False):
    """Optional fields of a draft: everything but its key and value."""

    category: str
    scope: Reach
    confidence: float
    source: Source
    source_ref: str
    conversation: str
    origin: Origin
    evidence: str
    insists: bool
    subject: str
    attribute: str


class MemoryDraft(msgspec.Struct, frozen=True, kw_only=True):
    """A candidate memory before the gate has judged it; validated when it is created."""

    key: str
    value: Any
    category: str | None = None
    scope: Reach | None = None
    confidence: float = 1.0
    source: Source = "explicit_user"
    source_ref: str | None = None
    conversation: str | None = None
    origin: Origin = Origin.USER_SAID
    evidence: str | None = None
    insists: bool = False
    subject: str | None = None
    attribute: str | None = None
    attribute_span: ValueSpan | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    follows: str | None = None
    because: str | None = None

    def __post_init__(self) -> None:
        check_key("key", self.key)
        check_value("value", self.value)
        check_between("confidence", self.confidence, 0, 1)
        check_member("scope", self.scope, Reach, optional=True)
        check_member("source", self.source, Source)
        check_origin("origin", self.origin)
        for field in ("source_ref", "conversation"):
            if getattr(self, field) is not None:
                check_name(field, getattr(self, field))
        if self.evidence is not None:
            check_text("evidence", self.evidence, max_bytes=VALUE_BYTES)
        if self.subject is not None:
            msgspec.structs.force_setattr(self, "subject", check_subject("subject", self.subject))
        if self.attribute is not None:
            check_attribute("attribute", self.attribute)
        check_attribute_span("attribute_span", self.attribute_span, key=self.key, value=self.value)
        if not isinstance(self.value, str | bool | int | float):
            # As it reads when it comes back: the same value given twice is then the same.
            msgspec.structs.force_setattr(self, "value", msgspec.json.decode(msgspec.json.encode(self.value)))

    @property
    def plain_value(self) -> Value:
        """Return the value as the gate reads it: scalars unchanged, anything else as JSON text."""
        if isinstance(self.value, str | bool | int | float):
            return self.value
        return msgspec.json.encode(self.value).decode()

    @property
    def told_subject(self) -> str | None:
        """Return whom or what it is about: as given, else as its key tells it; None where neither does."""
        return self.subject or subject_of(self.key) or None

    @property
    def told_attribute(self) -> str:
        """Return the attribute of its value: as given, else as its key tells it."""
        return self.attribute or attribute_of(self.key)


class MemoryFilterOptions(TypedDict, total=False):
    """Optional arguments that narrow a list of memories."""

    category: str | None
    scope: Reach | None
    source: Source | None
    status: Status | None
    prefix: str | None
    conversation: str | None
    suppressed: bool | None
    subject: str | None
    attribute: str | None


class MemoryFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Filter on memories; None means any."""

    category: str | None = None
    scope: Reach | None = None
    source: Source | None = None
    status: Status | None = "active"
    prefix: str | None = None
    conversation: str | None = None
    suppressed: bool | None = None
    subject: str | None = None
    attribute: str | None = None

    def __post_init__(self) -> None:
        check_member("scope", self.scope, Reach, optional=True)
        check_member("source", self.source, Source, optional=True)
        check_member("status", self.status, Status, optional=True)
        if self.prefix is not None:
            check_prefix("prefix", self.prefix)
        for field in ("category", "conversation"):
            if getattr(self, field) is not None:
                check_name(field, getattr(self, field))
        if not isinstance(self.suppressed, bool | None):
            raise InvalidInput("suppressed", "must be true or false")
        if self.subject is not None:
            check_subject("subject", self.subject)
        if self.attribute is not None:
            check_attribute("attribute", self.attribute)

    @property
    def names_subject(self) -> bool:
        """Return whether the list is narrowed to a subject or an attribute."""
        return self.subject is not None or self.attribute is not None

    def is_about(self, memory: Memory) -> bool:
        """Return whether a memory has the subject and the attribute that are asked for."""
        if self.attribute is not None and (memory.attribute or attribute_of(memory.key)) != self.attribute:
            return False
        return self.subject is None or _is_about(memory, self.subject)


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """One attempt to keep something, and the verdict of the gate, without the content."""

    tenant: str
    user: str
    id: str
    at: datetime
    worthy: bool
    verdict: str
    reason: str
    key: str | None = None
    category: str | None = None
    source: Source = "explicit_user"
    memory: str | None = None


class Proposal(msgspec.Struct, frozen=True, kw_only=True):
    """A question to the person that waits for an answer until it expires."""

    tenant: str
    user: str
    id: str
    kind: Literal["save", "correct", "forget", "suppress", "erase", "confirm"]
    asks: Asks
    questions: dict[str, str]
    """The question in every language that has a pack."""
    key: str | None = None
    value: Any = None
    candidates: tuple[str, ...] = ()
    wish: dict[str, Any] | None = None
    reason: str
    status: Literal["open", "confirmed", "refused", "corrected", "expired"] = "open"
    created_at: datetime
    expires_at: datetime

    def question(self, language: str) -> str:
        """Return the question in a language; in English if that language has no pack."""
        return self.questions.get(language) or self.questions["en"]


class Quarantined(msgspec.Struct, frozen=True, kw_only=True):
    """Text that tried to give orders: quarantined for review, never recalled and never given to a model."""

    tenant: str
    user: str
    id: str
    text: str
    reason: str
    wish: dict[str, Any] | None = None
    origin: Origin = Origin.USER_SAID
    source_ref: str | None = None
    conversation: str | None = None
    status: Review = "held"
    created_at: datetime
    reviewed_at: datetime | None = None
    reviewed_by: str | None = None


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """Outcome of a draft or a message: the gate's verdict, and the changes that followed."""

    verdict: AnyVerdict | None = None
    memories: tuple[Memory, ...] = ()
    replaced: tuple[Memory, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    quarantined: tuple[Quarantined, ...] = ()

    @property
    def memory(self) -> Memory | None:
        """Return the memory that is active now, if any."""
        return self.memories[0] if self.memories else None

    @property
    def nothing_done(self) -> bool:
        """Return whether nothing was saved, changed, ended, asked or quarantined."""
        return not (self.memories or self.replaced or self.proposals or self.quarantined)

    @property
    def refusal(self) -> AnyVerdict | None:
        """Return the verdict, if the text was refused as a whole or in part, or led to nothing."""
        partly = isinstance(self.verdict, Refuse)
        return self.verdict if partly or not (self.memories or self.replaced) else None

    @property
    def question(self) -> Proposal | None:
        """Return the question to ask the person, if any."""
        return self.proposals[0] if self.proposals else None


def _is_about(memory: Memory, subject: str) -> bool:
    """Return whether a memory is about a subject: of the same name, and no person where a project is asked for."""
    other = kind_of_key(memory.key) == "person" and is_project(subject)
    return not other and same_subject(memory.subject or subject_of(memory.key), subject)


def edition_of(memory: Memory) -> str:
    """Return a tag that changes whenever anything about the memory does."""
    return hashlib.sha256(msgspec.json.encode(memory)).hexdigest()[:24]


def check_key(field: str, value: object) -> str:
    """Check a dotted key of a namespace and a name: `user.name`."""
    if value == "" or not isinstance(value, str) or value.isspace():
        raise InvalidInput(field, "must not be empty")
    check_name(field, value)
    if "." not in value.strip("."):
        raise InvalidInput(field, f"must have a namespace, as in `user.name`, and {value!r} has none")
    if not _KEY.fullmatch(value):
        raise InvalidInput(field, "must be plain lower-case words joined by dots, as in `user.role_title`")
    return value


def is_key(text: str) -> bool:
    """Return whether a text has the form of a key."""
    return _KEY.fullmatch(text) is not None


def check_subject(field: str, value: object) -> str:
    """Check a subject, `me`, `company` or a name, and return it without what leads up to it."""
    named = canonical_subject(check_name(field, value))
    if not named:
        raise InvalidInput(field, "must have letters or figures: `me`, `company` or a name")
    return named


def check_attribute(field: str, value: object) -> str:
    """Check the name of an attribute: one segment of a key, as in `price`."""
    if not isinstance(value, str) or not _ATTRIBUTE.fullmatch(value):
        raise InvalidInput(field, "must be one plain lower-case word, as in `price` or `role_title`")
    return check_name(field, value)


def check_prefix(field: str, value: object) -> str:
    """Check a key prefix: `user`, or `people.ana`; never a pattern."""
    if not isinstance(value, str) or not _PREFIX.fullmatch(value):
        raise InvalidInput(field, "must be whole segments of a key, as in `user` or `people.ana`")
    return check_name(field, value)


def check_value(field: str, value: object) -> None:
    """Check a value: non-empty text or JSON of at most 64 KiB."""
    if value is None or (isinstance(value, list | tuple | dict) and not value):
        raise InvalidInput(field, "must not be empty")
    if isinstance(value, str):
        check_text(field, value, max_bytes=VALUE_BYTES)
    elif isinstance(value, float) and not math.isfinite(value):
        raise InvalidInput(field, "must be a finite number")
    else:
        check_json(field, value, max_bytes=VALUE_BYTES)


def check_origin(field: str, value: object) -> None:
    """Check the origin of a text."""
    if not isinstance(value, Origin):
        raise InvalidInput(field, f"must be an Origin: {', '.join(Origin)}")


def check_why(field: str, value: object) -> None:
    """Check an optional reason in free text."""
    if value != "":
        check_text(field, value, max_bytes=REASON_BYTES)


def check_member(field: str, value: object, kind: Any, *, optional: bool = False) -> None:
    """Check that a value is one of a fixed set."""
    if not (optional and value is None) and value not in get_args(kind):
        raise InvalidInput(field, f"must be one of {', '.join(get_args(kind))}")
