"""Words by class: a text is tagged once, and frames of classes say what it means."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, reduce
from itertools import pairwise
from operator import or_

import msgspec

from rememora.caches import forgets, person_cache
from rememora.gate.policy import Policy
from rememora.language.pack_schema import STEM_LETTERS

EMAIL = r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+"
_ENDINGS = "example|com|net|io|ru|xyz|org|app|dev|co"
_URL = rf"https?://\S{{1,200}}|www\.\S{{1,200}}|[a-z0-9-]{{1,63}}\.(?:{_ENDINGS})\b(?:\.br)?\S{{0,100}}"
_CODE = r"(?:2fa|3d|b2b|b2c)\b"
_NUMBER = r"(?:r?\$ ?)?\d[\d.,:/]*%?"
_LETTERS = r"[^\W\d_]++(?:'[^\W\d_]++)?"
_STOP = r"[.!?;\n]+"
_QUOTE = r"[\"“”«»\[\]<>{}]"
# A plain word is tried before an address only where no address can follow it.
TOKEN = re.compile(
    "|".join((rf"(?<![^\W\d_]){_LETTERS}(?![\w.+@:-])", EMAIL, _URL, _CODE, _NUMBER, _LETTERS, _STOP, _QUOTE))
)
# Alternatives are tried in this order: an address contains words, a code contains digits.
_KINDS = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        ("email", EMAIL),
        ("url", _URL),
        ("code", _CODE),
        ("number", _NUMBER),
        ("word", _LETTERS),
        ("stop", _STOP),
        ("quote", _QUOTE),
    )
)
_WORDS = ("word", "code")
_SECOND = 2
_MAX_KNOWN = 20_000
_MAX_PIECE = 64
_GAP = 5
_AROUND = 12


_Piece = tuple[tuple[str, ...], tuple[int, ...]]
"""The tokens of what stands between two spaces, and the classes of each."""


class Tagged(msgspec.Struct, frozen=True, kw_only=True):
    """The words of a text as bit sets of classes, and the classes seen at all."""

    text: str
    masks: tuple[int, ...]
    seen: int

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Return the span of the words from `first` to `last`."""
        spans = _spans(self.text)
        return spans[first][0], spans[last][1]


def _spans(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in TOKEN.finditer(text)]


class Lexicon:
    """Classes of words; an entry ends in `*` for a stem and may be a phrase of several words."""

    def __init__(self, classes: Mapping[str, Iterable[str]]) -> None:
        names = ["stop", "email", "url", "number", "quote", "pasted", *classes]
        self.bits = {name: 1 << place for place, name in enumerate(names)}
        self._exact: dict[str, int] = {}
        self._stems: dict[str, int] = {}
        # By the first word of a phrase and how its second begins: most words that open one go on otherwise.
        self._phrases: dict[str, dict[str, list[tuple[tuple[str, ...], int]]]] = {}
        self._known: dict[str, int] = {}
        self._pieces: dict[str, _Piece] = {}
        forgets(self.forget)
        for name, entries in classes.items():
            for entry in entries:
                self._add(entry, self.bits[name])

    def _add(self, entry: str, bit: int) -> None:
        first, *rest = entry.split()
        if rest:
            second = rest[0].removesuffix("*")[:_SECOND]
            self._phrases.setdefault(first, {}).setdefault(second, []).append((tuple(rest), bit))
        elif entry.endswith("*"):
            self._stems[entry[:-1]] = self._stems.get(entry[:-1], 0) | bit
        else:
            self._exact[entry] = self._exact.get(entry, 0) | bit

    def forget(self) -> None:
        """Hold no word that anybody said."""
        self._known.clear()
        self._pieces.clear()

    def mask(self, token: str) -> int:
        """Classes of one token, looked up once for all texts."""
        bits = self._known.get(token)
        if bits is None:
            bits = self._classify(token)
            if len(self._known) < _MAX_KNOWN:
                self._known[token] = bits
        return bits

    def _classify(self, token: str) -> int:
        kind = next((name for name, pattern in _KINDS if pattern.fullmatch(token)), "word")
        if kind not in _WORDS:
            return self.bits[kind]
        bits = self._exact.get(token, 0)
        for length in STEM_LETTERS:
            if length > len(token):
                break
            bits |= self._stems.get(token[:length], 0)
        return bits

    def tag(self, folded: str, *, pasted: Sequence[tuple[int, int]] = ()) -> Tagged:
        """Tag a folded text in one pass."""
        # No token but an amount after its sign and a stop of several lines reaches across a space.
        pieces = [folded] if "\n" in folded or "$ " in folded else folded.split()
        words: list[str] = []
        masks: list[int] = []
        known = self._pieces.get
        for piece in pieces:
            # An erasure may empty what is known meanwhile: it is looked up once for each piece.
            tagged = known(piece) or self._learn(piece)
            words += tagged[0]
            masks += tagged[1]
        self._mark_phrases(words, masks)
        if pasted:
            self._mark_pasted(folded, masks, pasted)
        return Tagged(text=folded, masks=tuple(masks), seen=reduce(or_, masks, 0))

    def _learn(self, piece: str) -> _Piece:
        words = tuple(TOKEN.findall(piece))
        tagged = words, tuple(map(self.mask, words))
        if len(piece) <= _MAX_PIECE and len(self._pieces) < _MAX_KNOWN:
            self._pieces[piece] = tagged
        return tagged

    def only_pasted(self, tagged: Tagged) -> Tagged | None:
        """The same text with everything but what is pasted left blank, or None when nothing is."""
        bit = self.bits["pasted"]
        if not tagged.seen & bit:
            return None
        masks = tuple(mask if mask & bit else 0 for mask in tagged.masks)
        return Tagged(text=tagged.text, masks=masks, seen=reduce(or_, masks, 0))

    def _mark_phrases(self, words: list[str], masks: list[int]) -> None:
        phrases = self._phrases
        for place, (word, second) in enumerate(pairwise(words)):
            if word in phrases:
                for rest, bit in phrases[word].get(second[:_SECOND], ()):
                    if _continues(words, place + 1, rest):
                        masks[place] |= bit

    def _mark_pasted(self, folded: str, masks: list[int], pasted: Sequence[tuple[int, int]]) -> None:
        if pasted[0] == (0, len(folded)):
            masks[:] = [mask | self.bits["pasted"] for mask in masks]
            return
        within = iter(pasted)
        low, high = next(within)
        for place, (start, _) in enumerate(_spans(folded)):
            while start >= high:
                if (later := next(within, None)) is None:
                    return
                low, high = later
            if low <= start:
                masks[place] |= self.bits["pasted"]


def _continues(words: list[str], place: int, rest: tuple[str, ...]) -> bool:
    if len(words) - place < len(rest):
        return False
    return all(
        word.startswith(part[:-1]) if part.endswith("*") else word == part
        for part, word in zip(rest, words[place : place + len(rest)], strict=True)
    )


class Frame(msgspec.Struct, frozen=True, kw_only=True):
    """Classes that must follow one another closely (`parts`), and classes that must be absent around them."""

    parts: tuple[tuple[int, ...], ...]
    excuses: int
    text: str
    sure: int
    choices: tuple[int, ...]

    def may_fit(self, seen: int) -> bool:
        """Return whether every class that a frame needs is present at all."""
        return seen & self.sure == self.sure and all(seen & choice for choice in self.choices)

    def find(self, tagged: Tagged, stop: int) -> tuple[int, int] | None:
        """Places of the first and last word of the first match that nothing excuses."""
        if not self.may_fit(tagged.seen):
            return None
        spans = []
        for part in self.parts:
            span = next((hit for hit in _follow(part, tagged.masks, stop) if not self._excused(hit, tagged)), None)
            if span is None:
                return None
            spans.append(span)
        return min(start for start, _ in spans), max(end for _, end in spans)

    def _excused(self, span: tuple[int, int], tagged: Tagged) -> bool:
        if not self.excuses & tagged.seen:
            return False
        near = tagged.masks[max(0, span[0] - _AROUND) : span[1] + _AROUND]
        return any(mask & self.excuses for mask in near)


def _follow(part: tuple[int, ...], masks: tuple[int, ...], stop: int) -> Iterator[tuple[int, int]]:
    """Each way in which the classes of a part follow one another within a sentence."""
    first, *rest = part
    for start, mask in enumerate(masks):
        if not mask & first:
            continue
        place: int | None = start
        for item in rest:
            place = _next(item, masks, place, stop)
            if place is None:
                break
        if place is not None:
            yield start, place


def _next(item: int, masks: tuple[int, ...], place: int | None, stop: int) -> int | None:
    if place is None:
        return None
    for ahead in range(place + 1, min(place + 2 + _GAP, len(masks))):
        if masks[ahead] & item:
            return ahead
        if masks[ahead] & stop:
            return None
    return None


def parse_frame(text: str, lexicon: Lexicon) -> Frame:
    """`a b|c & d ! e`: `b` or `c` soon after `a`, `d` anywhere, and no `e` near."""
    required, _, unwanted = text.partition("!")
    parts = tuple(
        tuple(_bits(item, lexicon) for item in part.split()) for part in required.split("&") if part.strip()
    )
    excuses = 0
    for item in unwanted.split():
        excuses |= _bits(item, lexicon)
    items = {item for part in parts for item in part}
    return Frame(
        parts=parts,
        excuses=excuses,
        text=text,
        sure=reduce(or_, (item for item in items if item.bit_count() == 1), 0),
        choices=tuple(item for item in items if item.bit_count() > 1),
    )


def _bits(item: str, lexicon: Lexicon) -> int:
    bits = 0
    for name in item.split("|"):
        bits |= lexicon.bits[name]
    return bits


@lru_cache(maxsize=4)
def lexicon_of(policy: Policy) -> Lexicon:
    """The lexicon of a policy, built once."""
    return Lexicon(policy.plain("lexicon"))


@person_cache(maxsize=16)
def tagged_as(policy: Policy, folded: str) -> Tagged:
    """A folded text tagged once, however many frames look at it."""
    return lexicon_of(policy).tag(folded)


@lru_cache(maxsize=256)
def _frames(policy: Policy, *path: str) -> tuple[Frame, ...]:
    return tuple(parse_frame(text, lexicon_of(policy)) for text in policy.plain(*path))


def fits(policy: Policy, folded: str, *path: str) -> bool:
    """Return whether a folded text fits any of the frames under `path`."""
    tagged = tagged_as(policy, folded)
    stop = lexicon_of(policy).bits["stop"]
    return any(frame.find(tagged, stop) for frame in _frames(policy, *path))
