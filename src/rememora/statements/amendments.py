"""Amends a statement: what changes it is kept behind it, in the words it was said in, with its day.

No word of anybody is rewritten. An edit that guesses wrong makes up a statement that nobody made ("meu sobrinho
Rayane"); an amendment that guesses wrong only stands beside what it does not concern.
"""

from __future__ import annotations

from collections import Counter
from datetime import date
from typing import Final

from rememora.language import fold
from rememora.language.amended import Amendment, parts_of, unsigned, with_parts
from rememora.language.phrases import phrase
from rememora.statements.values import values_of, words_of

LONGEST: Final = 600
"""Characters of an amended statement; where it would be longer, both statements stay."""
_JOINED: Final = phrase(r"(?:[,;.:]|\b{and}) $")
"""Words after which another clause begins."""


def amended(text: str, change: str, day: date) -> str | None:
    """Return a statement with a change behind it; None where it would be too long to be read as one.

    An earlier change of which the new one says everything again makes room for it: a price that changes every
    month does not grow without end. What an earlier change says already changes nothing.
    """
    first, earlier = parts_of(text)
    words = unsigned(change)
    if not words:
        return None
    if earlier and _repeats(words, earlier[-1], day):
        return text
    kept = [amendment for amendment in earlier if not covers(words, amendment.text)]
    whole = with_parts(first, [*kept, Amendment(day.isoformat(), words)])
    return whole if len(whole) <= LONGEST else None


def _repeats(words: str, last: Amendment, day: date) -> bool:
    """Return whether words only end the change that was told last, on the same day: "… e saí da clínica"."""
    said, again = fold(last.text).rstrip(" ."), fold(words).rstrip(" .")
    opened = said.removesuffix(again)
    return last.day == day.isoformat() and opened != said and (not opened or _JOINED.search(opened) is not None)


def covers(new: str, old: str) -> bool:
    """Return whether a statement says all that an older one does, with other values: nothing of it would be lost.

    It has every word of it, and for each of its figures, days or names one of that kind: "agora fecha às 21h" says
    one time where "das 9 às 18" says two.
    """
    before, said = ([value for value in values_of(text) if not value.opens] for text in (old, new))
    words = words_of(old) - {word for value in before for word in words_of(value.text)}
    kinds = Counter(value.kind for value in before)
    return bool(words) and words <= words_of(new) and kinds <= Counter(value.kind for value in said)
