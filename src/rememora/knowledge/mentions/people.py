"""Recognises people: introduced, called by a title, listed in the gazetteer, or spoken with."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from rememora.knowledge.mentions.capitals import Name
from rememora.knowledge.mentions.gazetteer import any_of, gazetteer
from rememora.language.phrases import phrase, plain_words

_NAMED: Final = phrase(r"{introduced}\s*$")
_PRESENTED: Final = phrase(r"(?<!\w){presented}\s*$")
_NAME_ENDS: Final = phrase(r"\s*(?:$|[,.!;:\n)–—-]|{after_name}(?!\w))")
_SHORTENED: Final = plain_words("short_title")
_BETWEEN: Final = plain_words("beside_verb")
_JOINED: Final = phrase(r" {and} [oa] ")
# A given name as Portuguese spells them; brands like to look otherwise.
_GIVEN: Final = re.compile(r"[A-ZÀ-Þ][a-zà-ÿ]+[aeiouslnrmzáéíóúãõêâô]")
_GIVEN_TOO: Final = re.compile(r"[A-ZÀ-Þ][a-zà-ÿ]+(?: [A-ZÀ-Þ][a-zà-ÿ]+)?")


def person(name: Name) -> float:
    """Return how certain it is that a name is a person's; 0 where nothing says so."""
    table, words = gazetteer(), name.words
    presented = _PRESENTED.search(name.before) is not None
    if _NAMED.search(name.before):
        return 0.95
    if (
        name.text.isupper()
        or is_no_name(words)
        or words[0] in table.place_openings
        or (presented and not _is_presented(name))
    ):
        return 0.0
    if presented:
        return 0.95
    if _is_title(name.previous) or _is_called().search(name.before):
        return 0.9
    if words[0] in table.first_names:
        return 0.85 if len(words) > 1 or name.before.strip() else 0.7
    met = _is_spoken_with().search(name.before) or (len(words) == 1 and _is_asked().search(name.before))
    return 0.65 if met else 0.6 if _follows_article(name) or _is_along(name) else 0.0


def _is_along(name: Name) -> bool:
    """Return whether something is done together with a name that looks like a given one."""
    given = _GIVEN_TOO.fullmatch(name.text) is not None and not name.after.startswith(("'", "’"))
    return given and _is_together().search(name.before) is not None


def _is_title(word: str) -> bool:
    """`Dr. Lima`, `my mom Ana`; where a whole word has a full stop behind it, a sentence has ended."""
    bare = word.rstrip(".")
    return bare in gazetteer().before_people and (bare == word or bare in _SHORTENED)


def is_no_name(words: list[str]) -> bool:
    """Words with a capital for other reasons, and titles and kinds of firm without a name behind them."""
    table, first = gazetteer(), words[0]
    if first in table.ordinary | table.campaign_kinds | table.months.keys() | table.departments:
        return True
    if first in table.metrics or " ".join(words) in table.organizations or " ".join(words) in table.products:
        return True
    return len(words) == 1 and first in table.before_people | table.organization_kinds


def _is_presented(name: Name) -> bool:
    """`I'm Kevin` presents somebody; `I'm Happy` and `sou o Responsável` say how or what one is."""
    table, words = gazetteer(), name.words
    if words[0] in table.first_names:
        return True
    if words[0] in table.states or words[0].endswith(table.state_endings):
        return False
    return len(words) > 1 or _NAME_ENDS.match(name.after) is not None


def _follows_article(name: Name) -> bool:
    """Portuguese puts an article before people's names; it does so before other names too."""
    opens = re.search(r"(?:^|[.!?:\n]\s{0,4})[oa] $", name.before) is not None
    joined = _JOINED.match(name.after) is not None
    following = [word.rstrip(".,!?;") for word in name.after.split()[:3] if word not in _BETWEEN]
    acts = joined or not gazetteer().acts.isdisjoint(following[:1])
    return name.article and not name.of and (acts or not opens) and _GIVEN.fullmatch(name.text) is not None


@cache
def _is_called() -> re.Pattern[str]:
    """`meu sócio é o Caio`, `our designer, Kaito`, `my sister is called Zed`."""
    kin = any_of(gazetteer().before_people)
    link = r"(?:,| (?:{is}|{called})(?: {name_article})?)"
    return phrase(rf"(?<!\w)(?:{kin})(?: {{kin_of}})?{link}\s*$")


@cache
def _is_asked() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{any_of(gazetteer().asked)})(?: [oa])?\s*$")


@cache
def _is_spoken_with() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{any_of(gazetteer().spoken_with)})(?: [oa])?\s*$")


@cache
def _is_together() -> re.Pattern[str]:
    return phrase(rf"(?<!\w)(?:{any_of(gazetteer().together)})(?!\w)[^.!?;,:\n]{{0,80}}? {{with}}\s{{0,4}}$")
