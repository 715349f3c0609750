"""Removes one item from a list in a statement, by its name or by a description of it."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from operator import itemgetter
from typing import Final

import msgspec
import numpy as np

from rememora.language import fold
from rememora.language.parsed import ParsedText
from rememora.language.phrases import phrase
from rememora.language.wordlists import ORDINALS, is_idle
from rememora.statements.links import ComparedStatement, known
from rememora.statements.meaning import Meaning, nearness

_JOINT: Final = phrase(r"[,;]\s++(?:(?:{and}|{or}) )?|(?<!\s)\s++(?:{and}|{or}|{plus})\s++")
_LAST_JOINT: Final = phrase(r"(?:,\s++|(?<!\s)\s++)(?:{and}|{or})\s++")
"""Joins the last two things of a list; without it, and without a colon, commas part other things."""
_ASIDE: Final = phrase(r"\([^()]*\)|, {relative} [^,;]*")
"""Words that describe the thing before them: in parentheses, or a clause of their own."""
_LIST: Final = phrase(r"\b{list}\b")
"""Words for a list, which a request may say in the place of a word of it."""
_LEAST_ITEMS: Final = 2
_MOST_WORDS: Final = 9
_NO_THING: Final = phrase(r"{describes}\b")
"""Words that begin a description of what was said before them: "a Tainá, da sala 6"."""
_OPENS_LIST: Final = phrase("{opens_list}")
"""Verbs that stand between what a list is of and its first thing."""
_BARE_WORDS: Final = 3
"""Most words of each thing where nothing but commas tells that they are listed: "Biscuit, Admiral, Tofu"."""
_NAMED: Final = 1.0
"""Weight of a word that the wish and the item share, beside the nearness of their other words."""
# "o segundo da lista": which item of a list a request means, counted from 0; -1 is the last.
_POSITIONS: Final = (
    *(
        (re.compile(rf"\b{word}\b"), place - 1)
        for word, place in sorted(ORDINALS.items(), key=itemgetter(1))
        if place > 0
    ),
    # "last" by itself is also of a week.
    (phrase(r"\b{last_item}\b"), -1),
)
_ONE_OF: Final = phrase(r"\b{one_of}\b")
"""Words that leave open which of several is meant: "um dos fornecedores"."""
_INITIAL: Final = phrase(r"\b{initial} (\w)\b")
_DEAREST: Final = phrase(r"\b{dearest}\b")
_CHEAPEST: Final = phrase(r"\b{cheapest}\b")
_NUMBER: Final = re.compile(r"\d[\d.,]*")
_CLEAR: Final = 0.03
_WHOLE_NEAR: Final = 5.0
_PIECE_NEAR: Final = 4.5
_OWN_WORD: Final = 1.5
"""Weights of an item's nearness to the whole wish and to a piece of it, and of a word that no other item says.

Fitted on the 234 wishes of `data/reading/links` that describe an item: 72 % right by writers left out, where words
alone are right in 64 %.
"""
_MOST_OWN_WORDS: Final = 2
_CHOSEN: Final = 0.4
"""Least share of the best item among all: three wishes of four reach it, and 79 % of those are right."""
_BEYOND_CHANCE: Final = 1.15
"""Least share of the best where one is certainly meant, as a multiple of what each would have by chance."""
_NEAR_ENOUGH: Final = 0.15
"""Least nearness of an item none of whose own words is said: names alone ("Nair") mean nothing to the encoder."""


class ListItem(msgspec.Struct, frozen=True):
    """One item of a list, and its position in the statement."""

    text: str
    start: int
    end: int


def items_of(text: str) -> list[ListItem]:
    """The things that a statement lists, after a colon or up to an "and"; empty where it lists none."""
    head = text.rfind(": ") + 2 if ": " in text else 0
    # What describes a thing belongs to it, commas and all.
    plain = _ASIDE.sub(lambda match: "_" * len(match[0]), text)
    cuts = [(match.start(), match.end()) for match in _JOINT.finditer(plain, head)]
    starts, ends = [head, *(end for _, end in cuts)], [*(start for start, _ in cuts), len(text)]
    parts = [
        ListItem(text[a:b].strip(" ."), a, b) for a, b in zip(starts, ends, strict=True) if text[a:b].strip(" .")
    ]
    short = all(len(part.text.split()) <= _MOST_WORDS for part in parts[1:])
    enumerated = len(parts) > _LEAST_ITEMS and _LAST_JOINT.fullmatch(plain[cuts[-1][0] : cuts[-1][1]]) is not None
    listed = len(parts) >= _LEAST_ITEMS and short and (head > 0 or enumerated or _is_bare(parts))
    return parts if listed else []


def tells_clauses(items: Sequence[ListItem]) -> bool:
    """Check whether commas part the clauses of a story rather than things: one begins as no thing does."""
    return any(_NO_THING.match(fold(item.text)) for item in items)


def _is_bare(items: Sequence[ListItem]) -> bool:
    """Return whether these are names and nothing else: short, without a small word or a figure."""
    return len(items) > _LEAST_ITEMS and all(
        len(words) <= _BARE_WORDS and not any(is_idle(fold(word)) or not word[0].isalpha() for word in words)
        for words in (item.text.split() for item in items)
    )


def meant_item(
    text: str,
    wish: ParsedText,
    items: Sequence[ListItem],
    meaning: Meaning | None = None,
    *,
    certain: bool = False,
) -> int | None:
    """Return the position of the item of a text that a request names or describes; None where none stands out.

    Where it is `certain` that one of them is to go, the likeliest is taken: it is right in three cases of four,
    the person is told what is left, and can take it back. In a sentence without a heading only a request that says
    a word of it, or that speaks of a list, means an item:
    "apaga aquele desabafo" means all of "a Tainá, da sala 6, copiou meu molde e vendeu pra uma loja".
    """
    folded, said = wish.compared, known(wish.raw)
    headed = items[0].start > 0 or _is_bare(items) or _LIST.search(folded) is not None
    if not headed and not _words_of(said) & _words_of(known(text)):
        return None
    placed = _by_position(folded, items)
    if placed is not None:
        return placed
    if leaves_open(wish) and not names_item(text, wish):
        return None
    if meaning is not None:
        certain = certain and not tells_clauses(items)
        return _by_meaning(
            said, [item.text for item in items], meaning, least=_BEYOND_CHANCE / len(items) if certain else _CHOSEN
        )
    scores = [_score(said, known(item.text)) for item in items]
    best, second = sorted(scores, reverse=True)[:2]
    return scores.index(best) if best - second >= _CLEAR else None


def leaves_open(wish: ParsedText) -> bool:
    """Check whether a request wants one of several gone and does not say which: "tira um dos fornecedores"."""
    return _ONE_OF.search(wish.compared) is not None


def names_item(text: str, wish: ParsedText) -> bool:
    """Check whether a request says a word of one of the things that a text lists, and of no other of them."""
    items = items_of(text)
    words = [known(thing).stems for thing in things_of(text, items)]
    said = known(wish.raw).stems - (known(_heading(text, items)).stems if items else frozenset())
    return sum(bool(_own(words, at) & said) for at in range(len(words))) == 1


def meant_text(wish: str, texts: Sequence[str], meaning: Meaning) -> int | None:
    """Return which of several texts about the same matter a request describes; None where none stands out.

    Only the words that set each apart are compared: "a de mexer com barro" is no nearer to one idea for a present
    than to another but by "um curso de cerâmica".
    """
    stems = [known(text).stems for text in texts]
    common = frozenset(word for at, words in enumerate(stems) for word in words & _others(stems, at))
    apart = [_without(text, common) for text in texts]
    return _by_meaning(known(_without(wish, common)), apart, meaning, least=_CHOSEN)


def _others(words: Sequence[frozenset[str]], place: int) -> frozenset[str]:
    return frozenset().union(*(item for at, item in enumerate(words) if at != place))


def _without(text: str, stems: frozenset[str]) -> str:
    """A text without words that begin in one of several ways."""
    kept = [word for word in text.split() if not known(word).stems & stems]
    return " ".join(kept) or text


def _by_meaning(
    statement: ComparedStatement, texts: Sequence[str], meaning: Meaning, *, least: float
) -> int | None:
    """The text that stands out by its own words and by what it means."""
    whole, piece = nearness(meaning, statement.text, texts)
    words = [_words_of(known(text)) for text in texts]
    shared = np.array([len(_own(words, at) & _words_of(statement)) for at in range(len(texts))], np.float32)
    scores = _WHOLE_NEAR * whole + _PIECE_NEAR * piece + _OWN_WORD * np.minimum(shared, _MOST_OWN_WORDS)
    shares = np.exp(scores - scores.max())
    best = int(np.argmax(shares))
    described = shared[best] > 0 or piece[best] >= _NEAR_ENOUGH
    return best if described and shares[best] / shares.sum() >= least else None


def _words_of(text: ComparedStatement) -> frozenset[str]:
    return text.stems | text.names | text.figures


def _own(words: Sequence[frozenset[str]], place: int) -> frozenset[str]:
    """The words of one item that no other says."""
    return words[place].difference(*(word for at, word in enumerate(words) if at != place))


def _by_position(wish: str, items: Sequence[ListItem]) -> int | None:
    for pattern, place in _POSITIONS:
        if pattern.search(wish) and place < len(items):
            return place % len(items)
    initial = _INITIAL.search(wish)
    begins = [at for at, item in enumerate(items) if initial and fold(item.text).startswith(initial[1])]
    if len(begins) == 1:
        return begins[0]
    prices = [_price(item.text) for item in items]
    if all(price is not None for price in prices):
        known = [price or 0.0 for price in prices]
        if _DEAREST.search(wish):
            return known.index(max(known))
        if _CHEAPEST.search(wish):
            return known.index(min(known))
    return None


def _price(text: str) -> float | None:
    figure = _NUMBER.search(text)
    digits = "".join(char for char in figure[0] if char.isdigit()) if figure else ""
    return float(digits) if digits else None


def _score(statement: ComparedStatement, item: ComparedStatement) -> float:
    """Score how well a wish matches a list item: shared words, and the nearest pair of other words."""
    shared = len(_words_of(statement) & _words_of(item))
    near = 0.0
    if len(statement.words) and len(item.words):
        near = float(np.sort((statement.words @ item.words.T).max(axis=1))[-2:].mean())
    return _NAMED * shared + near


def things_of(text: str, items: Sequence[ListItem]) -> list[str]:
    """Return the things of a list by themselves: the words that open the sentence are no part of the first."""
    head = _heading(text, items)
    return [item.text.removeprefix(head).strip() if not item.start else item.text for item in items]


def without_item(text: str, items: Sequence[ListItem], place: int) -> str:
    """Return the statement without one of its things; the words before the first stay."""
    return without_items(text, items, (place,))


def without_items(text: str, items: Sequence[ListItem], places: Collection[int]) -> str:
    """Return the statement without some of its things; the words before the first stay."""
    head = text[: items[0].start] or (_heading(text, items) if 0 in places else "")
    return f"{head}{', '.join(item.text for at, item in enumerate(items) if at not in places)}"


def _heading(text: str, items: Sequence[ListItem]) -> str:
    """Return what stands before the first thing: a heading, or "Snacks are " of "Snacks are pretzels and figs"."""
    if not items or items[0].start:
        return text[: items[0].start] if items else ""
    words = _ASIDE.sub("", items[0].text).split()
    joint = max((at for at, word in enumerate(words) if at and _OPENS_LIST.fullmatch(fold(word))), default=-1)
    return " ".join(words[: joint + 1]) + " " if joint > 0 else ""
