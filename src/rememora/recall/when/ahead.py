"""Whether a question asks for what is still to come: `pra onde vou em julho?`, `my plans for December`."""

from __future__ import annotations

from typing import Final

from rememora.recall.when.asking import before, compiled
from rememora.recall.when.words import PAST_TENSE

_PORTUGUESE: Final = (
    r"vou|vai|vamos|vao|irei|iremos|sera(?! que)|serao|serei|tera|terao|terei|fara|farao|farei|faremos|havera"
    r"|\w{3,}(?:aremos|eremos|iremos)|pretend(?:o|e|em|emos)|planej(?:o|a|am|ando)"
    r"|planos? (?:para|pra|pro)|(?:marcad|agendad|previst|reservad|programad)[oa]s? (?:para|pra|pro)"
    r"|(?:meus?|minhas?|noss[oa]s?) proxim[oa]s?|quando e (?:o|a|os|as|meu|minha|noss[oa])"
)
# `Going to the gym` is a way, not a plan; `I am traveling in July` is a plan.
_ENGLISH: Final = (
    r"will|won't|(?<=')ll|(?<!been )going to (?!the\b|an?\b|my\b|our\b|his\b|her\b|their\b)|gonna|planning"
    r"|plan(?:s|ned)? (?:for|to)|scheduled (?:for|in|on)|booked for|upcoming|(?:my|our|his|her|their) next"
    r"|when(?: is|'s) (?:my|our|the|his|her|their)"
    r"|(?:am i|are (?:we|you|they)|is (?:he|she)|who(?: is|'s)"
    r"|(?:i|we|you|he|she|they)(?: am| are| is|'m|'re|'s)) \w+ing"
)
_WAS: Final = r"era|eram|estava|estavam|tinha|tinham|havia|ia|iam|costumava|used to|has|been"
_MARKS: Final = rf"\b(?:(?P<ahead>{_PORTUGUESE}|{_ENGLISH})|{_WAS})\b|{PAST_TENSE}"
_REACH = 200
"""How far a verb may stand from its time: what is further away speaks of another."""
_SINCE: Final = r"\b(?:since|desde)(?: [oa]s?| the| dia)? $"


def lies_ahead(text: str, start: int, end: int) -> bool:
    """Whether a time at a place of a text is ahead: the verb nearest before it tells, or else the first after."""
    if compiled(_SINCE).search(before(text, start)):
        return False
    marks = [*compiled(_MARKS).finditer(text, max(0, start - _REACH), start)]
    mark = marks[-1] if marks else compiled(_MARKS).search(text, end, end + _REACH)
    return mark is not None and mark["ahead"] is not None
