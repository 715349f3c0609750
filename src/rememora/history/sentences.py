"""Sentences of a conversation and their importance: figures, names, decisions, preferences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

import msgspec

from rememora.caches import person_cache
from rememora.language import fold
from rememora.language.folding import fold_typed
from rememora.language.packs import CODES, cue_words_of, joined, names_of_days, split_words
from rememora.language.phrases import filled
from rememora.language.sentences import ends_sentence
from rememora.language.wordlists import INFORMAL, STOP, UNTOLD

LONGEST_LINE = 300
LETTERS_READ = 4_000
LEAST_WORDS = 2
SAME_SHARE: Final = 0.75
"""Share of the words of the shorter of two sentences that both must have to say the same."""
_END: Final = r"[.!?…]+[\"')\]»”’]*(?=\s)|\n+|\s+[•·–—*-]\s+(?=\S)"
_BULLET: Final = r"^(?:[•·–—*>#-]+|\d{1,2}[.)])\s+"
_SPACES: Final = r"\s+"
# "don't" is one word: negations are looked up as they are said.
_WORD: Final = r"[^\W\d_]+(?:'[^\W\d_]+)?"
# A bare answer and at most a word of courtesy: "sim, mas…" says more than its question.
_YES_OR_NO: Final = filled(r"{yes_or_no}(?:,? {beside_answer})?[.! ]*")
_MONEY: Final = filled(r"(?:r\$|us\$|[$€£])\s?\d|\d\s?%|\d+ {money_word}\b")
_FIGURE: Final = r"\d+(?:[.,:/]\d+)*"
_NAME: Final = r"(?<=[^\s.!?:…] )(?!I['’ ])[A-ZÀ-ÖØ-Þ][^\W\d_]+(?:[ -][A-ZÀ-ÖØ-Þ][^\W\d_]+)*"


WEIGHTS: Final = {
    "decision": 3.0,
    "preference": 3.0,
    "identity": 2.0,
    "recommendation": 1.5,
    # At the beginning of an answer to a recommendation.
    "acceptance": 0.0,
    # What an assistant would do or have done: accepted, it is decided.
    "offer": 0.0,
    "courtesy": -4.0,
}
"""How much a phrase of each kind adds to the worth of a sentence."""
LISTS: Final = ("filler", "negation", "assent", "thanks", "hesitation")


class Cues(msgspec.Struct, frozen=True):
    """Words of the language packs about sentences, compiled."""

    weighed: tuple[tuple[str, float, re.Pattern[str]], ...]
    filler: frozenset[str]
    negation: frozenset[str]
    when: frozenset[str]
    assent: frozenset[str]
    thanks: frozenset[str]
    hesitation: frozenset[str]


class Sentence(msgspec.Struct, frozen=True, kw_only=True):
    """One sentence by one side, with its features; `goes_with` is the position of its question or answer."""

    role: str
    text: str
    place: int
    words: frozenset[str]
    figures: frozenset[str]
    names: frozenset[str]
    cues: frozenset[str]
    negated: bool
    filler: bool
    worth: float
    goes_with: int | None = None


@cache
def compiled(text: str) -> re.Pattern[str]:
    """A regular expression that is compiled on first use, not at import."""
    return re.compile(text)


@cache
def _empty_words() -> frozenset[str]:
    """Return words of both languages that carry no meaning, informal spellings included."""
    return frozenset().union(*(STOP[code] | INFORMAL[code].keys() for code in UNTOLD))


@cache
def cues() -> Cues:
    """Return the phrases and words of all languages; loaded with the first sentence, not at import."""
    files = [cue_words_of(code) for code in CODES]
    weighed = tuple(
        (name, weight, compiled(rf"(?<!\w)(?:{joined(*(file.patterns.get(name, '') for file in files))})(?!\w)"))
        for name, weight in WEIGHTS.items()
    )
    lists = {
        name: frozenset[str]().union(*(split_words(file.lists.get(name, "")) for file in files)) for name in LISTS
    }
    when = frozenset[str]().union(*map(names_of_days, CODES))
    return Cues(weighed=weighed, when=when, **lists)


def split_sentences(text: str) -> Iterator[str]:
    """Split a text into sentences, with whitespace normalised; abbreviations and figures do not end one."""
    text = text[:LETTERS_READ]
    start = 0
    for end in compiled(_END).finditer(text):
        if end.group() != "." or ends_sentence(text, end.start()):
            yield from _tidy(text[start : end.end()])
            start = end.end()
    yield from _tidy(text[start:])


def see(text: str, *, role: str, place: int) -> Sentence:
    """Analyse a sentence, and weigh it."""
    return msgspec.structs.replace(_seen(text, role), place=place)


@person_cache(maxsize=4_096)
def _seen(text: str, role: str) -> Sentence:
    """Analyse a sentence independent of its position; cached, since summaries and episodes share sentences."""
    folded = fold_typed(text)
    table = cues()
    plain = frozenset(compiled(_WORD).findall(folded))
    words = frozenset(word for word in plain if len(word) > 1) - _empty_words()
    figures = frozenset(compiled(_FIGURE).findall(folded))
    names = frozenset(compiled(_NAME).findall(text))
    asks = "?" in text
    cue_names = _cues_of(folded, role, asks=asks)
    worth = sum(weight for name, weight, _ in table.weighed if name in cue_names)
    # Facts are what summaries are asked for later: content words, names, days, and above all money and figures.
    # Each counts up to a bound, so that long sentences do not always win.
    worth += min(len(words), 8) * 0.12 + 0.8 * min(len(names), 2) + (0.6 if plain & table.when else 0.0)
    if figures:
        worth += 1.5 if compiled(_MONEY).search(folded) else 0.8
    return Sentence(
        role=role,
        text=text,
        place=0,
        words=words,
        figures=figures,
        names=names,
        cues=cue_names,
        negated=bool(plain & table.negation),
        filler=not figures and (len(words) < LEAST_WORDS or plain <= table.filler),
        worth=worth + _of_role(role, asks=asks),
    )


def accepts(text: str) -> bool:
    """Return whether an answer accepts a proposal, at its beginning and without a "but"."""
    folded = fold_typed(text[:LETTERS_READ]).lstrip(" ¡!.,-")
    table = cues()
    first = compiled(_WORD).findall(folded)[:6]
    if not table.negation.isdisjoint(first) or not table.hesitation.isdisjoint(first):
        return False
    acceptance = next(pattern for name, _, pattern in table.weighed if name == "acceptance")
    return acceptance.match(folded) is not None or _assents(folded, acceptance)


def is_yes_or_no(text: str) -> bool:
    """Return whether a text is a bare yes or no, which says as much as its question."""
    return compiled(_YES_OR_NO).fullmatch(fold(text)) is not None


def _assents(folded: str, acceptance: re.Pattern[str]) -> bool:
    """Return whether it is a yes of small words (`blz, ok`), or an acceptance after them (`ok, pode fazer`)."""
    table, said = cues(), set[str]()
    for word in compiled(_WORD).finditer(folded):
        # Word by word: only words of assent may stand before the acceptance, or "ok, but wait" would be one.
        if said and acceptance.match(folded, word.start()):
            return True
        if word.group() not in table.assent:
            return False
        said.add(word.group())
    return not said <= table.thanks and "?" not in folded and not compiled(_FIGURE).search(folded)


def same_thing(one: Sentence, other: Sentence) -> bool:
    """Return whether two sentences say the same: shared words, the same figures, and both or neither negated."""
    asking = ("?" in one.text) != ("?" in other.text)
    # A question is not its answer, and a denial not its statement, however many words they share.
    if asking or one.negated != other.negated or not one.words or not other.words:
        return one.text == other.text
    smaller = one if len(one.words) <= len(other.words) else other
    larger = other if smaller is one else one
    # "30 boxes" and "40 boxes" share all other words.
    if not smaller.figures <= larger.figures:
        return False
    return len(one.words & other.words) >= SAME_SHARE * len(smaller.words)


def clip(text: str, characters: int) -> str:
    """Return the beginning of a text, cut between words and marked as cut."""
    if len(text) <= characters:
        return text
    head = text[: characters - 1]
    whole = head.rpartition(" ")[0]
    return (whole if len(whole) > characters // 2 else head).rstrip(" ,;:-") + "…"


def _cues_of(folded: str, role: str, *, asks: bool) -> frozenset[str]:
    """Return the cues that count: a question states nothing, and only users state preferences and who they are."""
    names = {name for name, _, pattern in cues().weighed if pattern.search(folded)}
    if asks:
        names -= {"decision", "preference", "identity"}
    if role == "assistant":
        names -= {"preference", "identity"}
    return frozenset(names)


def _of_role(role: str, *, asks: bool) -> float:
    if role == "tool":
        return -1.0
    if role == "assistant":
        return -0.6 if asks else 0.0
    return 1.1 if asks else 0.4


def _tidy(piece: str) -> Iterator[str]:
    text = compiled(_BULLET).sub("", compiled(_SPACES).sub(" ", piece).strip())
    if any(sign.isalnum() for sign in text):
        yield clip(text, LONGEST_LINE)
