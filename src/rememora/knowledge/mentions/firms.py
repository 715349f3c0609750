"""Recognises organisations: by the form of the name, or because somebody works, buys or has a contract there."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from rememora.knowledge.mentions.capitals import Name
from rememora.knowledge.mentions.gazetteer import any_of, gazetteer

_RUNS: Final = re.compile(r"(?:i|we|she|he|they) (?:work|run|runs|lead|leads) \w+ (?:at|for)\s*$")
_BELONGS: Final = r"founder|cofounder|co-founder|owner|ceo|cto|cfo|president|customer|employee|founded"


def firm(name: Name) -> float:
    """Recognise a firm by the form of its name."""
    table, words = gazetteer(), name.words
    if " ".join(words) in table.organizations:
        return 0.85
    if len(words) == 1:
        return 0.0
    if words[-1].strip(".") in table.organization_suffixes:
        return 0.95
    if _is_kind(name):
        return 0.9
    if words[0] in table.trades:
        return 0.75
    ends = table.organization_endings | table.organization_kinds
    return 0.85 if words[-1] in ends or " & " in name.text else 0.0


def _is_kind(name: Name) -> bool:
    """Return whether the first word says what kind of firm it is; Portuguese forms shop names by an ending."""
    first = name.words[0]
    # So end verbs too (`Queria`), but they have no capital within a sentence.
    shop = first.endswith(("aria", "eria")) and not name.opens and not name.called
    return shop or first in gazetteer().organization_kinds


def employer(name: Name) -> float:
    """Recognise a firm by the words before its name."""
    table, words = gazetteer(), name.words
    if words[0] in table.ordinary | table.departments | table.first_names | table.months.keys():
        return 0.0
    if name.previous in table.organization_kinds or _is_called().search(name.before):
        return 0.85
    if works_for().search(name.before) or _RUNS.search(name.before):
        return 0.85
    if _is_contracted().search(name.before) and not _is_no_firm(name):
        return 0.65
    return 0.65 if name.of and not name.text.isupper() else 0.0


def _is_no_firm(name: Name) -> bool:
    """Exclude people with contracts: with a title or a family name, hired as something, at work or from a shop.

    A cancelled order has a number.
    """
    table, following = gazetteer(), re.findall(r"^ (\w+)", name.after)
    family = len(name.words) > 1 and name.words[-1] in table.family_names
    if name.words[0].rstrip(".") in table.before_people:
        return True
    shop = re.match(r" d[ao] (\w+)", name.after)
    if shop is not None and shop[1] in table.organization_kinds | table.departments:
        return True
    # `e` is also `and`.
    acts = not (table.acts - {"e"}).isdisjoint(following)
    return family or acts or re.match(r" (?:como |as |#?\d)", name.after) is not None


@cache
def _is_called() -> re.Pattern[str]:
    kinds = any_of(gazetteer().organization_kinds | gazetteer().partners)
    link = r"(?:(?: \w+)? (?:se chama|chama|chamad[oa]|vai se chamar|is called|is named|called|named)| e [oa]| is)"
    return re.compile(rf"(?<!\w)(?:{kinds}){link}\s*$")


@cache
def works_for() -> re.Pattern[str]:
    """Match words that come before the name of a firm: to work, buy or have an account there."""
    table = gazetteer()
    portuguese = rf"(?:{any_of(table.works_for)})(?: \w+){{0,2}}? (?:n[ao]|para [ao]|pel[ao]|d[ao])"
    english = rf"(?:{any_of(table.works_for_en)})(?: \w+){{0,2}}? (?:at|for|by)|(?:{_BELONGS}) (?:of|at)"
    english = rf"(?:{english}|joined|founded|acquired)(?: the)?"
    return re.compile(rf"(?<!\w)(?:{portuguese}|{english})\s*$")


@cache
def _is_contracted() -> re.Pattern[str]:
    """`contratei a Stone`, `renovar o contrato com a Vivo`, `signed with Comcast`; another may follow `and`."""
    words = gazetteer().dealings
    when = r"(?: (?:ontem|hoje|agora|up|yesterday|today))?"
    of = r"(?:com(?: [oa])?|d[ao]|n[ao]|with(?: the)?)"
    deals = (
        rf"(?:{any_of(words.hired)})(?: (?:our|my|the)| [oa])?"
        rf"|(?:{any_of(words.hired)})(?: \w+)? (?:{any_of(words.services)}) {of}"
        rf"|(?:{any_of(words.agreed)}){when} (?:com|with)(?: the| [oa])?"
        rf"|(?:{any_of(words.contracts)})(?: \w+){{0,2}}? (?:com|with)(?: the| [oa])?"
    )
    more = r"(?: \w+(?: \w+)?(?:,| e| ou| and| or)(?: com| with)?(?: [oa])?){0,6}"
    return re.compile(rf"(?<!\w)(?:{deals}){more}\s*$")
