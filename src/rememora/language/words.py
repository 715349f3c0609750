"""Words of a text, and the tokens that every index compares: folded, without filler, stemmed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import chain, repeat
from typing import Final

from rememora.language.folding import fold
from rememora.language.stems import stem
from rememora.language.tongue import detect
from rememora.language.wordlists import INFORMAL, STOP

_CJK: Final = "぀-ヿ㐀-䶿一-鿿豈-﫿가-힯"
_EMOJI: Final = "☀-➿\U0001f300-\U0001faff"
_CHUNK: Final = (
    r"(?P<address>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)"
    r"|(?P<date>\d{1,4}[/-]\d{1,2}(?:[/-]\d{1,4})?(?![\w/-]))"
    r"|(?P<clock>\d{1,2}(?::\d{2}|h\d{0,2})(?!\w))"
    r"|(?P<sign>r?\$)"
    r"|(?P<number>\d+(?:[.,]\d+)*(?![^\W\d_]))"
    rf"|(?P<cjk>[{_CJK}]+)"
    rf"|(?P<emoji>[{_EMOJI}])"
    rf"|(?P<word>[^\W_{_CJK}]+(?:['’.&-][^\W_{_CJK}]+)*)"
)
_THOUSANDS: Final = re.compile(r"^\d{1,3}(?:[.,]\d{3})+(?:[.,]\d{1,2})?$")
_MARKS: Final = re.compile(r"['’.&-]")
_ENGLISH_TAIL: Final = re.compile(r"(?:['’](?:s|re|ve|ll|d|m)|n['’]t)$")
_LONGEST_TOKEN = 64
_AROUND: Final = '.,;:!?…()[]"“”*'


def _number(text: str) -> str:
    """One spelling for one figure: `4.500`, `4,500` and `4500` are the same money in both languages."""
    if not _THOUSANDS.match(text):
        return text.replace(",", ".").removesuffix(".00")
    whole, mark, cents = text, "", ""
    if len(text) > 3 and text[-3] in ".,":
        whole, mark, cents = text[:-3], ".", text[-2:]
    return (whole.replace(".", "").replace(",", "") + mark + cents).removesuffix(".00")


def _cjk(run: str) -> Iterator[str]:
    yield from run
    yield from (run[i : i + 2] for i in range(len(run) - 1))


def _word(text: str) -> Iterator[str]:
    """A compound name is kept whole and in parts: `coca-cola` is found by `coca` too."""
    bare = _ENGLISH_TAIL.sub("", text)
    yield bare.replace("’", "'")
    if not bare.isalnum():
        yield from filter(None, _MARKS.split(bare))


def _parts(kind: str, text: str) -> Iterable[str]:
    match kind:
        case "sign":
            return ()
        case "number":
            return (_number(text),)
        case "cjk":
            return _cjk(text)
        case "word":
            return _word(text)
        case "address" | "date" | "clock":
            return (text, *(part for part in re.split(r"\W+|(?<=\d)h", text) if part))
    return (text,)


def split(text: str) -> Iterator[str]:
    """Folded words of `text` in order: names, figures, dates and addresses whole, compounds also in parts."""
    for piece in _pieces(text):
        yield from _words(piece)


def _pieces(text: str) -> list[str]:
    folded = fold(text)
    # Folding takes Hangul syllables apart; they are put together again.
    return (folded if folded.isascii() else unicodedata.normalize("NFC", folded)).split()


def _words(piece: str) -> Iterator[str]:
    # Most pieces are a plain word with a mark after it: nothing is to be looked for or taken apart.
    bare = piece.strip(_AROUND)
    parts = (bare,) if bare.isalpha() and bare.isascii() else _taken_apart(piece)
    return (part for part in parts if len(part) <= _LONGEST_TOKEN)


def _taken_apart(piece: str) -> Iterator[str]:
    for chunk in _chunks().finditer(piece):
        kind, found = chunk.lastgroup or "", chunk.group()
        yield from (found,) if kind == "word" and found.isalnum() else _parts(kind, found)


@cache
def _chunks() -> re.Pattern[str]:
    # Ten milliseconds to compile: paid at the first text, not at import.
    return re.compile(_CHUNK)


@cache
def _informal(language: str) -> dict[str, str]:
    return {short: fold(long) for short, long in INFORMAL[language].items()}


def content_words(words: Iterable[str], language: str) -> list[str]:
    """Those of the split `words` that carry meaning, informal spellings written out, not yet stemmed."""
    informal, stop = _informal(language), STOP[language]
    spelled = (informal.get(word, word) for word in words)
    return [word for word in spelled if word not in stop]


def tokens(text: str, language: str | None = None, *, locale: str = "pt") -> list[str]:
    """What the lexical index holds for `text`: stems of its content words, repeats kept, in order."""
    tongue = language or detect(text, locale)
    pieces = _pieces(text)
    looked_up = _known if max(map(len, pieces), default=0) <= _LONGEST_TOKEN else _stems
    return list(chain.from_iterable(map(looked_up, pieces, repeat(tongue))))


def _stems(piece: str, language: str) -> tuple[str, ...]:
    return tuple(stem(word, language) for word in content_words(_words(piece), language))


# People say the same words again: looking them up costs a tenth of taking them apart.
_known: Final = lru_cache(maxsize=32_768)(_stems)


def forget_words() -> None:
    """Hold no word that anybody said."""
    _known.cache_clear()
