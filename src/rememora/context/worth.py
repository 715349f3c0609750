"""Scores each item against the question, on one scale, so that statements and passages can compete for tokens.

Worth is the probability that an item is the answer. For a search hit it follows from its rank and from its score
relative to the best one; the numbers were fitted on questions with known answers.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

import msgspec

from rememora.domain.context import Item, Section
from rememora.language import tokens

PASSAGES: tuple[Section, ...] = ("past", "related")

# Logistic regression over the first 80 hits of the tuning questions: the chance that a hit is the evidence.
OFFSET, BY_PLACE, BY_SCORE = -0.04, -1.07, 2.96
LEAST_SHARE = 1e-3
LEAST_COVERED = 0.1
QUOTE_CHARACTERS, QUOTED = 150, 0.6
"""Factor of a long memory that is mostly a quotation: for the same tokens the message has the exact words."""

RETOLD = 0.5
"""Factor of an episode or a summary, which repeats what messages say."""
KNOWN = 0.01
"""Worth of a memory that the search did not find: it is about the person, hardly about the question."""
MENTIONED = 0.004
"""Worth of a name or a figure that the person mentions often."""
SUMMARY = 0.5
"""Worth of the summary of this conversation: parts of it are relevant to most questions."""
SET_BY_OPERATOR = 1.0


def weighed(items: Sequence[Item]) -> list[Item]:
    """Return the items, with the worth of each that competes for the budget."""
    # A passage that is among the newest messages is shown anyway: it has no worth of its own.
    recent = frozenset(str(item.id) for item in items if item.section == "recent" and item.id)
    passages = _chances([item for item in items if item.section in PASSAGES], excluded=recent)
    statements = _chances([item for item in items if item.section == "memories" and item.score > 0])
    turns = {str(item.id): item for item in items if item.section in PASSAGES and item.kind == "message"}
    chances = passages | statements
    return [
        msgspec.structs.replace(item, worth=worth) if (worth := _worth(item, chances, turns)) else item
        for item in items
    ]


def chance(place: int, share: float) -> float:
    """Return the probability that the hit at a rank (0 the best) with that share of the best score answers."""
    logit = OFFSET + BY_PLACE * math.log(place + 1) + BY_SCORE * math.log(max(share, LEAST_SHARE))
    return 1 / (1 + math.exp(-logit))


def covered(turn: Item, statement: Item) -> float:
    """Return the share of a message's words that a memory learned from it contains."""
    said = frozenset(tokens(turn.text))
    plain = f"{statement.key or ''} {statement.text}".replace(".", " ").replace("_", " ")
    return len(said.intersection(tokens(plain))) / len(said) if said else 1.0


def _share(turn: Item, statement: Item) -> float:
    """Return the share of its worth that a memory keeps next to its message, which replaces it if it says more."""
    if len(statement.text) >= max(QUOTE_CHARACTERS, QUOTED * len(turn.text)):
        return LEAST_COVERED
    return max(LEAST_COVERED, covered(turn, statement))


def _chances(hits: Sequence[Item], *, excluded: Collection[str] = ()) -> dict[int, float]:
    """Return the probability of each hit, by identity; messages in the window do not count as ranks."""
    ordered = sorted(hits, key=lambda item: -item.score)
    best = max((_unbounded(item) for item in ordered if item.id not in excluded), default=0.0)
    chances: dict[int, float] = {}
    place = 0
    for item in ordered:
        share = min(1.0, _unbounded(item) / best) if best > 0 else 1.0
        chances[id(item)] = chance(place, share) * (RETOLD if item.kind in ("episode", "summary") else 1.0)
        # A message that the window holds anyway takes no rank from the others.
        place += item.id not in excluded
    return chances


def _unbounded(item: Item) -> float:
    """Return the score before it was scaled to the range from 0 to 1, which ratios refer to."""
    return item.score / max(1 - item.score, 1e-6)


def _worth(item: Item, chances: Mapping[int, float], turns: Mapping[str, Item]) -> float:
    if item.section in PASSAGES:
        return chances[id(item)]
    if item.section == "memories":
        if item.trust == "operator":
            return SET_BY_OPERATOR
        worth = max(KNOWN, chances.get(id(item), 0.0))
        # What a statement leaves out of the message it was learned from, the message would tell.
        turn = turns.get(item.source or "")
        return worth if turn is None else worth * _share(turn, item)
    return {"entities": MENTIONED, "summary": SUMMARY}.get(item.section, 0.0)
