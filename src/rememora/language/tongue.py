"""Which of the two languages a text is written in, from the small words that only one of them has."""

from __future__ import annotations

import re
from typing import Final

from rememora.caches import person_cache
from rememora.language.wordlists import INFORMAL, STOP

LANGUAGES: Final = ("pt", "en")

_WORD: Final = re.compile(r"[^\W\d_]+")
_LETTERS_READ = 2_000
# A word of both lists (`a`, `do`, `no`, `me`, `as`) says nothing about the language.
# So does a lone letter, which is as often a unit, an initial or a currency sign.
_PT: Final = {word for word in STOP["pt"] | INFORMAL["pt"].keys() if len(word) > 1} | set("eoq")
_EN: Final = {word for word in STOP["en"] | INFORMAL["en"].keys() if len(word) > 1} | {"i"}
_ONLY_PT: Final = _PT - _EN
_ONLY_EN: Final = _EN - _PT
_PT_LETTERS: Final = frozenset("ãõçáâêíóôú")
_PT_ENDINGS: Final = (
    "cao",
    "coes",
    "dade",
    "mente",
    "inho",
    "inha",
    "ando",
    "endo",
    "ava",
    "eira",
    "eiro",
    "lhe",
    "eza",
)
_EN_ENDINGS: Final = ("ing", "tion", "ness", "ght", "ould", "th", "ly", "ck", "wn", "ed")
# Whose thing it is says English where nothing else says anything; a name that ends so, like `Bob's`, says nothing.
_EN_OWNER: Final = re.compile(r"[^\W\d_]['’]s\s+[^\W\d_]")
# What the spelling of one folded word gives away, whatever text it stands in.
_EN_SPELLING: Final = re.compile(
    r"[kwy]|[st]h|ph|sch|([bcdfglmnptz])\1|[^aeioun]s$|[ai]ble$"
    r"|(?:[bdfklnpt]|[tv]er|[tnd]r|or)ies$"
)
_EN_LAST: Final = frozenset("bcdfghjkpqtvwxyn")
_PT_LAST: Final = frozenset("aeos")
_PT_SPELLING: Final = re.compile(r"(?:[cistz]ao|[csi]oes|inh[ao]s?|lh[aeo]s?|mentos?|dades?)$")


def _weight(word: str) -> int:
    """Positive for Portuguese, negative for English."""
    if word in _ONLY_PT:
        return 20
    if word in _ONLY_EN:
        return -20
    if not _PT_LETTERS.isdisjoint(word):
        return 15
    if len(word) > 4 and word.endswith(_PT_ENDINGS):
        return 7
    if len(word) > 4 and word.endswith(_EN_ENDINGS):
        return -7
    return 0


@person_cache(maxsize=32_768)
def _balance(piece: str) -> int:
    """Of what stands between two spaces: the same few thousand say most of what people say."""
    return sum(map(_weight, _WORD.findall(piece)))


def home(word: str, language: str) -> str:
    """Where a folded `word` of a text in `language` is at home: in the other one where its spelling says so."""
    if language == "en" and not (word[-1] in _PT_LAST and _PT_SPELLING.search(word)):
        return "en"
    return "en" if word[-1] in _EN_LAST or _EN_SPELLING.search(word) else "pt"


@person_cache(maxsize=4_096)
def told(text: str) -> str | None:
    """The language that `text` says it is in, if it does: one or two words often do not."""
    balance = sum(map(_balance, text[:_LETTERS_READ].lower().split()))
    if balance:
        return "pt" if balance > 0 else "en"
    return "en" if _EN_OWNER.search(text, 0, _LETTERS_READ) else None


def detect(text: str, locale: str = "pt") -> str:
    """`pt` or `en`: the language of `text`, or of `locale` where the text does not say."""
    return told(text) or ("en" if locale.lower().startswith("en") else "pt")
