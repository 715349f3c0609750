"""Fits items to a token budget: by priority, with a floor and a cap for each section; pure and deterministic.

First every section gets what fits its floor, so that nothing important is crowded out; then, in the same order,
what fits its cap. What did not fit is named, with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from rememora.domain.context import SECTIONS, Item, LeftOut, Omission, Section

Cost = Callable[[Item], int]
"""Tokens an item takes as it is written down."""

LEAST_CUT_TOKENS = 24
ELLIPSIS = " …"
CLOSE_ENOUGH = 0.97
"""Which part of the space a cut has to fill: the last tokens would cost more to find than they tell."""


class Share(msgspec.Struct, frozen=True, kw_only=True):
    """A section's part of the budget; `in_a_row` keeps only the newest items without a gap between them."""

    section: Section
    floor: float = 0.0
    cap: float = 1.0
    in_a_row: bool = False
    cuttable: bool = False


SHARES: tuple[Share, ...] = (
    Share(section="done", floor=0.05, cap=0.3),
    Share(section="questions", floor=0.03, cap=0.1),
    Share(section="mode", floor=0.02, cap=0.1),
    Share(section="profile", floor=0.1, cap=0.25),
    Share(section="recent", floor=0.25, in_a_row=True, cuttable=True),
    Share(section="memories", floor=0.15, cap=0.4),
    Share(section="related", floor=0.1, cap=0.35, cuttable=True),
    Share(section="summary", floor=0.1, cap=0.3, cuttable=True),
    Share(section="mission", floor=0.03, cap=0.35, cuttable=True),
    Share(section="entities", floor=0.04, cap=0.15),
    Share(section="operations", floor=0.04, cap=0.2),
    Share(section="tasks", floor=0.03, cap=0.15),
    Share(section="artifacts", floor=0.03, cap=0.15),
    Share(section="tenant", floor=0.02, cap=0.1),
)
"""Who is served first, and with how much; the floors add up to less than the whole."""


class Fitted(msgspec.Struct, frozen=True, kw_only=True):
    """What fits, in the order of writing, and what does not."""

    items: tuple[Item, ...]
    left_out: tuple[LeftOut, ...]
    tokens: int


class _Ledger:
    """What is spent so far."""

    def __init__(self, room: int) -> None:
        self.left = room
        self.spent: dict[Section, int] = {}
        self.kept: dict[int, Item] = {}
        self.why: dict[int, Omission] = {}

    def take(self, index: int, item: Item, price: int) -> None:
        """Keep an item; `price` holds its section's heading where it is the first."""
        self.left -= price
        self.spent[item.section] = self.spent.get(item.section, 0) + price
        self.kept[index] = item
        self.why.pop(index, None)


def fit(
    items: Sequence[Item],
    *,
    budget: int,
    cost: Cost,
    frame: int = 0,
    headings: Mapping[Section, int] | None = None,
    shares: Sequence[Share] = SHARES,
) -> Fitted:
    """The items that fit `budget` tokens; `frame` is what goes before them, `headings` what opens a section."""
    room = max(0, budget - frame)
    numbered = list(enumerate(msgspec.structs.replace(item, tokens=cost(item)) for item in items))
    ledger = _Ledger(room)
    opening = headings or {}
    own: dict[Section, list[tuple[int, Item]]] = {share.section: [] for share in shares}
    for pair in numbered:
        own.setdefault(pair[1].section, []).append(pair)
    for part in ("floor", "cap"):
        for share in shares:
            allowance = int(getattr(share, part) * room)
            _serve(ledger, share, own[share.section], allowance=allowance, opening=opening.get(share.section, 0))
    for share in shares:
        _cut_first(ledger, share, own[share.section], room=room, opening=opening.get(share.section, 0), cost=cost)
    return _fitted(ledger, numbered, frame=frame)


def _serve(
    ledger: _Ledger, share: Share, own: Sequence[tuple[int, Item]], *, allowance: int, opening: int
) -> None:
    """Take what fits the allowance, best or newest first."""
    blocked = False
    for index, item in reversed(own) if share.in_a_row else own:
        if index in ledger.kept:
            continue
        spent = ledger.spent.get(share.section, 0)
        price = item.tokens + (0 if spent else opening)
        if blocked:
            ledger.why[index] = "older"
        elif price <= ledger.left and spent + price <= allowance:
            ledger.take(index, item, price)
        else:
            ledger.why[index] = "budget" if price > ledger.left else "cap"
            blocked = share.in_a_row


def _cut_first(
    ledger: _Ledger,
    share: Share,
    own: Sequence[tuple[int, Item]],
    *,
    room: int,
    opening: int,
    cost: Cost,
) -> None:
    """A section whose first item alone is too long gets the beginning of it, rather than nothing."""
    if not share.cuttable or not own or share.section in ledger.spent:
        return
    index, item = own[-1] if share.in_a_row else own[0]
    space = min(ledger.left, int(share.cap * room)) - opening
    shorter = cut(item, space, cost=cost) if space >= LEAST_CUT_TOKENS else None
    if shorter is not None:
        ledger.take(index, shorter, shorter.tokens + opening)


def cut(item: Item, space: int, *, cost: Cost) -> Item | None:
    """A beginning of an item within `space` tokens, as long as it can be or close to it, or None."""
    low, high = 0, len(item.text)
    best: Item | None = None
    # Tokens grow about as the text does: a guess by that comes close at once, halving makes sure.
    middle = len(item.text) * space // max(cost(item), 1)
    while low < high:
        middle = min(max(middle, low + 1), high)
        shorter = msgspec.structs.replace(item, text=item.text[:middle].rstrip() + ELLIPSIS, cut=True)
        tokens = cost(shorter)
        if tokens <= space:
            low, best = middle, msgspec.structs.replace(shorter, tokens=tokens)
            if tokens >= space * CLOSE_ENOUGH:
                break
        else:
            high = middle - 1
        middle = middle * space // max(tokens, 1) if low and middle == low else (low + high + 1) // 2
    return best


def _fitted(ledger: _Ledger, numbered: Sequence[tuple[int, Item]], *, frame: int) -> Fitted:
    order = {section: place for place, section in enumerate(SECTIONS)}
    kept = sorted(ledger.kept.items(), key=lambda pair: (order[pair[1].section], pair[0]))
    left_out = tuple(
        LeftOut(
            section=item.section, kind=item.kind, id=item.id, tokens=item.tokens, why=ledger.why.get(index, "cap")
        )
        for index, item in numbered
        if index not in ledger.kept
    )
    spent = sum(ledger.spent.values())
    return Fitted(items=tuple(item for _, item in kept), left_out=left_out, tokens=spent + frame if kept else 0)
