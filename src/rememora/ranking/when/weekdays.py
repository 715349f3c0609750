"""Days of the week; five of them are ordinals in Portuguese, and days only where nothing is counted."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Final

from rememora.ranking.when import spans
from rememora.ranking.when.asking import Asking, Rules, before, compiled
from rememora.ranking.when.spans import DAY, WEEK, TimeSpan
from rememora.ranking.when.words import (
    AGO,
    COUNT,
    LAST,
    ORDINAL,
    ORDINALS,
    ORDINALS_TOO,
    PAST_TENSE,
    THIS,
    WEEKDAY,
    WEEKDAYS,
    WEEKDAYS_MANY,
    either,
    number_of,
    said,
)

# In Portuguese "segunda" is also "second": an ordinal has other words before it.
_BEFORE_DAYS: Final = rf"\b(?:{said('before_days')}) $|\b(?:{either(WEEKDAYS)}) (?:{said('and_or')}) $"
# Likewise after it: "segunda reunião" is the second meeting, "segunda à tarde" a day.
_AFTER_DAYS: Final = rf"(?:[^\w -]|$| (?:{said('after_days')})\b)"
_HOUR: Final = rf" (?:{said('hour_of_day')})\b"
_AND_WHO: Final = rf" (?:{said('and_who')})\b"
_ENDS: Final = rf" *(?:(?:{said('now')}) *)?(?:[^\w\s-]|$)"
# `Carne de segunda`, `passou em segunda`, `a minha segunda`: ordinals that keep their noun to themselves.
_BEFORE_ORDINALS: Final = rf"\b(?:{said('before_ordinals')}) $"
_WHOLE: Final = rf" (?:{said('of_in')})(?: (?:{said('the')}))? | (?={THIS} )"


def _weekday(match: re.Match[str], asking: Asking) -> TimeSpan | None:
    """The last such day before today, or that of the week or the month that is named beside it."""
    name, ordinal = match["weekday"], ORDINALS.get(match["ordinal"] or "", LAST)
    whole = compiled(_WHOLE).match(asking.text, match.end()) if match["ordinal"] else None
    month = whole and asking.starting(whole.end())
    if month and month.days > WEEK // DAY:
        nth = spans.nth_weekday(month, ordinal % LAST, WEEKDAYS[name])
        return nth if nth.meets(month) else None
    if ordinal != LAST or not (name not in ORDINALS_TOO or match["ago"] or _is_day(match, asking)):
        return None
    week = asking.sole(range(7, 8))
    latest = asking.now - DAY if week is None else week.until - timedelta(seconds=1)
    return spans.last_weekday(latest - WEEK * bool(match["twice"]), WEEKDAYS[name])


def _is_day(match: re.Match[str], asking: Asking) -> bool:
    """`Na segunda`, `falei segunda com ela`, `sexta à noite`; not `a segunda opção`, `carne de segunda`."""
    left, right = before(asking.text, match.start("weekday")), match.end()
    if not compiled(_AFTER_DAYS).match(asking.text, right):
        return False
    if compiled(rf"{_BEFORE_DAYS}|{PAST_TENSE} $").search(left) or compiled(_HOUR).match(asking.text, right):
        return True
    # Where the sentence ends with it, or begins, no noun comes that it could count.
    alone = compiled(_ENDS if left else f"{_ENDS}|{_AND_WHO}").match(asking.text, right)
    if not alone or compiled(_BEFORE_ORDINALS).search(left):
        return False
    return compiled(PAST_TENSE).search(asking.text) is not None


def _weekdays_ago(match: re.Match[str], asking: Asking) -> TimeSpan | None:
    """Three Fridays ago: the last one counts."""
    count = number_of(match["count"])
    if not count:
        return None
    return spans.last_weekday(asking.now - DAY - WEEK * (count - 1), WEEKDAYS_MANY[match["many"]])


_MANY: Final = f"(?P<many>{either(WEEKDAYS_MANY)})"
# "Three Fridays ago", before plain weekdays: those would read the last Friday from it.
COUNTED_WEEKDAYS: Final[Rules] = (
    (rf"\b{COUNT} {_MANY} (?:{said('ago')})\b", _weekdays_ago),
    (rf"\b(?:{said('ago_before')}) {COUNT} {_MANY}\b", _weekdays_ago),
)
DAYS_OF_WEEK: Final[Rules] = ((rf"\b(?:{ORDINAL} )?{WEEKDAY}\b(?: {AGO})?", _weekday),)
