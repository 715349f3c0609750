"""Learns how a person talks: language, answer length, hours, channel, topics; each a candidate for the gate."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, tzinfo

import msgspec

from rememora.domain.message import Message
from rememora.knowledge.answer_length import asks_shorter
from rememora.knowledge.topics import topics
from rememora.language import detect, language_of_text

LEAST_SHARE = 0.7
LEAST_MESSAGES = 5
LEAST_REQUESTS = 3
LEAST_HOURLY = 12
LEAST_DAYS = 3
LEAST_AS_THING = 2
"""Minimum messages in which a topic stands where only things do; once may be a slip."""
LEAST_SHARE_AS_THING = 1 / 3
LONGEST_STRETCH_HOURS = 8
MOST_TOPICS = 5
MOST_EVIDENCE = 20
MOST_CONFIDENCE = 0.95
DOUBT = 2
"""Prior against few messages: agreement of few is less certain than of many."""

_HOURS = 24
_WORDS_THAT_TELL_A_LANGUAGE = 3


class Pattern(msgspec.Struct, frozen=True, kw_only=True):
    """A learned pattern, with the messages that show it, for the gate to judge."""

    key: str
    value: str | bool
    confidence: float
    evidence: tuple[str, ...]


def counted(key: str, value: str | bool, ids: Sequence[str], *, of: int) -> str:
    """Return the evidence of a pattern: how many messages show it, and the ids of some."""
    return f"{key} = {value}: {of} ({', '.join(ids)})"


def is_counted(key: str, evidence: str) -> bool:
    """Return whether evidence is a count, and no words that were said."""
    return evidence.startswith(f"{key} = ")


def learn(
    messages: Sequence[Message], *, channels: Mapping[str, str] | None = None, zone: tzinfo = UTC
) -> list[Pattern]:
    """Return every pattern in a user's messages; `channels` gives the channel of each conversation."""
    said = [message for message in messages if message.role == "user"]
    patterns = (
        language_of(said),
        answer_length_of(said),
        hours_of(said, zone),
        channel_of(said, channels or {}),
        topics_of(said, zone),
    )
    return [pattern for pattern in patterns if pattern is not None]


def language_of(messages: Iterable[Message]) -> Pattern | None:
    """Return the language of most messages, among those whose language is clear."""
    telling = [message for message in messages if len(message.content.split()) >= _WORDS_THAT_TELL_A_LANGUAGE]
    votes = [(tongue, turn) for turn in telling if (tongue := language_of_text(turn.content)) is not None]
    return _majority("user.preferred_language", votes)


def answer_length_of(messages: Iterable[Message]) -> Pattern | None:
    """Return whether the user keeps asking for shorter answers, or for longer ones."""
    requests = [
        (shorter, message) for message in messages if (shorter := asks_shorter(message.content)) is not None
    ]
    return _majority("prefs.short_answers", requests, least=LEAST_REQUESTS)


def channel_of(messages: Iterable[Message], channels: Mapping[str, str]) -> Pattern | None:
    """Return the channel that most messages come through."""
    known = [(channels[message.conversation], message) for message in messages if message.conversation in channels]
    return _majority("prefs.preferred_channel", known)


def hours_of(messages: Sequence[Message], zone: tzinfo) -> Pattern | None:
    """Return the shortest part of the day that holds most messages, counted over several days."""
    local = [(message.created_at.astimezone(zone), message) for message in messages]
    if len(local) < LEAST_HOURLY or len({moment.date() for moment, _ in local}) < LEAST_DAYS:
        return None
    per_hour = Counter(moment.hour for moment, _ in local)
    # Shorter stretches first: the first that holds enough messages is the narrowest habit there is.
    for length in range(1, LONGEST_STRETCH_HOURS + 1):
        start = max(range(_HOURS), key=lambda hour: (_within(per_hour, hour, length), -hour))
        count = _within(per_hour, start, length)
        if count / len(local) >= LEAST_SHARE:
            inside = [turn for moment, turn in local if (moment.hour - start) % _HOURS < length]
            value = f"{start:02}:00-{(start + length) % _HOURS:02}:00"
            return _pattern("prefs.active_hours", value, inside, of=len(local))
    return None


def topics_of(messages: Sequence[Message], zone: tzinfo) -> Pattern | None:
    """Return the topics that recur on several days, the most frequent first."""
    days: defaultdict[str, set[object]] = defaultdict(set)
    spoken: defaultdict[str, list[Message]] = defaultdict(list)
    spelled: defaultdict[str, Counter[str]] = defaultdict(Counter)
    usual = _usual_language(messages)
    for message in messages:
        named = topics(message.content, detect(message.content, usual))
        # A word once a message, and as a thing where it stands as one.
        for topic in {topic.stem: topic for topic in sorted(named, key=lambda topic: topic.thing)}.values():
            days[topic.stem].add(message.created_at.astimezone(zone).date())
            spoken[topic.stem].append(message)
            spelled[topic.stem].update([topic.word] if topic.thing else ())
    lasting = [key for key in days if len(days[key]) >= LEAST_DAYS and _is_thing(spelled[key], spoken[key])]
    top = sorted(lasting, key=lambda key: (-len(days[key]), -len(spoken[key]), key))[:MOST_TOPICS]
    if not top:
        return None
    value = ", ".join(spelled[key].most_common(1)[0][0] for key in top)
    evidence = list({turn.id: turn for key in top for turn in spoken[key]}.values())
    fewest = min(len(days[key]) for key in top)
    return _pattern("prefs.topics", value, evidence, confidence=fewest / (fewest + 1))


def _is_thing(as_thing: Counter[str], spoken: Sequence[Message]) -> bool:
    return as_thing.total() >= max(LEAST_AS_THING, len(spoken) * LEAST_SHARE_AS_THING)


def _usual_language(messages: Iterable[Message]) -> str:
    """Return the language to assume for a message whose language is unclear."""
    votes = Counter(tongue for message in messages if (tongue := language_of_text(message.content)) is not None)
    return votes.most_common(1)[0][0] if votes else "pt"


def _majority(
    key: str, votes: Sequence[tuple[str | bool, Message]], *, least: int = LEAST_MESSAGES
) -> Pattern | None:
    if len(votes) < least:
        return None
    value, count = Counter(value for value, _ in votes).most_common(1)[0]
    if count / len(votes) < LEAST_SHARE:
        return None
    return _pattern(key, value, [message for vote, message in votes if vote == value], of=len(votes))


def _pattern(
    key: str, value: str | bool, shown: Sequence[Message], *, of: int = 0, confidence: float | None = None
) -> Pattern:
    sure = len(shown) / (of + DOUBT) if confidence is None else confidence
    newest = sorted(shown, key=lambda message: (message.created_at, message.seq))[-MOST_EVIDENCE:]
    return Pattern(
        key=key,
        value=value,
        confidence=round(min(sure, MOST_CONFIDENCE), 4),
        evidence=tuple(turn.id for turn in newest),
    )


def _within(per_hour: Mapping[int, int], start: int, length: int) -> int:
    return sum(per_hour.get((start + offset) % _HOURS, 0) for offset in range(length))
