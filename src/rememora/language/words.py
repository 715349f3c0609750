"""Words of a text, and the tokens that every index compares: folded, stemmed, without filler."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from itertools import chain
from typing import Final

from rememora.caches import person_cache
from rememora.language.detection import language_of_text
from rememora.language.figures import (
    MEASURING,
    NAMING,
    PRICE,
    SIGNS,
    naming,
    number,
    price,
    with_signs,
    with_units,
)
from rememora.language.folding import fold
from rememora.language.irregular import apart
from rememora.language.packs import CODES
from rememora.language.stems import stem
from rememora.language.wordlists import INFORMAL, SAINTS_IN_S, STOP, UNTOLD, is_stop

_CJK: Final = "぀-ヿ㐀-䶿一-鿿豈-﫿가-힯"
_EMOJI: Final = "☀-➿\U0001f300-\U0001faff"
_CHUNK: Final = (
    # Tried once in a run of such letters, not from each of them on: a text may be a line of dots.
    r"(?P<address>(?<![\w.+-])[\w.+-]++@[\w-]+(?:\.[\w-]+)+)"
    # Before a letter none of these is tried.
    r"|(?=\d)(?:(?P<date>\d{1,4}[/-]\d{1,2}(?:[/-]\d{1,4})?(?![\w/-]))"
    r"|(?P<clock>\d{1,2}(?::\d{2}(?::\d{2})?(?:[ap]m)?|h\d{0,2})(?!\w))"
    rf"|(?P<naming>{NAMING})"
    rf"|(?P<price>{PRICE})"
    # Never given back in part: of `10k` nothing is `1`.
    rf"|(?P<number>\d++(?:[.,⁄]\d++)*+(?:%|[^\W_{_CJK}]*+)))"
    r"|(?P<sign>(?:us?|r)?\$|€)"
    rf"|(?P<cjk>[{_CJK}]+)"
    rf"|(?P<emoji>[{_EMOJI}])"
    # `C++` and `C#` are two names.
    rf"|(?P<word>[^\W_{_CJK}]+(?:['’.&-][^\W_{_CJK}]+)*(?:\+\+(?![^\W\d])|#(?!\w))?)"
)
# A point between two figures belongs to them: `python3.12`.
_MARKS: Final = re.compile(r"['’&-]|\.(?!\d)|(?<!\d)\.")
_VERSION: Final = re.compile(r"v\d[\d.]*\.\d+")
# A name with its state or what stands after it. An address and a compound are left alone.
_NAMED: Final = re.compile(r"([^\W\d_]+)(?:-([a-z]{2}))?((?:['’/].*)|[^\w@&-]*)")
_ENGLISH_TAIL: Final = re.compile(r"(?:['’](?:s|re|ve|ll|d|m)|n['’]t)$")
_LONGEST_TOKEN = 64
_NOT_TOLD: Final = ""
# With what may stand before them, as they are found between two spaces.
_SAINTS: Final = frozenset(mark + title for title in ("sao", "santo", "santa", "san") for mark in ("", *'(["“'))
_JOINING: Final = MEASURING | SIGNS | _SAINTS
_AROUND: Final = '.,;:!?…()[]"“”*'


def _cjk(run: str) -> Iterator[str]:
    yield from run
    yield from (run[i : i + 2] for i in range(len(run) - 1))


def _word(text: str) -> Iterator[str]:
    """Yield a compound name whole and in parts: `coca-cola` is also found by `coca`, `v2.1` by `2.1`."""
    bare = _ENGLISH_TAIL.sub("", text)
    yield bare.replace("’", "'")
    if _VERSION.fullmatch(bare):
        yield bare[1:]
    # "C++" and "C#" stay apart from "C" (one letter), "Notepad++" is also "notepad".
    plain = bare.rstrip("+#")
    if 1 < len(plain) < len(bare):
        yield plain
    parts = [] if plain.isalnum() else _MARKS.split(plain)
    if len(parts) > 1:
        yield from filter(None, parts)


def _marked(text: str) -> tuple[str, ...]:
    return (text, *filter(None, re.split(r"\W+", text)))


def _timed(text: str) -> tuple[str, ...]:
    return (text, *re.findall(r"\d+", text))


_PARTS: Final[dict[str, Callable[[str], Iterable[str]]]] = {
    "address": _marked,
    "date": _timed,
    "naming": naming,
    "clock": _timed,
    # Which money a bare `$` is depends on who writes it.
    "sign": lambda text: () if text == "$" else (text,),
    "price": price,
    "number": number,
    "cjk": _cjk,
    "emoji": lambda text: (text,),
    "word": _word,
}


def split(text: str) -> Iterator[str]:
    """Return the folded words of `text` in order: names, figures and addresses whole, compounds in parts."""
    pieces = _pieces(text)
    return chain.from_iterable(map(_known_words if _are_short(pieces) else _words, pieces))


def _are_short(pieces: Iterable[str]) -> bool:
    """Return whether all pieces are short enough to cache; a longer one occurs once."""
    return max(map(len, pieces), default=0) <= _LONGEST_TOKEN


# People say the same words again: looking them up costs a tenth of taking them apart.
@person_cache(maxsize=32_768)
def _known_words(piece: str) -> tuple[str, ...]:
    return tuple(_words(piece))


def _pieces(text: str) -> list[str]:
    folded = fold(text if text.isascii() else apart(text))
    # Folding takes Hangul syllables apart; they are put together again.
    whole = folded if folded.isascii() else unicodedata.normalize("NFC", folded)
    pieces = whole.split()
    return pieces if _JOINING.isdisjoint(pieces) else _joined(whole, pieces)


def _joined(whole: str, pieces: list[str]) -> list[str]:
    if not SIGNS.isdisjoint(pieces):
        whole = with_signs(whole)
        pieces = whole.split()
    if not MEASURING.isdisjoint(pieces):
        pieces = with_units(whole).split()
    return pieces if _SAINTS.isdisjoint(pieces) else _with_saints(pieces)


def _with_saints(pieces: list[str]) -> list[str]:
    """`São Paulo` as one compound name, which is no `Paulo`."""
    titles = [at for at, piece in enumerate(pieces[:-1]) if piece in _SAINTS]
    for at in reversed(titles):
        named = _NAMED.fullmatch(pieces[at + 1])
        if named and _may_be_a_saint(named[1], pieces[at]):
            pieces[at : at + 2] = [f"{pieces[at]}-{named[1]}{named[3]}", *filter(None, [named[2]])]
    return pieces


def _may_be_a_saint(name: str, title: str) -> bool:
    """Return whether a name may follow a saint's title: `are small` is not one, and few names end in a plural."""
    if is_stop(name):
        return False
    return not title.endswith("sao") or name[-1] != "s" or name in SAINTS_IN_S


def _words(piece: str) -> Iterator[str]:
    # Most pieces are a plain word with a mark after it: nothing is to be looked for or taken apart.
    bare = piece.strip(_AROUND)
    parts = (bare,) if bare.isalpha() and bare.isascii() else _taken_apart(piece)
    return (part for part in parts if len(part) <= _LONGEST_TOKEN)


def _taken_apart(piece: str) -> Iterator[str]:
    for chunk in _chunks().finditer(piece):
        kind, text = chunk.lastgroup or "", chunk.group()
        yield from (text,) if kind == "word" and text.isalnum() else _PARTS[kind](text)


@cache
def _chunks() -> re.Pattern[str]:
    # Ten milliseconds to compile: paid at the first text, not at import.
    return re.compile(_CHUNK)


@cache
def _informal(language: str) -> dict[str, str]:
    return {short: fold(long) for short, long in INFORMAL[language].items()}


def content_words(words: Iterable[str], language: str) -> list[str]:
    """Return the `words` that carry meaning, informal spellings written out, not yet stemmed."""
    informal, stop = _informal(language), STOP[language]
    spelled = (informal.get(word, word) for word in words)
    return [word for word in spelled if word not in stop]


@person_cache(maxsize=4_096)
def forms(word: str, languages: tuple[str, ...] = UNTOLD) -> tuple[str, ...]:
    """Return the different stems of a `word` in `languages`; none if it is filler in one of them."""
    stems: dict[str, None] = {}
    for language in languages:
        written = _informal(language).get(word, word)
        if written in STOP[language]:
            return ()
        stems[stem(written, language)] = None
    return tuple(stems)


def tokens(text: str, language: str | None = None) -> list[str]:
    """Return the tokens of `text` for the lexical index: stems of its content words, repeats kept, in order.

    A text whose language is unclear gets the stems of both.
    """
    tongue = language or language_of_text(text) or _NOT_TOLD
    pieces = _pieces(text)
    return list(chain.from_iterable(map((_KNOWN if _are_short(pieces) else _STEMS)[tongue], pieces)))


def _stems(language: str, piece: str) -> tuple[str, ...]:
    if language == _NOT_TOLD:
        return tuple(chain.from_iterable(map(forms, _words(piece))))
    return tuple(stem(word, language) for word in content_words(_words(piece), language))


_STEMS: Final = {language: partial(_stems, language) for language in (*CODES, _NOT_TOLD)}
_KNOWN: Final = {language: person_cache(maxsize=32_768)(stems) for language, stems in _STEMS.items()}
