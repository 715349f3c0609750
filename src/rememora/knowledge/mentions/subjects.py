"""Subject of a limit that is not a known metric: `if the error rate exceeds 2%`, `o estoque mínimo é 50`."""

from __future__ import annotations

from typing import Final

from rememora.language.phrases import phrase
from rememora.language.wordlists import is_stop

_NAME: Final = r"(?P<name>[a-z]{1,40}(?:\s{1,3}(?:{limit_of}\s{1,3})?[a-z]{1,40}){0,2}?)"
# What may stand before the limited thing; `kept` ("mantenha o estoque…") needs no verb of becoming.
_WHEN: Final = (
    r"(?:(?<!\w){limit_if}\s+(?:{limit_the}\s+)?"
    r"|(?:(?<!\w){limit_let}\s+|(?:^|[.!?,;:\n])\s{0,3}|(?P<kept>(?<!\w){limit_keep}\s+)){limit_the}\s+)"
)
# Verbs between the thing and its limit; without one, two nouns side by side are not a condition.
_BECOMES: Final = phrase("{becomes}")
# The sentence is about what stands before such verbs; before others it is about who does them.
_SAYS: Final = phrase(
    rf"{_WHEN}{_NAME}(?P<verbs>(?:\s{{1,3}}{{may}}){{0,3}}(?:\s{{1,3}}{{becomes}}){{0,3}})\s{{0,3}}$"
)
_VERB: Final = phrase("{exceeds}")
_IS: Final = r"(?:\s{0,3}[:=]|\s{1,3}{limit_is}){0,3}\s{0,3}$"
# Nouns that carry their limit as an adjective ("estoque mínimo") on either side.
_LEAST: Final = phrase(
    rf"(?<!\w)(?:{{limit_the}}|{{limit_article}})\s+(?P<name>[a-z]+)\s+{{extreme}}{_IS}"
    rf"|(?<!\w){{limit_the}}\s+{{extreme_before}}\s+(?P<later>[a-z]+(?:\s+[a-z]+)??){_IS}"
    r"|(?<!\w)(?P<headed>[a-z]+)\s+{extreme}\s*[:=]\s*$"
)
_OF: Final = phrase("{limit_of}")

_REACH = 80


def subject(folded: str, limits_at: int, value_at: int, limit: str, people: frozenset[str]) -> str | None:
    """The name of what is limited by the figure at `value_at`, by the words `limit` at `limits_at`; no person."""
    begin = max(0, limits_at - _REACH)
    match = _LEAST.search(folded, begin, value_at)
    if match is not None:
        return _sound(match["name"] or match["later"] or match["headed"], people)
    said = _SAYS.search(folded, begin, limits_at)
    if said is None or not (said["kept"] or _VERB.match(limit) or _BECOMES.search(said["verbs"])):
        return None
    return _sound(said["name"], people)


def _sound(name: str, people: frozenset[str]) -> str | None:
    """A name of things only: no small word but the one that joins two, no person."""
    words = [word for word in name.split() if not _OF.fullmatch(word)]
    if any(is_stop(word) for word in words) or words[0] in people:
        return None
    return " ".join(name.split())
