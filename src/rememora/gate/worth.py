"""Whether something said is worth knowing later: kinds of talk, doubt, time, signs of lasting."""

from __future__ import annotations

import re
from functools import lru_cache

from rememora.gate.lexicon import fits
from rememora.gate.normalise import Reading, fold_same_length
from rememora.gate.policy import Policy

_STRETCH = re.compile(r"(.)\1{2,}")
_LAUGH = re.compile(r"k{2,}|(?:ha|he|hi|rs|hue)+h?s?")
_SENTENCE = re.compile(r"(?<![.!?])[.!?]++(?=\s|$)|\n")
_SIGNS = ("us", "rule", "when", "amount", "verb")
_MAX_FILLER_WORDS = 8


@lru_cache(maxsize=4)
def _filler_words(policy: Policy) -> frozenset[str]:
    return frozenset(policy.plain("worth", "filler", "words"))


def is_filler(reading: Reading, policy: Policy) -> bool:
    """A message made of nothing but greetings, thanks, assent and laughter."""
    words = reading.words()
    if len(words) > _MAX_FILLER_WORDS:
        return False
    known = _filler_words(policy)
    return all(
        word in known
        or _LAUGH.fullmatch(word)
        or _STRETCH.sub(r"\1", word) in known
        or word.replace("'", "") in known
        for word in words
    )


def says(reading: Reading, policy: Policy, kind: str) -> re.Match[str] | None:
    """Whether a message shows a kind of talk: hedge, temporary, hypothetical, and so on."""
    return policy.any_of(reading.folded, "worth", kind, "patterns")


def is_question(reading: Reading, policy: Policy) -> bool:
    """A message that asks, with or without a question mark."""
    text = reading.folded.rstrip()
    return "?" in text or policy.one("worth", "question", "start").search(text) is not None


def asks_outright(reading: Reading, policy: Policy) -> bool:
    """A message that opens as a question."""
    return policy.one("worth", "question", "start").search(reading.folded) is not None


def is_request(reading: Reading, policy: Policy) -> bool:
    """A message that opens by asking for something to be done."""
    return policy.one("worth", "request", "start").search(reading.folded) is not None


def is_idle(reading: Reading, policy: Policy) -> bool:
    """Doubt about what to do this minute."""
    return policy.one("worth", "hedge", "idle").search(reading.folded) is not None


def is_temporary(reading: Reading, policy: Policy) -> bool:
    """A state that lasts days or weeks; a goal for a period is not one."""
    if says(reading, policy, "temporary") is None:
        return False
    if policy.one("worth", "temporary_goal").search(reading.folded):
        return False
    return policy.one("worth", "temporary_state").search(reading.folded) is not None


def without_questions(reading: Reading) -> Reading:
    """The same message with its questions blanked, so that what they mention is not taken as said."""
    if "?" not in reading.folded:
        return reading
    blanked = list(reading.text)
    at = 0
    for match in _SENTENCE.finditer(reading.text):
        if "?" in match[0]:
            blanked[at : match.end()] = " " * (match.end() - at - 1) + "."
        at = match.end()
    text = "".join(blanked)
    return Reading(raw=reading.raw, text=text, folded=fold_same_length(text), places=reading.places)


def signs(reading: Reading, policy: Policy) -> int:
    """How many signs of a lasting statement a message shows, its topic apart."""
    return sum(policy.one("topics", "signs", sign).search(reading.folded) is not None for sign in _SIGNS)


def is_lasting(reading: Reading, policy: Policy) -> bool:
    """A statement of trade or of how we do things, with enough signs that it lasts."""
    enough = policy.threshold("signs")
    if reading.folded.count(" ") < policy.threshold("lasting_words") - 1:
        return False
    topics = {match[0] for match in policy.one("topics", "signs", "topic").finditer(reading.folded)}
    if topics:
        return signs(reading, policy) + min(len(topics), 2) >= enough
    ours = policy.one("topics", "signs", "strict_us").search(reading.folded)
    personal = not ours and policy.one("topics", "signs", "self").search(reading.folded)
    return signs(reading, policy) >= (enough + 1 if personal else enough)


def is_rule(reading: Reading, policy: Policy) -> bool:
    """How to act from now on, said to the agent."""
    return fits(policy, reading.folded, "worth", "rule", "frames")


def is_done(reading: Reading, policy: Policy) -> bool:
    """Something that somebody did a moment ago."""
    return policy.one("worth", "moment", "done").search(reading.folded) is not None


def is_passing(reading: Reading, policy: Policy) -> bool:
    """What happens or breaks this minute."""
    return policy.any_of(reading.folded, "worth", "passing", "patterns") is not None


def has_topic(reading: Reading, policy: Policy) -> bool:
    """Whether a message speaks of trade or routine at all."""
    return policy.one("topics", "signs", "topic").search(reading.folded) is not None


def is_past(reading: Reading, policy: Policy) -> bool:
    """Something that happened once."""
    return policy.one("topics", "signs", "past").search(reading.folded) is not None
