"""Questions to the person as forms: the buttons say what a yes or a no would do to the question at hand."""

from __future__ import annotations

import msgspec

from rememora.dashboard.words import Language, text, texts
from rememora.domain.memory import Proposal

WHICH = "which_"


class QuestionForm(msgspec.Struct, frozen=True, kw_only=True):
    """One question with its possible answers."""

    text: str
    yes: str = ""
    """Label of the yes; empty where a yes would answer nothing."""
    no: str
    choices: tuple[str, ...] = ()
    """What to choose from; an answer is the number of one, from 1."""
    words: bool = True
    """Tell whether other words are an answer."""
    erases: str = ""
    """Path of the page that erases, where only that page or the conversation does it."""


def question_form(proposal: Proposal, language: Language) -> QuestionForm:
    """Return the form of a question in a language."""
    lines = proposal.question(language).split("\n")
    if proposal.kind == "erase":
        return QuestionForm(
            text=proposal.question(language),
            no=text(language, "ask.no_erase"),
            words=False,
            erases=_erasing(proposal),
        )
    if proposal.asks.form.startswith(WHICH):
        choices = tuple(line.partition(". ")[2] for line in lines[1:])
        return QuestionForm(text=lines[0], no=text(language, "ask.no_which"), choices=choices)
    yes = "" if proposal.kind == "correct" else _label(language, "yes", proposal.kind)
    return QuestionForm(text=proposal.question(language), yes=yes, no=_label(language, "no", proposal.kind))


def answered_text(proposal: Proposal | None, reply: str, language: Language, *, changed: bool) -> str:
    """Say what an answer did: kept, left alone, forgotten, or nothing since the question was answered before."""
    if proposal is None:
        return text(language, "ask.before")
    if reply == "no":
        return _label(language, "said_no", proposal.kind)
    named = {"forget": "done.forgotten", "suppress": "done.hushed", "confirm": "done.confirmed"}
    return text(language, named.get(proposal.kind, "ask.kept")) if changed else text(language, "ask.heard")


def _erasing(proposal: Proposal) -> str:
    one = len(proposal.candidates) == 1
    return f"/me/memory/{proposal.candidates[0]}/erase" if one else "/me" if proposal.candidates else "/me/erase"


def _label(language: Language, part: str, kind: str) -> str:
    specific = f"ask.{part}_{kind}"
    return text(language, specific if specific in texts(language) else f"ask.{part}")
