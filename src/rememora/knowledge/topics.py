"""Topics of a person's messages: the things and names in them, not their questions, wishes or actions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

import msgspec

from rememora.language import fold, stem
from rememora.language.packs import CODES, calendar_of, names_of_days, topic_words_of
from rememora.language.wordlists import STOP, UNTOLD

SHORTEST: Final = 4
# With the signs between words, which part one thing from the next.
_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|[^\w\s]")
Words = frozenset[str]


class Topic(msgspec.Struct, frozen=True):
    """A word of a message that may be a topic; `thing` says that its position allows only things and names."""

    stem: str
    word: str
    thing: bool


class _Table(msgspec.Struct, frozen=True, kw_only=True):
    hollow: dict[str, Words]
    asking: dict[str, Words]
    qualities: Words
    lists: dict[str, dict[str, Words]]
    """What else each language says, by name."""

    def listed(self, name: str, language: str) -> Words:
        """Return a list of one language; a pack may have none."""
        return self.lists[language].get(name, Words())


def topics(text: str, language: str) -> Iterator[Topic]:
    """Return the words of a message that may be topics, in order."""
    said = _WORD.findall(text)
    words = [fold(word) for word in said]
    for at, word in enumerate(words):
        if len(word) < SHORTEST or not word.isalpha() or word in _table().hollow[language]:
            continue
        root = stem(word, language)
        if root not in _table().asking[language]:
            # A capital letter inside a sentence makes a name, but not in a word written all in capitals.
            named = at > 0 and said[at][0].isupper() and words[at - 1][0].isalnum() and not said[at].isupper()
            yield Topic(root, word, named or _is_thing(words, at, language))


def _is_thing(words: list[str], at: int, language: str) -> bool:
    table, before = _table(), at - 1
    following = words[at + 1] if at + 1 < len(words) else ""
    if following in table.listed("behind_thing", language):
        return True
    # `an amazing day`: in English what a thing is like stands before it.
    if language == "en" and following.isalpha() and following not in STOP["en"]:
        return False
    while before > 0 and words[before] in table.qualities:
        before -= 1
    if before < 0:
        return False
    if words[before] in table.listed("before_thing", language):
        return True
    # `a pagar`, `for trying`: what ends like a verb is one there.
    verb = words[at].endswith(tuple(table.listed("verb_endings", language)))
    return words[before] in table.listed("before_any", language) and not verb


@cache
def _table() -> _Table:
    lists = {language: topic_words_of(language) for language in CODES}
    asking, qualities, courtesy, time = (
        Words().union(*(words.get(name, Words()) for words in lists.values()))
        for name in ("asking", "qualities", "courtesy", "time")
    )
    empty = asking | qualities | courtesy | time
    return _Table(
        hollow={language: empty | _function_words(language) for language in CODES},
        asking={language: frozenset(stem(word, language) for word in asking) for language in CODES},
        qualities=qualities,
        lists=lists,
    )


def _function_words(language: str) -> Words:
    """Return function words and names of times of a language, and of the two that people mix with any other."""
    return frozenset().union(
        *(STOP[code] | names_of_days(code) | calendar_of(code).units.keys() for code in {language, *UNTOLD})
    )
