"""Parts of keys: the subject, and other names of the attribute, so that a question matches them."""

from __future__ import annotations

import re
from typing import Final

from rememora.language.packs import attributes_of
from rememora.language.subjects import COMPANY, ME, kind_of_key

STATEMENT_MARK: Final = "_s"
_STATEMENT: Final = re.compile(r"_s[0-9a-f]{7}\Z")
_INDEXED: Final = ("pt", "en")
"""Languages whose names of a key are indexed with it: another one would change every stored vector."""

_SUBJECTS: Final = {
    "user": ME,
    "prefs": ME,
    "profile": ME,
    "tenant": COMPANY,
    "company": COMPANY,
    "operating": COMPANY,
    "tools": COMPANY,
    "goals": COMPANY,
}
"""Subject of the memories of a namespace, unless they name their own."""


def called(key: str) -> str:
    """Return the other names of a dotted key: `tenant.name` is also `empresa, company, nome, como se chama`."""
    segments = without_digest(key).split(".")
    tables = [attributes_of(code).called for code in _INDEXED]
    return ", ".join(table[segment] for segment in segments for table in tables if segment in table)


def is_statement(key: str) -> bool:
    """Return whether a key is that of a sentence kept in its own words: its value says everything."""
    return _STATEMENT.search(key) is not None


def without_digest(key: str) -> str:
    """Return a statement's key without the digest of its words: `tools.tool`."""
    return _STATEMENT.sub("", key)


def subject_of(key: str) -> str:
    """Return the subject of a key: `me`, `company`, or the name in its second segment; empty if it tells none.

    A statement whose subject nobody read stands under `user` all the same, which does not make it the person's.
    """
    if kind_of_key(key) != "unknown":
        return key.split(".")[1].replace("_", " ")
    if is_statement(key):
        return ""
    return namespace_owner(key)


def namespace_owner(key: str) -> str:
    """Return the owner of a key's namespace: `me` or `company`; empty if it is nobody's."""
    return _SUBJECTS.get(key.partition(".")[0], "")


def attribute_of(key: str) -> str:
    """Return the attribute of a key: its last segment."""
    return without_digest(key).rpartition(".")[2]
