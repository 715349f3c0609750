"""Takes a phone number or an e-mail address out of a statement, so that the rest of what was said stays.

"Na Corvale quem me atende é o Humberto, cel 98811-3040, e na Rolomax a Soraia, 98822-7716" and "esquece o celular
do cara da Corvale" leave both people and one number. The form of such a value is certain, and so is which one is
meant where the words beside it are said: no network has to guess.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from rememora.language import fold
from rememora.language.folding import fold_same_length
from rememora.language.parsed import ParsedText
from rememora.language.phrases import phrase
from rememora.language.sentences import ends_sentence
from rememora.language.word_patterns import WORD
from rememora.language.wordlists import is_idle
from rememora.statements.values import TypedValue, values_of, words_of

_WORDS: Final = {"phone": phrase(r"\b(?:{phone_word})\b"), "email": phrase(r"\b(?:{email_word})\b")}
_NAMES_KIND: Final = phrase(r"{phone_word}|{email_word}")
# What leads to the value and says nothing without it: ", cel ", " at ", ": ".
_LEADS: Final = phrase(r"(?:[\s,;:–-]|\b(?:{phone_word}|{email_word}|{contact_lead}|{and})\b[.:]?)*+\Z")
_IS: Final = phrase(r"\b(?:{contact_is})\b[\s:]*\Z", re.IGNORECASE)
_CLAUSE: Final = phrase(r"[,;.()](?=\s|$|[\w(])\s*+|(?<!\s)\s++(?:{and}|{but})\s++")
_EMPTY: Final = re.compile(r" ?\(\s{0,3}\)")
_LEAD_CHARACTERS: Final = 40
_JOINT: Final = phrase(r"[,;.]\s++(?:(?:{and}|{but})\s++)?+|(?<!\s)\s++(?:{and}|{but})\s++", re.IGNORECASE)
"""Ends a clause; a dot inside a title or an initial does not."""
_PERSON: Final = phrase(r"(?P<who>{third_person})\s", re.IGNORECASE)
_SEVERAL: Final = phrase("{several_people}", re.IGNORECASE)
_OWN: Final = phrase(r"\b(?:{my}|{our})\b", re.IGNORECASE)
_LEAST_LEFT: Final = 2
"""Words that say something, without which the rest is not worth keeping."""


def without_contact(text: str, wish: ParsedText) -> str | None:
    """Return a statement without the number that a request means; None if it means none, or all of it."""
    value = _meant(text, wish.compared)
    if value is None:
        return None
    # A bracket that only the number's form opens stays with its partner.
    start = value.start + (value.text.startswith("(") and ")" not in value.text)
    head, tail = text[:start], text[value.end :]
    if _IS.search(head):
        return _without_clause(head, tail)
    lead = _LEADS.search(fold_same_length(head), max(0, len(head) - _LEAD_CHARACTERS))
    left = f"{head[: lead.start()] if lead else head}{' ' if tail[:1].isalnum() else ''}{tail}".strip()
    return _if_worth(_EMPTY.sub("", left))


def _without_clause(head: str, tail: str) -> str | None:
    """Return a statement without the clause "Ana's phone is …"; None where the rest would say nothing whole.

    What follows the clause mostly speaks of whom the number was of: "and she lives in Boston" is told of Ana.
    """
    cut = max(_joints(head), key=lambda joint: joint.end(), default=None)
    before, clause = (head[: cut.start()], head[cut.end() :]) if cut else ("", head)
    joint = next((joint for joint in _joints(tail) if not joint.start()), None)
    rest = tail[joint.end() :] if joint else ""
    if tail.strip(" .!") and not rest:
        # "…, só zap" or "(só zap)" speaks of the number.
        return None
    retold = _told_of(rest, clause, alone=not before) if rest else ""
    if retold is None:
        return None
    return _if_worth(f"{before}{joint[0] if before and joint and retold else ''}{retold}")


def _told_of(rest: str, clause: str, *, alone: bool) -> str | None:
    """Return what follows a clause, told of the one whom the clause names; None where nobody is told of."""
    names = {value.text for value in values_of(clause) if value.kind == "name"}
    owners = [name for name in names if not _NAMES_KIND.fullmatch(fold(name))]
    person = _PERSON.match(rest)
    if person is not None and owners:
        one = len(owners) == 1 and _SEVERAL.fullmatch(person["who"]) is None
        return f"{owners[0]}{rest[person.end('who') :]}" if one else None
    names_somebody = any(value.kind == "name" for value in values_of(rest))
    whole = names_somebody or (person is None and _OWN.search(clause) is not None)
    return rest if whole or not alone else None


def _joints(text: str) -> Iterator[re.Match[str]]:
    """Yield what parts the clauses of a text."""
    for joint in _JOINT.finditer(text):
        if not joint[0].startswith(".") or ends_sentence(text, joint.start()):
            yield joint


def _if_worth(left: str) -> str | None:
    """Return what is left of a statement where it says enough to be kept."""
    says = {word for word in WORD.findall(fold(left)) if not is_idle(word)}
    return left if len({word for word in says if not _NAMES_KIND.fullmatch(word)}) >= _LEAST_LEFT else None


def tells_kind(text: str, wish: ParsedText) -> bool:
    """Return whether a text has a value of the kind that a request names: another number of the same person."""
    kind = _named_kind(wish.compared)
    return bool(kind) and any(value.kind == kind for value in values_of(text))


def _named_kind(wish: str) -> str:
    """Return the kind that a folded request names first: "delete her phone number, she wants e-mails only"."""
    named = {kind: match.start() for kind, pattern in _WORDS.items() if (match := pattern.search(wish))}
    return min(named, key=lambda kind: named[kind], default="")


def _meant(text: str, wish: str) -> TypedValue | None:
    """Return the value of the kind that a request names, if it is the only one or the words beside it are said."""
    kind = _named_kind(wish)
    values = values_of(text)
    rivals = [value for value in values if value.kind == kind]
    if len(rivals) < 2:
        return rivals[0] if rivals else None
    said = words_of(wish)
    shared = [len(words_beside(value, text, values) & said) for value in rivals]
    best = max(shared)
    return rivals[shared.index(best)] if best and shared.count(best) == 1 else None


def words_beside(value: TypedValue, text: str, values: Sequence[TypedValue]) -> set[str]:
    """The words that say what a value is of: its clause, and what stands between it and the value before it."""
    start, end = 0, len(text)
    for match in _CLAUSE.finditer(text):
        if match.end() <= value.start:
            start = match.end()
        elif match.start() >= value.end:
            end = match.start()
            break
    earlier = [other for other in values if other.kind == value.kind and other.end <= value.start]
    if earlier and earlier[-1].start >= start:
        # Two values in one clause: what stands between them says what the second is of.
        start, end = earlier[-1].end, value.end
    elif earlier:
        start = min(start, earlier[-1].end)
    else:
        start = text.rfind(":", 0, start) + 1
    return words_of(text[start : value.start]) | words_of(text[value.end : end])
