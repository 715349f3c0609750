"""The tools that a message names, each under the kind of work it does."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rememora.gate.found import Found, group_of, known_for, slug
from rememora.gate.normalise import Reading, fold_same_length
from rememora.gate.policy import Policy
from rememora.gate.trim import trim_company

_LIST = re.compile(r" ?[+,/] ?| e | and | & ")
_PURPOSE = re.compile(r" (?:for|pr[ao]|para) (?:o |a |os |as |the |our )?(?P<what>.+)", re.DOTALL)
_ARTICLE = re.compile(r"^(?:[oa]s?|the) ")


def tools_of(match: re.Match[str], reading: Reading, policy: Policy) -> Iterator[Found]:
    """The tools of a list, each under the kind of work it does."""
    what = fold_same_length(group_of(match, "what", reading))
    for part in _LIST.split(group_of(match, "v", reading)):
        name = _tool_name(_ARTICLE.sub("", part), policy)
        if name:
            # "Notion for notes and Trello for tasks": each tool has its own purpose beside it.
            own = _PURPOSE.search(fold_same_length(part))
            kind = _tool_kind(name, own["what"] if own else what, policy)
            yield Found(key=f"tools.{kind}", value=name, start=match.start(), end=match.end())


def _tool_name(part: str, policy: Policy) -> str | None:
    """A tool as it is written, or a known one written in lower case."""
    if named := trim_company(part, policy):
        return named
    folded = fold_same_length(part).strip()
    for names in policy.plain("topics", "tool_kinds").values():
        for name in names:
            if folded == name or folded.startswith(f"{name} "):
                return part.strip()[: len(name)]
    return None


def _tool_kind(name: str, what: str, policy: Policy) -> str:
    """What a tool is for: by the word beside it, else by what it is known for."""
    padded = f" {what} "
    for kind, words in policy.plain("topics", "tool_words").items():
        if any(f" {word} " in padded for word in words):
            return str(kind)
    if known := known_for(name, policy):
        return known
    return slug(what.split(maxsplit=1)[0]) if what.split() and len(what) < 20 else "software"
