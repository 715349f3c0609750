"""Fits items to a token budget; pure and deterministic.

Sections that belong to every turn (profile, newest messages, tasks …) are served by priority: first up to their
floors, then up to their caps. Memories, passages, entities and the summary compete for the rest by worth per
token, and part of the budget is reserved for them. Everything that is left out is named, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from rememora.context.compete import Cost, Pool, Prices, choose
from rememora.context.day_lines import day_key
from rememora.domain.context import SECTIONS, Item, LeftOut, Omission, Section

RETOLD = ("episode", "summary")
LEAST_CHARACTERS = 12
"""Minimum length of a line that counts as a repetition; shorter ones ("sim, pode ser") occur in many messages."""
_SPEAKER = re.compile(r"^\W*(?:user|assistant|tool): ")
_MARK = re.compile(r" \(no longer true since [^()]*\)$")
_ENDS = " .!?…"


LEAST_CUT_TOKENS = 24
ELLIPSIS = " …"
CLOSE_ENOUGH = 0.97
"""Share of the space that a cut has to fill; a tighter fit would cost more time than it gains."""


class Share(msgspec.Struct, frozen=True, kw_only=True):
    """A section's share of the budget.

    `in_a_row` keeps only the newest items without gaps, and lets them use what is left over.
    The floors of sections that `compete` are shared by all of them.
    """

    section: Section
    floor: float = 0.0
    cap: float = 1.0
    in_a_row: bool = False
    cuttable: bool = False
    compete: bool = False


SHARES: tuple[Share, ...] = (
    Share(section="done", floor=0.05, cap=0.3),
    Share(section="questions", floor=0.03, cap=0.1),
    Share(section="mode", floor=0.02, cap=0.1),
    Share(section="profile", floor=0.1, cap=0.25),
    Share(section="recent", floor=0.25, cap=0.5, in_a_row=True, cuttable=True),
    Share(section="mission", floor=0.02, cap=0.35, cuttable=True),
    Share(section="operations", floor=0.04, cap=0.2),
    Share(section="tasks", floor=0.03, cap=0.15),
    Share(section="artifacts", floor=0.03, cap=0.15),
    Share(section="tenant", floor=0.02, cap=0.1),
    Share(section="memories", floor=0.15, compete=True),
    Share(section="past", floor=0.02, compete=True),
    Share(section="related", floor=0.1, compete=True),
    Share(section="summary", floor=0.1, cap=0.3, cuttable=True, compete=True),
    Share(section="entities", floor=0.04, cap=0.15, compete=True),
)
"""Priorities and shares of the sections; the floors add up to less than the whole."""


class Fitted(msgspec.Struct, frozen=True, kw_only=True):
    """Items that fit, in the order of writing, and those that do not."""

    items: tuple[Item, ...]
    left_out: tuple[LeftOut, ...]
    tokens: int


class _Ledger:
    """Return the tokens spent so far."""

    def __init__(self, room: int) -> None:
        self.room = self.left = room
        self.spent: dict[Section, int] = {}
        self.kept: dict[int, Item] = {}
        self.why: dict[int, Omission] = {}

    def take(self, index: int, item: Item, price: int) -> None:
        """Keep an item; `price` includes its section's heading if it is the first."""
        self.left -= price
        self.spent[item.section] = self.spent.get(item.section, 0) + price
        self.kept[index] = item
        self.why.pop(index, None)


class _SectionItems(msgspec.Struct, frozen=True):
    """The items of one section with their indexes, its share, and the cost of its heading."""

    share: Share
    items: list[tuple[int, Item]]
    opening: int


def fit(
    items: Sequence[Item],
    *,
    budget: int,
    prices: Prices,
    frame: int = 0,
    headings: Mapping[Section, int] | None = None,
    shares: Sequence[Share] = SHARES,
    least_worth: float = 0.0,
    query: str = "",
) -> Fitted:
    """Choose the items that fit `budget` tokens; `frame` is the fixed cost, `headings` the cost per section.

    Competing items below `least_worth` are left out, even if there is space; a long passage is excerpted
    around the words of the `query`.
    """
    # Numbered section by section: how layers interleave must not decide between two of the same worth.
    place = {share.section: n for n, share in enumerate(shares)}
    ordered = sorted(items, key=lambda item: place[item.section])
    numbered = list(enumerate(msgspec.structs.replace(item, tokens=prices.alone(item)) for item in ordered))
    ledger = _Ledger(max(0, budget - frame))
    opening = headings or {}
    sections = {share.section: _SectionItems(share, [], opening.get(share.section, 0)) for share in shares}
    for pair in numbered:
        sections[pair[1].section].items.append(pair)
    fixed = [section for section in sections.values() if not section.share.compete]
    rivals = [section for section in sections.values() if section.share.compete]
    _serve_fixed(ledger, fixed, kept_back=_kept_back(ledger.room, rivals), cost=prices.alone)
    _compete(ledger, rivals, prices=prices, least_worth=least_worth, query=query)
    for section in fixed:
        if section.share.in_a_row:
            _serve(ledger, section, allowance=ledger.room, spare=0)
    _drop_repeated(ledger, rivals, saved=prices.saved)
    _say_once(ledger, cost=prices.alone)
    return _fitted(ledger, numbered, frame=frame)


def _kept_back(room: int, rivals: Sequence[_SectionItems]) -> int:
    """Return the tokens that sections served first must leave: the floors of competing ones, or what they need."""
    return sum(
        min(int(section.share.floor * room), section.opening + sum(item.tokens for _, item in section.items))
        for section in rivals
        if section.items
    )


def _serve_fixed(ledger: _Ledger, fixed: Sequence[_SectionItems], *, kept_back: int, cost: Cost) -> None:
    for section in fixed:
        _serve(ledger, section, allowance=int(section.share.floor * ledger.room), spare=0)
    for section in fixed:
        _serve(ledger, section, allowance=int(section.share.cap * ledger.room), spare=kept_back)
    for section in fixed:
        _cut_first(ledger, section, spare=kept_back, cost=cost)


def _serve(ledger: _Ledger, section: _SectionItems, *, allowance: int, spare: int) -> None:
    """Take what fits the allowance and leaves `spare` tokens, best or newest first."""
    blocked = False
    share = section.share
    for index, item in reversed(section.items) if share.in_a_row else section.items:
        if index in ledger.kept:
            # Newest turns must follow each other: after one that does not fit, older ones would leave a gap in
            # the talk.
            blocked = blocked or (share.in_a_row and ledger.kept[index].cut)
            continue
        spent = ledger.spent.get(share.section, 0)
        price = item.tokens + (0 if spent else section.opening)
        if blocked:
            ledger.why[index] = "older"
        elif price <= ledger.left - spare and spent + price <= allowance:
            ledger.take(index, item, price)
        else:
            ledger.why[index] = "budget" if price > ledger.left else "cap"
            blocked = share.in_a_row


def _compete(
    ledger: _Ledger, rivals: Sequence[_SectionItems], *, prices: Prices, least_worth: float, query: str
) -> None:
    """Spend the rest by worth per token; a summary that is not worth all of it keeps its floor."""
    said = frozenset(str(item.id) for item in ledger.kept.values() if item.section == "recent" and item.id)
    known = {str(item.source): item for item in ledger.kept.values() if item.source}
    present = [section for section in rivals if section.items]
    # Headings of sections cost tokens too; they are set aside before anything competes.
    openings = sum(section.opening for section in present)
    promised = sum(_promised(ledger, section) for section in present)
    pool = Pool(
        candidates=[pair for section in present for pair in section.items],
        caps={
            section.share.section: int(section.share.cap * ledger.room) - section.opening for section in present
        },
        said=said,
        known=known,
        least_worth=least_worth,
        query=query,
        prices=prices,
    )
    chosen, why = choose(pool, room=ledger.left - openings - promised)
    ledger.why.update(why)
    opening = {section.share.section: section.opening for section in present}
    for index, item in chosen:
        ledger.take(index, item, item.tokens + (0 if item.section in ledger.spent else opening[item.section]))
    for section in present:
        _cut_first(ledger, section, spare=0, cost=prices.alone)


def _promised(ledger: _Ledger, section: _SectionItems) -> int:
    """Return the tokens reserved for the beginning of a section that can be cut."""
    if not section.share.cuttable:
        return 0
    return min(int(section.share.floor * ledger.room), section.items[0][1].tokens)


def _drop_repeated(ledger: _Ledger, rivals: Sequence[_SectionItems], *, saved: Cost) -> None:
    """Drop passages that are now among the newest messages, which got the left-over tokens."""
    said = frozenset(item.id for item in ledger.kept.values() if item.section == "recent" and item.id)
    for section in rivals:
        for index, item in section.items:
            kept = ledger.kept.get(index)
            if kept is not None and kept.section == "past" and kept.id in said:
                ledger.spent["past"] -= kept.tokens
                del ledger.kept[index]
                ledger.why[index] = "repeated"
                # It paid for its day; if others of that day are left, one of them has to pay now.
                if kept.tokens == item.tokens:
                    _pay_date(ledger, kept, saved=saved)
    _close_empty(ledger, "past")


def _pay_date(ledger: _Ledger, dropped: Item, *, saved: Cost) -> None:
    """Let another message of that day pay for the date, which the dropped one had paid."""
    day = day_key(dropped)
    for index, item in ledger.kept.items():
        if day is not None and day_key(item) == day:
            # What it pays is reckoned from a line of its own, whatever it pays now.
            price = saved(msgspec.structs.replace(item, tokens=0))
            ledger.kept[index] = msgspec.structs.replace(item, tokens=item.tokens + price)
            ledger.spent[item.section] += price
            return


def _say_once(ledger: _Ledger, *, cost: Cost) -> None:
    """Remove lines from summaries and episodes that a message in the pack repeats verbatim."""
    # Messages win over what retells them: they are the exact words.
    messages = [item for item in ledger.kept.values() if item.kind == "message"]
    for index, item in list(ledger.kept.items()):
        if item.kind not in RETOLD or (shorter := without_said(item, messages)) is item:
            continue
        tokens = 0 if shorter is None else cost(shorter)
        ledger.spent[item.section] -= item.tokens - tokens
        if shorter is not None:
            ledger.kept[index] = msgspec.structs.replace(shorter, tokens=tokens)
        else:
            del ledger.kept[index]
            ledger.why[index] = "repeated"
            _close_empty(ledger, item.section)


def _close_empty(ledger: _Ledger, section: Section) -> None:
    """Refund the heading of a section that has become empty."""
    if section in ledger.spent and not any(item.section == section for item in ledger.kept.values()):
        del ledger.spent[section]


def _cut_first(ledger: _Ledger, section: _SectionItems, *, spare: int, cost: Cost) -> None:
    """Cut the first item of a section if it alone is too long, instead of leaving the section empty."""
    share = section.share
    if not share.cuttable or not section.items or share.section in ledger.spent:
        return
    index, item = section.items[-1] if share.in_a_row else section.items[0]
    space = min(ledger.left - spare, int(share.cap * ledger.room)) - section.opening
    shorter = cut(item, space, cost=cost) if space >= LEAST_CUT_TOKENS else None
    if shorter is not None:
        ledger.take(index, shorter, shorter.tokens + section.opening)


def cut(item: Item, space: int, *, cost: Cost) -> Item | None:
    """Return a beginning of an item within `space` tokens, close to the longest possible; None if none fits."""
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


def without_said(item: Item, messages: Iterable[Item]) -> Item | None:
    """Return a summary or an episode without lines that a message repeats; None if nothing is left."""
    said = [_plain(message.text) for message in messages]
    lines = item.text.split("\n")
    left = [line for line in lines if not _is_said(line, said)]
    if len(left) == len(lines):
        return item
    # Topics over lines that are all told elsewhere tell nothing by themselves.
    has_speakers = any(_SPEAKER.match(line) for line in lines)
    rest = [line for line in left if line.strip() and (_SPEAKER.match(line) or not has_speakers)]
    return msgspec.structs.replace(item, text="\n".join(left)) if rest else None


def _is_said(line: str, texts: Iterable[str]) -> bool:
    text = _plain(_MARK.sub("", _SPEAKER.sub("", line))).strip(_ENDS)
    return len(text) >= LEAST_CHARACTERS and any(text in message_text for message_text in texts)


def _plain(text: str) -> str:
    return " ".join(text.split())
