"""From what a pattern captured to the value a person would write down."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import lru_cache

from rememora.gate.lexicon import EMAIL
from rememora.gate.months import months
from rememora.gate.policy import Policy
from rememora.language.folding import fold_same_length
from rememora.language.phrases import plain_words
from rememora.language.wordlists import PARTICLES

# "Av." and "Dr." do not end a name.
_ABBREVIATION = 3
_EDGES = " ,;:.!?-\"'“”()"
_PARTICLES = PARTICLES | plain_words("and") | plain_words("name_particle")
_NUMBER = re.compile(r"\d{1,2}")
_PHONE_DIGITS = range(7, 16)
_ADDRESS = re.compile(EMAIL)
_LETTERS = re.compile(r"[a-z]+")
_NEXT_SENTENCE = re.compile(r"[.!?…] +")


def trim_text(raw: str, policy: Policy) -> str | None:
    """Up to the next clause, without polite endings."""
    folded = fold_same_length(raw)
    for cut in policy.one("topics", "trim", "cut").finditer(folded, 3):
        # "é" is folded to what "and" looks like, and ends nothing.
        if raw[cut.start() + 1] not in "éÉ":
            raw = raw[: cut.start()]
            break
    return _without_tail(raw, policy) or None


def trim_clause(raw: str, policy: Policy) -> str | None:
    """The whole clause, without polite endings and the reason given for it."""
    if (aside := policy.one("topics", "trim", "aside").search(fold_same_length(raw))) and aside.start():
        raw = raw[: aside.start()]
    return _without_tail(raw, policy) or None


def trim_style(raw: str, policy: Policy) -> str | None:
    """A manner without the words that only ask for it: "keep it casual with me" is "casual"."""
    clause = trim_clause(raw, policy) or ""
    folded = fold_same_length(clause)
    lead, tail = (policy.one("topics", "style", edge).search(folded) for edge in ("lead", "tail"))
    start, end = lead.end() if lead else 0, tail.start() if tail else len(clause)
    return clause[start:end].strip(_EDGES) or clause or None


def _without_tail(raw: str, policy: Policy) -> str:
    folded = fold_same_length(raw)
    if tail := policy.one("topics", "trim", "tail").search(folded):
        raw = raw[: tail.start()]
    return raw.strip(_EDGES)


def _capitalised(raw: str, policy: Policy, *, limit: int, stops: Collection[str] = ()) -> str | None:
    """The leading run of capitalised words, with the particles between them, up to a word of `stops`."""
    kept: list[str] = []
    ends = {*policy.listed("pronouns"), *stops}
    for word in raw.split()[: limit + 3]:
        bare = word.strip(_EDGES)
        if fold_same_length(bare) in ends:
            break
        if bare[:1].isupper() or (kept and bare[:1].isdigit()) or (kept and bare.lower() in _PARTICLES):
            kept.append(bare)
        else:
            break
        if word[-1:] in ",;!?)" or (word[-1:] == "." and len(word) > _ABBREVIATION):
            break
    while kept and kept[-1].lower() in _PARTICLES:
        kept.pop()
    return " ".join(kept[:limit]) or None


def trim_name(raw: str, policy: Policy) -> str | None:
    """A person's name; a lower-case one only when it is a word that can be a name."""
    if name := _capitalised(raw, policy, limit=4, stops=policy.listed("company_kinds")):
        return name if fold_same_length(name).split()[0] not in policy.listed("not_name") else None
    first = raw.split(maxsplit=1)[0].strip(_EDGES) if raw.split() else ""
    folded = fold_same_length(first)
    if len(folded) < 2 or folded in policy.listed("not_name") or not folded.isalpha():
        return None
    return None if policy.one("topics", "trim", "role").search(folded) else first


def trim_name_caps(raw: str, policy: Policy) -> str | None:
    """A name that must be written as one, after a verb that also introduces roles."""
    name = _capitalised(raw, policy, limit=3, stops=policy.listed("company_kinds"))
    if not name:
        return None
    folded = fold_same_length(name)
    roles = policy.one("topics", "trim", "role").search(folded)
    return None if roles or folded.split()[0] in policy.listed("not_name") or name.isupper() else name


def trim_company(raw: str, policy: Policy) -> str | None:
    """A company's name as it is written."""
    company = _capitalised(raw, policy, limit=6)
    if not company:
        return None
    first = fold_same_length(company).split()[0]
    return None if first in policy.listed("company_stop") else company


def trim_place(raw: str, policy: Policy) -> str | None:
    """A place; lower-case ones end at the first word that cannot belong."""
    if place := _capitalised(raw, policy, limit=4):
        return place
    folded = fold_same_length(raw)
    stop = policy.one("topics", "trim", "place_stop").search(folded)
    short = (raw[: stop.start()] if stop else raw).strip(_EDGES)
    if fold_same_length(short) in policy.listed("not_place"):
        return None
    known = any(fold_same_length(short) in cities for _, cities in _zones(policy))
    return short if known else None


def trim_timezone(raw: str, policy: Policy) -> str | None:
    """The zone of a known city."""
    place = trim_place(raw, policy) or raw
    folded = fold_same_length(place).strip(_EDGES)
    for zone, cities in _zones(policy):
        if folded in cities or any(folded.startswith(f"{city} ") for city in cities):
            return zone
    return None


@lru_cache(maxsize=4)
def _zones(policy: Policy) -> tuple[tuple[str, tuple[str, ...]], ...]:
    zones: dict[str, str] = policy.plain("topics", "timezones")
    return tuple((zone, tuple(cities.split("|"))) for zone, cities in zones.items())


def trim_role(raw: str, policy: Policy) -> str | None:
    """Return a person's occupation, if the words can be one."""
    folded = fold_same_length(raw)
    if policy.one("topics", "trim", "not_role").search(folded):
        return None
    if cut := policy.one("topics", "trim", "role_cut").search(raw):
        raw = raw[: cut.start()]
    raw = _without_tail(raw, policy)
    return raw if policy.one("topics", "trim", "role").search(fold_same_length(raw)) else None


def trim_date(raw: str, _: Policy) -> str | None:
    """Month and day as `MM-DD`."""
    folded = fold_same_length(raw)
    numbers = [int(number) for number in _NUMBER.findall(folded)]
    month = next((months()[word] for word in _LETTERS.findall(folded) if word in months()), None)
    if month and numbers:
        return f"{month:02d}-{numbers[0]:02d}"
    return f"{numbers[1]:02d}-{numbers[0]:02d}" if len(numbers) > 1 else None


def trim_language(raw: str, policy: Policy) -> str | None:
    """A language as its two-letter code."""
    folded = fold_same_length(raw)
    known: dict[str, str] = policy.plain("pairs", "language_names")
    return known.get(folded[:3]) or known.get(folded[:2])


def trim_phone(raw: str) -> str | None:
    """A number of as many digits as a telephone has."""
    digits = sum(map(str.isdigit, raw))
    return raw.strip(_EDGES.replace("(", "")) if digits in _PHONE_DIGITS else None


def trim_email(raw: str) -> str | None:
    """The address in a text."""
    match = _ADDRESS.search(raw)
    return match[0] if match else None


# Rules in TOML name their trimming function by these keys.
TRIMS: dict[str, Callable[[str, Policy], str | None]] = {
    "text": trim_text,
    "clause": trim_clause,
    "style": trim_style,
    "name": trim_name,
    "name_caps": trim_name_caps,
    "company": trim_company,
    "place": trim_place,
    "timezone": trim_timezone,
    "role": trim_role,
    "date": trim_date,
    "language": trim_language,
    "phone": lambda raw, _: trim_phone(raw),
    "email": lambda raw, _: trim_email(raw),
}


def closing_start(text: str, most: int) -> int:
    """Return where the last words of a text begin: its last line, or else the sentences that fit in `most`."""
    first = len(text) - most
    line = text.rstrip().rfind("\n", first)
    if line >= 0:
        return line + 1
    sentence = _NEXT_SENTENCE.search(text, first)
    return sentence.end() if sentence else first
