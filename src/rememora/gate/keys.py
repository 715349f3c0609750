"""Keys made of what a message says: each thing has its own, so that only the same thing replaces it."""

from __future__ import annotations

import re

from rememora.gate.found import group_of, slug
from rememora.gate.normalise import NormalisedText, fold_same_length
from rememora.gate.policy import Policy
from rememora.gate.trim import trim_company
from rememora.language.phrases import plain_words

_GROUP = re.compile(r"\{([a-z]+)\}")
_MOST_WORDS = 4
_MEANINGLESS = plain_words("no_part_of_key")


def key_of(
    key: str, match: re.Match[str], reading: NormalisedText, policy: Policy, *, value: str | None
) -> str | None:
    """The key of a rule with what its pattern captured in it; None where a name is none or names nothing."""
    for group in _GROUP.findall(key):
        text = reading.text[match.start(group) : match.end(group)]
        if group == "name" and not is_proper(text, reading, policy):
            return None
        part = segment(value or text if group == "v" else text, policy)
        if not part:
            return None
        key = key.replace(f"{{{group}}}", part)
    return key


def segment(text: str, policy: Policy) -> str:
    """Return the key segment for a few words, without those that only link them."""
    linking = policy.listed("linking")
    words = slug(text).split("_")
    telling = [word for word in words if word not in linking and word not in _MEANINGLESS] or words
    return "_".join(telling[:_MOST_WORDS])


def is_proper(name: str, reading: NormalisedText, policy: Policy) -> bool:
    """Return whether a word is written as a name; without any capitals, whether it could be one."""
    folded = fold_same_length(name)
    if folded in policy.listed("not_name") or folded in policy.listed("pronouns"):
        return False
    return name[:1].isupper() or (reading.text.islower() and folded.isalpha())


def is_left(match: re.Match[str], reading: NormalisedText, policy: Policy) -> bool:
    """Return whether the ended thing is written as a name, and nothing after it points elsewhere."""
    name = trim_company(group_of(match, "name", reading), policy)
    if name is None or match.end("name") < match.end():
        return name is not None
    after = match.start("name") + len(name)
    return policy.one("personal", "own", "left").match(reading.folded[after:]) is not None
