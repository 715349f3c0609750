"""Wishes about memory itself: keep this, forget that, that is wrong."""

from __future__ import annotations

import re
from typing import Literal

import msgspec

from rememora.gate.lexicon import fits
from rememora.gate.policy import Policy
from rememora.language import fold
from rememora.language.phrases import phrase
from rememora.reading.normalised import NormalisedText
from rememora.reading.results import MessageReading

_REMOVES = phrase(r"\b{removes}\b")
_MINE = phrase(r"\b(?:{my}|{our}) $")
# A verb of keeping this near the start of a question makes it the question itself.
_OPENING = 12


class KeepRequest(msgspec.Struct, frozen=True, kw_only=True):
    """An explicit wish to keep something, and where its content begins."""

    start: int
    content: int
    empty: bool


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """Target of a request to forget."""

    words: str
    key: str | None
    start: int
    end: int


def find_forget(reading: NormalisedText, policy: Policy) -> Target | None:
    """A wish to forget something remembered, as against cancelling or editing."""
    text = reading.folded
    if not policy.one("intents", "forget", "cue").search(text):
        return None
    match = policy.any_of(text, "intents", "forget", "patterns") or _framed(text, policy)
    if match is None or policy.one("intents", "forget", "veto").search(text):
        return None
    return None if _is_edit(text, match, policy) else _target(reading, match, policy)


def _is_edit(text: str, match: re.Match[str], policy: Policy) -> bool:
    """Return whether something is removed from a text or an app rather than from memory."""
    if policy.one("intents", "forget", "about_memory").search(text):
        return False
    edit = policy.one("intents", "forget", "edit_object").search(text)
    if edit and edit.start() <= match.start() + 2:
        return True
    return policy.one("intents", "forget", "edited_in").search(text, match.start()) is not None


def _framed(text: str, policy: Policy) -> re.Match[str] | None:
    """The verb of a wish to forget that fits a frame."""
    return (
        policy.one("intents", "forget", "verb").search(text)
        if fits(policy, text, "intents", "forget", "frames")
        else None
    )


def _target(reading: NormalisedText, match: re.Match[str], policy: Policy) -> Target:
    """Everything, a known attribute, or the words themselves."""
    text = reading.folded
    everything = policy.one("intents", "forget", "all").search(text)
    narrow = policy.one("intents", "forget", "narrow").search(text, match.start())
    if everything and not narrow:
        return Target(words="all", key=None, start=match.start(), end=match.end())
    words = _named(reading, match.start(), len(text), policy)
    return Target(words=words or reading.text, key=attribute(text, policy), start=match.start(), end=match.end())


def _named(reading: NormalisedText, start: int, end: int, policy: Policy) -> str:
    """Return what a wish to forget names, without the words of the wish."""
    lead = policy.one("intents", "forget", "lead").match(reading.folded[start:end])
    return reading.text[start + (lead.end() if lead else 0) : end].strip(" .,!?")


def forget_in(reading: NormalisedText, start: int, end: int, policy: Policy) -> Target | None:
    """A wish to forget that no rule knows; None where it names nothing, or edits a text or an app."""
    text = reading.folded[start:end]
    if policy.one("intents", "forget", "everything").search(text):
        return Target(words="all", key=None, start=start, end=end)
    words = _named(reading, start, end, policy)
    edits = policy.one("intents", "forget", "edit_object").match(text) or policy.one(
        "intents", "forget", "edited_in"
    ).search(text)
    bare = " " not in words and policy.one("intents", "forget", "cue").match(fold(words))
    if not words or bare or (edits and not policy.one("intents", "forget", "about_memory").search(text)):
        return None
    return Target(words=words, key=attribute(text, policy), start=start, end=end)


def names_removal(folded: str) -> bool:
    """Return whether a text has a verb by which people ask to forget: with it the reader needs to be less sure."""
    return _REMOVES.search(folded) is not None


def forgets_as_a_whole(spoken: MessageReading, policy: Policy) -> bool:
    """Return whether a message as a whole is a wish to forget: "me deu calote, apaga ela daí" is half a change."""
    return spoken.label("forget") >= policy.threshold("reader_forgets_whole")


def declines(reading: NormalisedText, policy: Policy, by: Literal["written", "borne"]) -> bool:
    """A wish that nothing be kept of what the message says: not written down, not borne in mind."""
    return policy.any_of(reading.folded, "intents", "decline", by) is not None


def points(words: str, policy: Policy) -> bool:
    """Return whether words name nothing, so that they can only mean the last message: "isso que eu falei"."""
    return policy.one("intents", "wish", "empty").fullmatch(fold(words).strip()) is not None


def attribute(text: str, policy: Policy) -> str | None:
    """Key of the attribute that a folded text speaks of."""
    for key in policy.plain("topics", "attributes"):
        if policy.one("topics", "attributes", key).search(text):
            return str(key)
    return None


def attribute_place(text: str, key: str, policy: Policy) -> int | None:
    """Return where a folded text names the attribute of a key; None where it does not, or the key has no words."""
    if key not in policy.plain("topics", "attributes"):
        return None
    named = policy.one("topics", "attributes", key).search(text)
    return None if named is None else named.start()


def is_about_memory(reading: NormalisedText, policy: Policy) -> bool:
    """Return whether a message is about memories or notes."""
    ways = (("intents", "forget", "about_memory"), ("intents", "correct", "record"))
    return any(policy.one(*way).search(reading.folded) for way in ways)


def find_correction(reading: NormalisedText, policy: Policy) -> re.Match[str] | None:
    """A statement that what is remembered is wrong."""
    text = reading.folded
    match = policy.any_of(text, "intents", "correct", "strong")
    if match is None:
        return None
    if policy.one("intents", "correct", "output_object").search(text) and not is_about_memory(reading, policy):
        return None
    return match


def find_keep_request(reading: NormalisedText, policy: Policy) -> KeepRequest | None:
    """An explicit wish to keep something; None for what only looks like one."""
    text = reading.folded
    for match in policy.one("intents", "wish", "start").finditer(text):
        after = text[match.end("verb") :]
        if policy.one("intents", "wish", "file_object").search(after):
            continue
        if _lookalike(text, match, policy):
            continue
        return _content(text, match, policy)
    return None


def _lookalike(text: str, match: re.Match[str], policy: Policy) -> bool:
    lookalike = policy.one("intents", "wish", "lookalike").search(text, max(0, match.start("verb") - 12))
    if lookalike and lookalike.start() <= match.end("verb"):
        return True
    if not text.rstrip().endswith("?") or match.start("verb") > _OPENING:
        return False
    stated = policy.one("intents", "wish", "content_start").match(text[match.end("verb") :].lstrip())
    return stated is None or match.start("verb") == 0


def _content(text: str, match: re.Match[str], policy: Policy) -> KeepRequest:
    """Return where the content of a request begins, and whether there is any."""
    start = match.end("verb")
    bridge = policy.one("intents", "wish", "bridge").match(text[start:] + " ")
    begin = start + (min(bridge.end(), len(text) - start) if bridge else 0)
    opening = policy.one("intents", "wish", "content_start").match(text[begin:].lstrip(" :,-"))
    lead = len(text[begin:]) - len(text[begin:].lstrip(" :,-"))
    content = begin + lead + (opening.end() if opening else 0)
    # "Remember that my anniversary …": the word before what is to be kept belongs to it.
    if mine := _MINE.search(text, start, content):
        content = mine.start()
    rest = text[content:]
    empty = policy.one("intents", "wish", "empty").fullmatch(rest.strip()) is not None
    before = text[: match.start("verb")].strip(" ,.:;!-")
    pointed = policy.one("intents", "wish", "pointed").search(text, match.start("verb"), content)
    if policy.one("intents", "wish", "again").fullmatch(rest.strip()):
        empty = True
    if pointed and policy.one("intents", "wish", "purpose").match(rest):
        empty = True
    if empty and len(before) > _OPENING:
        return KeepRequest(start=match.start("verb"), content=0, empty=False)
    return KeepRequest(start=match.start("verb"), content=content, empty=empty)


def is_reminder(reading: NormalisedText, policy: Policy) -> bool:
    """A task or an appointment, not something to know."""
    return policy.one("intents", "wish", "reminder").search(reading.folded) is not None
