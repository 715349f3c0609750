"""Tells what a subject is: the person, the company, somebody, a project, a firm, a product, a place, a thing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from rememora.language.subjects import COMPANY, ME, SubjectKind, is_project, subject_key
from rememora.reading import read_names
from rememora.reading.results import SURE_NAME

_KINDS: Final[Mapping[str, SubjectKind]] = {
    "person": "person",
    "organization": "organization",
    "product": "product",
    "place": "place",
    "campaign": "thing",
    "other": "thing",
}
"""Kinds of names, by the kind of the subject that has one."""
_OWN: Final[Mapping[str, SubjectKind]] = {"": "unknown", ME: "me", COMPANY: "company"}


def kind_of_subject(
    subject: str, text: str, before: Sequence[str] = (), *, of_person: bool = False
) -> SubjectKind:
    """Return the kind of a subject, by the words beside it, here or in the turns before, and by its name.

    What the words call a project is one, even under the name of a person: "o projeto Aurora".
    """
    if subject in _OWN:
        return _OWN[subject]
    if is_project(subject, (text, *before)):
        return "project"
    return "person" if of_person else _of_name(subject, text)


def _of_name(subject: str, text: str) -> SubjectKind:
    """Return the kind that the network of names is sure to see in a name; unknown without one."""
    key = subject_key(subject)
    for name in read_names(text):
        if name.sure >= SURE_NAME and subject_key(text[name.start : name.end]) == key:
            return _KINDS[name.kind]
    return "unknown"
