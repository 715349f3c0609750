"""Stems of Portuguese and English words, without accents and plurals, so that different spellings match."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from threading import local
from typing import Any, Final

from rememora.caches import person_cache
from rememora.language.detection import language_of_word
from rememora.language.folding import fold
from rememora.language.irregular import ENGLISH, NOUNS_IN_MOS, PORTUGUESE, WHOLE, apart
from rememora.language.packs import words_of
from rememora.language.wordlists import UNTOLD

_STEMS_KEPT = 65_536
_LONGEST_WORD = 40

# People drop accents, and Snowball knows `reações` but not `reacoes`: a folded plural is made singular
# first, and the accents that Snowball's suffix rules look for are given back.
_SINGULAR: Final = (
    (re.compile(r"(?<=[a-z])(?:oes|aes|aos)$"), "ao"),
    (re.compile(r"(?<=[a-z]{2})ais$"), "al"),
    (re.compile(r"(?<=[a-z]{2})eis$"), "el"),
    # `lençóis` and `heróis` end alike: so do `lencol` and `heroi` here.
    (re.compile(r"(?<=[a-z]{2})ois?$"), "ol"),
    (re.compile(r"(?<=[a-z]{2})uis$"), "ul"),
    (re.compile(r"(?<=[aeiou])ns$"), "m"),
    (re.compile(r"(?<=[a-z][aeiou][rsz])es$"), ""),
    # `difíceis` may come from -el or from -il, `barris` only from -il: all are written -el here, and so meet.
    (re.compile(r"(?<=[a-z]{2})il$|(?<=[a-z][bcdfglmnprstvz])is$"), "el"),
    # Snowball leaves the plural on short words (`anos`, `leis`, `irmãs`) and on all in -u.
    (re.compile(r"(?<=^[a-z][aeiou])s$|(?<=^[a-z]{2}[aeiou])s$|(?<=[a-z][aou])s$|(?<=xi)s$"), ""),
)
# `ysis` and `yses`, `esis` and `eses`: one in the plural.
_GREEK: Final = re.compile(r"(?<=[a-z][eiy])sis$")
_ACCENTS: Final = {"sao": "são", "ancia": "ância", "encia": "ência", "avel": "ável", "ivel": "ível"}
_stemmers: Final = local()
_ACT_OF: Final = re.compile(r"(?<=[a-z]{3})(?<!^cas)(?:[ai](?:cao|mento)|[ei]dora?)$")
_ACTS: Final = ("cao", "mento", "dor", "dora")
# `Paguei` and `pagou`, `coloquei` and `colocou`: written otherwise only for the sound.
_I_DID: Final = {"guei": "gou", "quei": "cou"}
_BEFORE_I_DID = 2
# `Fechamos` is of `fechar`, and no plural. No verb has what is in the second line.
_WE: Final = ("amos", "emos", "imos", "armos", "ermos", "irmos")
_NOT_WE: Final = ("simos", "ximos", "onimos", "errimos", "decimos", "ultimos", "escimos", "legitimos")
_SHORTEST_WE = 6
# People leave these accents out, and the stemmer only knows the endings with them.
_WE_ACCENTS: Final = {
    "avamos": "ávamos",
    "ariamos": "aríamos",
    "eriamos": "eríamos",
    "iriamos": "iríamos",
    "assemos": "ássemos",
    "essemos": "êssemos",
    "issemos": "íssemos",
}
# Snowball leaves the endings on `entrou`, `abriu`, `achei`: it looks for them after the second vowel.
_VOWEL_FIRST: Final = re.compile(
    r"([aeiou][bcdfghjlmnpqrstvxz]{2,})"
    r"(?:[aei]r|[aei]ram|ou|ei|[ei]u|ava|avam|iam?|[aei]ndo|[ai]d[ao]|[aei](?:r(?:e|ía)?)?mos|ávamos"
    r"|a|am|e|em|o|i)"
)


def _snowball(language: str) -> Callable[[str], str]:
    """Return this thread's stemmer: it keeps state, so two threads cannot share one."""
    stemmer: Callable[[str], str] | None = getattr(_stemmers, language, None)
    if stemmer is None:
        stemmer = _make(language)
        setattr(_stemmers, language, stemmer)
    return stemmer


def _make(language: str) -> Callable[[str], str]:
    # The same algorithm twice: compiled it loads in 5 ms, in Python in 500.
    try:
        import Stemmer
    except ImportError:
        import snowballstemmer

        make: Callable[[str], Any] = snowballstemmer.stemmer
    else:
        make = Stemmer.Stemmer
    stem_word: Callable[[str], str] = make(words_of(language).snowball).stemWord
    return stem_word


def _singular(word: str) -> str:
    for pattern, replacement in _SINGULAR:
        changed, count = pattern.subn(replacement, word)
        if count:
            return changed
    return word


def _is_we(word: str) -> bool:
    """Return whether its subject is `nós`: then the last letter is not a plural."""
    return (
        word.endswith(_WE)
        and len(word) >= _SHORTEST_WE
        and not word.endswith(_NOT_WE)
        and word not in NOUNS_IN_MOS
    )


def _ending_in(endings: Mapping[str, str], word: str, *, after: int = 0) -> str:
    """Return `word` with its ending replaced, if it is one of these and enough letters come before it."""
    for ending, other in endings.items():
        if word.endswith(ending) and len(word) >= len(ending) + after:
            return word.removesuffix(ending) + other
    return word


def _without_plural(word: str) -> str:
    return _ending_in(_WE_ACCENTS, word) if _is_we(word) else _singular(word)


def _portuguese(word: str) -> str:
    if word in WHOLE or word.endswith("eus"):
        return WHOLE.get(word, word[:-1])
    singular = PORTUGUESE.get(word) or (_without_plural(word) if word[-1] in "ils" else word)
    # `gravação` is the act of `gravar`, `vendedor` who sells: Snowball keeps some of these, and they never meet.
    if singular.endswith(_ACTS) and (act := _ACT_OF.sub("", singular)) != singular:
        return act
    if singular[0] in "aeiou" and (verb := _VOWEL_FIRST.fullmatch(singular)):
        return verb[1]
    said = _ending_in(_I_DID, singular, after=_BEFORE_I_DID)
    return _snowball("pt")(_ending_in(_ACCENTS, said))


def _english(word: str) -> str:
    return _snowball("en")(ENGLISH.get(word) or (_GREEK.sub("ses", word) if word.endswith("sis") else word))


@person_cache(maxsize=_STEMS_KEPT)
def stem(word: str, language: str) -> str:
    """Return the stem of one word; figures are kept whole, and a word of the other language is stemmed in that."""
    folded = fold(apart(word))
    if len(folded) < 3 or len(folded) > _LONGEST_WORD or not folded.isalpha() or not folded.isascii():
        return folded
    if language not in UNTOLD:
        return fold(_snowball(language)(folded))
    return fold(_portuguese(folded) if language_of_word(folded, language) == "pt" else _english(folded))
