"""Decides which memories a wish to forget means, and whether that is sure enough to act without a question."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import msgspec

from rememora.domain.memory import Memory
from rememora.domain.verdict import Forget
from rememora.gate import Policy
from rememora.gate.intents import points
from rememora.knowledge.control import OFFERED, meant
from rememora.knowledge.desk import Desk, Hand
from rememora.knowledge.find import by_words, reachable, says_all, words_of
from rememora.language import fold

Finds = Callable[[Hand], Sequence[Memory]]

_OWN = re.compile(r"(?:[oa]s? |the |all |tod[oa]s [oa]s )*(?:meus?|minhas?|nossos?|nossas?|my|our|mine)\b")
_MEMORY = re.compile(
    r"\b(?:esquec\w+|forget|unlearn|desaprend\w+|lembr\w+|remember\w*|memori\w+|guard\w+|salv\w+|anot\w+)"
)
# Somebody else's words that the person repeats: "dizia minha avó".
_REPORTED = re.compile(
    r"(?<!\beu )(?<!\bi )(?<!\bi just )\b(?:dizia|dizem|diz|disse|falava|falou|cantava|said|says|used to say)\b"
)
_NAMED = re.compile(
    r"(?<=[\w,] )[A-Z][\w-]{1,60}"
    r"|\b(?:d[aeo]s?|of) (?:meus?|minhas?|my |[ao]s? |the )?([\w-]{1,60})$|\b([\w-]{1,60})['’]s\b"
)


class Aim(msgspec.Struct, frozen=True, kw_only=True):
    """The memories that are meant, and whether the words leave no doubt about it."""

    memories: tuple[Memory, ...] = ()
    sure: bool = True
    addressed: bool = True
    """Tell whether the words speak to memory at all, so that finding nothing is worth an answer."""


def aim(hand: Hand, desk: Desk, text: str, verdict: Forget) -> Aim:
    """Find what a wish to forget means; in doubt the person is to be asked, with the choice shown."""
    last = points(verdict.target, desk.policy)
    found = meant(hand, desk, verdict.key, verdict.target, last=last)
    addressed = is_addressed(text, verdict, desk.policy)
    names = frozenset[str]() if last else names_in(verdict.target)
    if not names or not found or all(says_all(each, names) for each in found):
        return Aim(memories=tuple(found), sure=addressed, addressed=addressed)
    known = reachable(hand.work, hand.scope, shared=hand.actor.rights.write_shared)
    named = [each for each in known if says_all(each, names)]
    if named:
        return Aim(memories=tuple(by_words(named, verdict.target)), sure=addressed, addressed=addressed)
    return Aim(memories=tuple(found[:OFFERED]), sure=False, addressed=addressed)


def is_addressed(text: str, verdict: Forget, policy: Policy) -> bool:
    """Return whether words surely speak to memory: they name it, forget, or name what is the person's own."""
    folded = fold(text)
    if _REPORTED.search(folded):
        return False
    about_memory = policy.one("intents", "forget", "about_memory").search(folded) is not None
    return (
        about_memory
        or _MEMORY.search(folded) is not None
        or _OWN.match(fold(verdict.target)) is not None
        or verdict.key is not None
    )


def names_in(target: str) -> frozenset[str]:
    """Return the words of a target that name somebody or something: "o aniversário do Rafa" names Rafa."""
    found = ("".join(match.groups(default="")) or match.group() for match in _NAMED.finditer(target))
    return words_of(" ".join(found))
