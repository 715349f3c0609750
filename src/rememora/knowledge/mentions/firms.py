"""Recognises organisations: by the form of the name, or because somebody works, buys or has a contract there."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from rememora.knowledge.mentions.capitals import Name
from rememora.knowledge.mentions.gazetteer import any_of, gazetteer
from rememora.language.phrases import phrase, plain_words

_RUNS: Final = phrase(r"{runs_at}\s*$")
_SHOP_ENDINGS: Final = tuple(plain_words("shop_ending"))
_OF_SHOP: Final = phrase(r" {of_firm} (\w+)")
_AS_ROLE: Final = phrase(r" (?:{as_role} |#?\d)")


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
    shop = first.endswith(_SHOP_ENDINGS) and not name.opens and not name.called
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
    shop = _OF_SHOP.match(name.after)
    if shop is not None and shop[1] in table.organization_kinds | table.departments:
        return True
    # `e` is also `and`.
    acts = not (table.acts - plain_words("and")).isdisjoint(following)
    return family or acts or _AS_ROLE.match(name.after) is not None


@cache
def _is_called() -> re.Pattern[str]:
    kinds = any_of(gazetteer().organization_kinds | gazetteer().partners)
    return phrase(rf"(?<!\w)(?:{kinds})(?:(?: \w+)? {{called}}| {{is_the}})\s*$")


@cache
def works_for() -> re.Pattern[str]:
    """Match words that come before the name of a firm: to work, buy or have an account there."""
    works = any_of(gazetteer().works_for)
    return phrase(rf"(?<!\w)(?:(?:{works})(?: \w+){{0,2}}? {{at_firm}}|{{joins_firm}})\s*$")


@cache
def _is_contracted() -> re.Pattern[str]:
    """`contratei a Stone`, `renovar o contrato com a Vivo`, `signed with Comcast`; another may follow `and`."""
    words = gazetteer().dealings
    deals = (
        rf"(?:{any_of(words.hired)})(?: {{deal_article}})?"
        rf"|(?:{any_of(words.hired)})(?: \w+)? (?:{any_of(words.services)}) {{deal_of}}"
        rf"|(?:{any_of(words.agreed)})(?: {{deal_when}})? {{deal_with}}"
        rf"|(?:{any_of(words.contracts)})(?: \w+){{0,2}}? {{deal_with}}"
    )
    more = r"(?: \w+(?: \w+)?(?:,| {and}| {or})(?: {with})?(?: {name_article})?){0,6}"
    return phrase(rf"(?<!\w)(?:{deals}){more}\s*$")
