"""Verdicts of the gate on a text: nouns shared by the gate, knowledge and every interface."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Literal

import msgspec

from rememora.domain.value_span import MarkedSpan


class Origin(StrEnum):
    """Source of a text; it travels with every candidate."""

    DOCUMENT = "document"
    TOOL = "tool"
    ASSISTANT = "assistant"
    USER_SAID = "user_said"
    OPERATOR = "operator"

    @property
    def trust(self) -> int:
        """Rank of this origin, from text that anybody could have written to text of the operator."""
        return _TRUST[self]

    @property
    def first_hand(self) -> bool:
        """Return whether the person or the operator spoke, rather than a third party."""
        return self in (Origin.USER_SAID, Origin.OPERATOR)


_TRUST = {origin: rank for rank, origin in enumerate(Origin)}


def lowest_trust(origins: Iterable[Origin]) -> Origin:
    """Return the origin of combined pieces: consolidation never raises trust."""
    return min(origins, key=lambda origin: origin.trust)


class TextSpan(msgspec.Struct, frozen=True, kw_only=True):
    """Part of the judged text that a verdict or a fact is based on."""

    start: int
    end: int
    text: str


class VerdictReason(msgspec.Struct, frozen=True, kw_only=True):
    """The reason for a verdict in Portuguese and English, and in each other language that has a pack."""

    pt: str
    en: str
    others: dict[str, str] = {}
    """The reason by language code, beside Portuguese and English."""

    def told_in(self, language: str) -> str:
        """Return the reason in a language; in English where it has none there."""
        return self.pt if language == "pt" else self.others.get(language, self.en)


Value = str | bool | int | float | None


class Utterance(msgspec.Struct, frozen=True, kw_only=True):
    """The reader's view of a fact: its act (state, change, correct), attribute and subject."""

    act: str = "tell"
    attribute: str = "other"
    subject: str = ""
    marked: tuple[MarkedSpan, ...] = ()
    """Parts of the fact's value that the reader takes for values of the attribute."""


class Fact(msgspec.Struct, frozen=True, kw_only=True):
    """One possible fact: a dotted key, a value and the text it was read from."""

    key: str
    value: Value
    category: str
    confidence: float
    origin: Origin = Origin.USER_SAID
    evidence: TextSpan | None = None
    said: Utterance | None = None

    @property
    def subject(self) -> str:
        """Return the subject of the fact: `user`, `tenant`, or the person named in a `people.` key."""
        namespace, _, rest = self.key.partition(".")
        return f"people.{rest.partition('.')[0]}" if namespace == "people" else namespace


class WordWeight(msgspec.Struct, frozen=True, kw_only=True):
    """A word of the judged text, and how much of the chance of a decision is lost without it.

    The weight is negative where the word speaks against the decision.
    """

    start: int
    end: int
    text: str
    weight: float


DecidedBy = Literal["reader", "rule", "comparison"]


class ExplainedDecision(msgspec.Struct, frozen=True, kw_only=True):
    """One decision about a text or a part of it, and the words that spoke for it, the weightiest first."""

    by: DecidedBy
    decision: str
    """Name of the decision: a label of the whole text or an act of a part (reader), the name of the rule, or
    `touches` where a known statement is touched (comparison)."""
    chance: float
    span: TextSpan
    words: tuple[WordWeight, ...] = ()
    said: Utterance | None = None
    """Statement of a part, set where the reader found one in it."""
    values: tuple[str, ...] = ()
    memory: str | None = None
    """Id of the known memory that was compared, and its value as text in `known`."""
    known: str = ""


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """A key and a value that somebody proposes, before the gate has judged them."""

    key: str
    value: Value
    category: str | None = None
    confidence: float = 1.0
    origin: Origin = Origin.USER_SAID
    explicit: bool = False
    seeded: bool = False
    evidence: TextSpan | None = None


def combine(candidates: Iterable[Candidate], *, key: str, value: Value) -> Candidate:
    """One candidate consolidated from several: lowest trust, lowest confidence, explicit only if all were."""
    parts = tuple(candidates)
    return Candidate(
        key=key,
        value=value,
        confidence=min(part.confidence for part in parts),
        origin=lowest_trust(part.origin for part in parts),
        explicit=all(part.explicit for part in parts),
        seeded=all(part.seeded for part in parts),
    )


class Verdict(msgspec.Struct, frozen=True, kw_only=True, tag_field="verdict"):
    """Decision of the gate, with everything needed to explain it; `words` are filled in where asked for."""

    reason: str
    why: VerdictReason
    confidence: float
    evidence: TextSpan | None = None
    facts: tuple[Fact, ...] = ()
    origin: Origin = Origin.USER_SAID
    words: tuple[ExplainedDecision, ...] = ()

    @property
    def label(self) -> str:
        """Name of the verdict as evaluation sets write it."""
        return str(type(self).__struct_config__.tag)


class Save(Verdict, frozen=True, kw_only=True, tag="save"):
    """It may be saved; `explicit` if the person asked for it. `unsure` lists more facts to ask about."""

    explicit: bool = False
    unsure: tuple[Fact, ...] = ()


class Ask(Verdict, frozen=True, kw_only=True, tag="ask"):
    """It may be saved if the person confirms it."""


class Refuse(Verdict, frozen=True, kw_only=True, tag="reject"):
    """It is not saved; `sensitive` if the reason is what it would reveal. `facts` stand beside that, and are."""

    sensitive: bool = False

    @property
    def label(self) -> str:
        """Name of the verdict as evaluation sets write it."""
        return "sensitive" if self.sensitive else "reject"


class Quarantine(Verdict, frozen=True, kw_only=True, tag="quarantine"):
    """It tries to give the agent orders: quarantined for review, never recalled, never given to a model."""


class Forget(Verdict, frozen=True, kw_only=True, tag="forget"):
    """The person wants something removed; `target` is `all`, a key, or a description."""

    target: str
    key: str | None = None


class Correct(Verdict, frozen=True, kw_only=True, tag="correct"):
    """The person says that a memory is wrong; `value` is None if the correct one is not given."""

    key: str | None = None
    value: Value = None


AnyVerdict = Save | Ask | Refuse | Quarantine | Forget | Correct
