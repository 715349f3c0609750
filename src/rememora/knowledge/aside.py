"""What is set aside instead of being kept: questions to the person, and text that gives orders."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Literal

import msgspec

from rememora.domain.ids import new_id
from rememora.domain.memory import Memory, MemoryFilter, Proposal, Quarantined, Wish
from rememora.domain.verdict import AnyVerdict, Origin
from rememora.knowledge.desk import Hand
from rememora.language.labels import told

SHOWN_CHARACTERS = 120
Act = Literal["correct", "forget", "suppress"]

_WHICH = {
    "forget": ("Qual destas devo esquecer?", "Which of these should I forget?"),
    "suppress": ("Qual destas não devo mais mencionar?", "Which of these should I not mention again?"),
    "correct": ("Qual destas está errada?", "Which of these is wrong?"),
    "erase": (
        "Qual destas devo apagar definitivamente, sem volta?",
        "Which of these should I erase for good, with no way back?",
    ),
}
_WHETHER = {
    "forget": ("Devo esquecer isto: {what}?", "Should I forget this: {what}?"),
    "suppress": ("Devo não mencionar mais isto: {what}?", "Should I not mention this again: {what}?"),
    "erase": (
        "Vou apagar definitivamente, sem volta: {what}. Confirma? (sim/não)",
        "I will erase for good, with no way back: {what}. Do you confirm? (yes/no)",
    ),
}
_PERSON = (
    "tudo o que guardo sobre você, {memories} memória(s) e {conversations} conversa(s)",
    "everything I keep about you, {memories} memories and {conversations} conversation(s)",
)
COUNTED = 1_000_000


def ask_to_save(hand: Hand, wish: Wish, *, reason: str) -> Proposal:
    """Ask whether something may be kept; asked again, the same question stays one."""
    for waiting in hand.work.proposals.all(hand.scope, status="open"):
        if waiting.kind == "save" and (waiting.key, waiting.value) == (wish.key, wish.value):
            return waiting
    pt, en = (_named(wish.key, wish.value, tongue) for tongue in ("pt", "en"))
    if wish.evidence is not None:
        pt = en = f"“{shown(wish.evidence)}”"
    return _ask(
        hand,
        kind="save",
        pt=f"Posso guardar isto: {pt}?",
        en=f"May I remember this: {en}?",
        reason=reason,
        key=wish.key,
        value=wish.value,
        wish=wish_fields(wish),
    )


def ask_value(hand: Hand, memory: Memory) -> Proposal:
    """Ask for the right value of something that is wrong."""
    pt, en = (_named(memory.key, memory.value, tongue) for tongue in ("pt", "en"))
    return _ask(
        hand,
        kind="correct",
        pt=f"Eu tinha guardado {pt}. Qual é o certo?",
        en=f"I had noted {en}. What is right?",
        reason="correct.value_missing",
        key=memory.key,
        candidates=(memory.id,),
    )


def ask_which(hand: Hand, kind: Act, memories: Sequence[Memory], *, value: Any = None) -> Proposal:
    """One question with the candidates, when it is not clear which memory is meant."""
    pt, en = _which(kind, memories)
    return _ask(
        hand,
        kind=kind,
        pt=pt,
        en=en,
        reason=f"{kind}.ambiguous",
        value=value,
        candidates=tuple(memory.id for memory in memories),
    )


def ask_to_erase(hand: Hand, memories: Sequence[Memory] | None, *, within: timedelta) -> Proposal:
    """Ask for a yes before these memories, or with None the whole person, are erased for good."""
    if memories is None:
        counts = {
            "memories": len(hand.work.memories.page(hand.scope, MemoryFilter(scope="personal"), limit=COUNTED)),
            "conversations": len(hand.work.conversations.newest(hand.scope, limit=COUNTED, before=None)),
        }
        pt, en = (
            ask.format(what=what.format(**counts)) for ask, what in zip(_WHETHER["erase"], _PERSON, strict=True)
        )
    else:
        pt, en = _which("erase", memories)
    asked = _ask(
        hand,
        kind="erase",
        pt=pt,
        en=en,
        reason="erase.confirm",
        candidates=tuple(memory.id for memory in memories or ()),
        wish={"conversation": hand.scope.conversation},
        within=within,
    )
    for earlier in hand.work.proposals.all(hand.scope, status="open"):
        if earlier.kind == "erase" and earlier.wish == asked.wish and earlier.id != asked.id:
            hand.work.proposals.close(hand.scope, earlier.id, status="refused")
    return asked


def _which(kind: str, memories: Sequence[Memory]) -> tuple[str, str]:
    """Return a question about memories in both languages: whether, of one; which, of several."""
    pt, en = ([_named(each.key, each.value, tongue) for each in memories] for tongue in ("pt", "en"))
    if len(memories) == 1 and (whether := _WHETHER.get(kind)):
        return whether[0].format(what=pt[0]), whether[1].format(what=en[0])
    first = _WHICH[kind]
    return _numbered(first[0], pt), _numbered(first[1], en)


def _numbered(first: str, lines: Sequence[str]) -> str:
    return "\n".join([first, *(f"{number}. {line}" for number, line in enumerate(lines, 1))])


def hold(
    hand: Hand, text: str, verdict: AnyVerdict, *, wish: Wish | None = None, ref: str | None = None
) -> Quarantined:
    """Keep a text that gives orders apart from everything known, for a reviewer."""
    held = Quarantined(
        tenant=hand.scope.tenant,
        user=hand.scope.user,
        id=new_id(),
        text=text,
        reason=verdict.reason,
        wish=None if wish is None else wish_fields(wish),
        origin=verdict.origin if wish is None else wish.origin,
        source_ref=ref if wish is None else wish.source_ref,
        conversation=hand.scope.conversation if wish is None else wish.conversation,
        created_at=hand.now,
    )
    hand.work.quarantine.add(hand.scope, held)
    hand.record("quarantine", why=verdict.reason, after={"quarantined": held.id})
    return held


def wish_fields(wish: Wish) -> dict[str, Any]:
    """A wish as it waits in a row."""
    fields: dict[str, Any] = msgspec.to_builtins(wish)
    return fields


def wish_of(fields: dict[str, Any]) -> Wish:
    """The wish that waited in a row."""
    return Wish(**{**fields, "origin": Origin(fields["origin"])})


def _named(key: str, value: Any, language: str) -> str:
    return told(key, value, shown(value), language)


def shown(value: object) -> str:
    """A value as a question shows it."""
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[: SHOWN_CHARACTERS - 1]}…"


def _ask(hand: Hand, *, pt: str, en: str, within: timedelta | None = None, **fields: Any) -> Proposal:
    proposal = Proposal(
        tenant=hand.scope.tenant,
        user=hand.scope.user,
        id=new_id(),
        question_pt=pt,
        question_en=en,
        created_at=hand.now,
        expires_at=hand.now + (within or timedelta(days=hand.settings.knowledge.proposal_days)),
        **fields,
    )
    hand.work.proposals.add(hand.scope, proposal)
    hand.record("propose", why=proposal.reason, after={"proposal": proposal.id})
    return proposal
