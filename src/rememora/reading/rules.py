"""Splits a conditional rule into its condition and its consequence.

"Se passar de 15 alunos, a turma vai pra sala grande" is not a fact until its condition is met. The words that open
a condition are few and closed in every language, so they are a table; whether a later message makes one true is
learned (`tools/train_links.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from rememora.caches import person_cache
from rememora.language.phrases import phrase, plain_words
from rememora.language.sentences import ends_sentence

# Conditions open a sentence, or follow a comma or conjunction; elsewhere "se" is a pronoun. Some words open one
# only at the head of a sentence: elsewhere they mostly mean something else.
_HEAD: Final = phrase(
    r"(?:^|[:;—–]\s+)(?P<open>{condition}|{condition_first})\s+(?=\S)"
    r"|(?:,\s+|\b(?:{that}|{and}|{but})\s+)(?P<inside>{condition})\s+(?=\S)",
    re.IGNORECASE,
)
_TAIL: Final = phrase(r"\s(?P<open>{condition})\s+(?=\S)", re.IGNORECASE)
_NO_CONDITION: Final = phrase(r"\b{no_condition}\Z", re.IGNORECASE)
"""Words in the middle of a sentence that look like openers: "ele se aposenta", "press it once and wait"."""
_CONDITIONAL: Final = phrase("{conditional_verb}")
_NO_REFLEXIVE: Final = plain_words("no_reflexive_verb")
_NEXT_WORD: Final = re.compile(r"\w++")
_REFLEXIVE_PRONOUN: Final = plain_words("reflexive")
_SURELY: Final = phrase("{condition}", re.IGNORECASE)
# Possessive quantifiers (`++`) keep long runs of spaces linear.
_THEN: Final = phrase(
    r"(?:,|\s[—–-]|;|:)\s++(?:(?:{then}|{then_after_comma})\s++)?|(?<!\s)\s++{then}\s++", re.IGNORECASE
)
_SPEAKER: Final = phrase(r"\s(?={speaker}\s)", re.IGNORECASE)
"""Pronouns that open the consequence where no comma separates it from the condition."""
_THING: Final = phrase(r"\s(?={thing}\s|[A-ZÀ-Ý])")
_WHILE: Final = phrase(r"{lasts}\b", re.IGNORECASE)
_SENTENCE_END: Final = re.compile(r"(?<=[.!?…])\s++|\n")
_LEAST_WORDS: Final = 2
_LEAST_BEFORE_THING: Final = 3


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """A condition and its consequence, in the original words."""

    condition: str
    consequence: str
    lasts: bool = False
    """The consequence holds while the condition does: "enquanto o elevador estiver quebrado"."""


@person_cache(maxsize=4096)
def rule_of(sentence: str) -> Rule | None:
    """Split a sentence into condition and consequence; None where it has no condition."""
    text = sentence.strip().rstrip(".!")
    return None if text.endswith("?") else _condition_first(text) or _condition_last(text)


def without_rules(text: str) -> str:
    """Remove the sentences that state a rule: the figures in them do not hold yet."""
    return "\n".join(text[a:b] for a, b in sentence_spans(text) if rule_of(text[a:b]) is None)


def sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each sentence of a text begins and ends."""
    at = 0
    for match in _SENTENCE_END.finditer(text):
        if "\n" not in match[0] and not ends_sentence(text, match.start() - 1):
            continue
        if text[at : match.start()].strip():
            yield at, match.start()
        at = match.end()
    if text[at:].strip():
        yield at, len(text)


def _condition_first(text: str) -> Rule | None:
    """Read "se X, Y"; what is said before the condition ("combinei com o pessoal: se X, Y") is left out."""
    for opened in _HEAD.finditer(text):
        opener, rest = opened["open"] or opened["inside"], text[opened.end() :]
        then = _THEN.search(rest)
        surely = _SURELY.fullmatch(opener) is not None
        if then is not None and (surely or then[0].startswith(",")):
            rule = _rule(opener, rest[: then.start()], rest[then.end() :])
        elif surely:
            at = _boundary(rest)
            rule = _rule(opener, rest[:at], rest[at:]) if at else None
        else:
            rule = None
        if rule is not None:
            return rule
    return None


def _boundary(rest: str) -> int:
    """Find where the consequence begins without a comma: at a pronoun, else at a noun or name; 0 for nowhere."""
    for pattern, least in ((_SPEAKER, _LEAST_WORDS), (_THING, _LEAST_BEFORE_THING)):
        for match in pattern.finditer(rest):
            if len(rest[: match.start()].split()) >= least:
                return match.start()
    return 0


def _condition_last(text: str) -> Rule | None:
    """Read "Y se X"."""
    for opened in _TAIL.finditer(text):
        if _NO_CONDITION.search(text, 0, opened.end("open")):
            continue
        if opened["open"].lower() in _REFLEXIVE_PRONOUN and _is_reflexive(text[opened.end() :]):
            continue
        rule = _rule(opened["open"], text[opened.end() :], text[: opened.start()].rpartition(": ")[2])
        if rule is not None:
            return rule
    return None


def _is_reflexive(rest: str) -> bool:
    """Return whether the words after "se" begin with its verb: "minha filha se chama …", "o curso se paga …"."""
    word = _NEXT_WORD.match(rest)
    if word is None or not word[0].islower():
        return False
    return word[0] not in _NO_REFLEXIVE and _CONDITIONAL.fullmatch(word[0]) is None


def _rule(opener: str, condition: str, consequence: str) -> Rule | None:
    condition, consequence = condition.strip(" ,;:"), consequence.strip(" ,;:")
    if len(condition.split()) < _LEAST_WORDS or len(consequence.split()) < _LEAST_WORDS:
        return None
    return Rule(condition=condition, consequence=consequence, lasts=_WHILE.match(opener) is not None)
