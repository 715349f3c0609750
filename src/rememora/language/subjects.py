"""Subjects of statements: one name for one entity, however a sentence leads up to it.

"do projeto Aurora", "the Aurora project" and "Projeto Aurora" are all `Aurora`, a project. Only what stands before
a name goes: of the name itself no word is lost, so that "João" and "João Pedro" stay two people.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Final, Literal

from rememora.language.folding import fold
from rememora.language.phrases import plain_words

SubjectKind = Literal["me", "company", "person", "project", "organization", "product", "place", "thing", "unknown"]
ME: Final = "me"
COMPANY: Final = "company"
OWNERS: Final = (ME, COMPANY)
"""Subjects without a name: the person, and the company they work for."""
NO_NAME: Final = ("", *OWNERS)
MOST_CHARACTERS: Final = 200
"""Maximum characters of a subject; a reader that takes a whole text for a name is cut short."""
_EDGES: Final = " \t\r\n.,;:!?…\"'“”‘’()[]«»"
_SPACES: Final[dict[str, SubjectKind]] = {"people": "person", "projects": "project"}
"""Namespaces whose keys name their subject, with the kind of it."""


def canonical_subject(named: str) -> str:
    """Return a name without the articles, prepositions, possessives, titles and nouns that lead up to it."""
    words = _words(named)
    first, last = _span(words)
    # A capital says that an article is part of the name: "O Boticário".
    if first and words[first - 1][0].isupper() and words[first][0].isupper() and _is_plain(words[first - 1]):
        first -= 1
    return " ".join(words[first:last])[:MOST_CHARACTERS].rstrip()


def subject_key(named: str) -> str:
    """Return the form by which subjects are compared: the same for one entity, whatever its case and accents."""
    words = _words(fold(named))
    first, last = _span(words)
    return " ".join(words[first:last])


def same_subject(one: str | None, other: str | None) -> bool:
    """Return whether two subjects are one; an unknown one is the same as no other."""
    return bool(one and other) and subject_key(str(one)) == subject_key(str(other))


def is_project(named: str, texts: Sequence[str] = ()) -> bool:
    """Return whether a subject, or one of the texts around it, calls it a project: "projeto Aurora"."""
    name = subject_key(named)
    if name in NO_NAME or name in _nouns():
        return False
    if not _nouns().isdisjoint(fold(word) for word in _words(named)):
        return True
    # No capital, no name: in "the new project", "new" is none.
    if named == named.lower():
        return False
    words, nouns = r"\s+".join(map(re.escape, name.split())), "|".join(map(re.escape, sorted(_nouns())))
    called = re.compile(rf"(?<!\w)(?:(?:{nouns})\s+{words}|{words}\s+(?:{nouns}))(?!\w)")
    return any(called.search(fold(text)) for text in texts)


def kind_of_key(key: str) -> SubjectKind:
    """Return the kind of the subject that a key names: a person of `people.ana.phone`; else unknown."""
    space, _, rest = key.partition(".")
    return _SPACES.get(space, "unknown") if "." in rest else "unknown"


def _words(named: str) -> list[str]:
    """Return the words of a name without marks around them."""
    printed = "".join(char if char.isprintable() else " " for char in named)
    return [bare for word in printed.split() if (bare := word.strip(_EDGES))]


def _span(words: Sequence[str]) -> tuple[int, int]:
    """Return where the name itself begins and ends; its last word always stays."""
    folded = [fold(word) for word in words]
    first, last = 0, len(words)
    while first < last - 1 and (_is_plain(folded[first]) or folded[first] in _titles() | _nouns()):
        first += 1
    while last > first + 1 and folded[last - 1] in _nouns():
        last -= 1
    return first, last


def _is_plain(word: str) -> bool:
    """Return whether a word only leads up to a name."""
    return fold(word) in _before()


@cache
def _before() -> frozenset[str]:
    return plain_words("before_subject")


@cache
def _titles() -> frozenset[str]:
    return plain_words("title_of_person")


@cache
def _nouns() -> frozenset[str]:
    return plain_words("project_noun")
