"""Former names keep working: exported ones for one release, those in stored rows as long as rows are stored."""

from __future__ import annotations

import importlib
from enum import Enum

import msgspec
import pytest

import rememora
from rememora.adapters.sql.packing import packed, unpacked
from rememora.adapters.sql.renamed import RENAMED
from rememora.domain.context import MemoryAction

EXPORTED = {
    "Deed": "MemoryAction",
    "Done": "TaskDone",
    "Failed": "TaskFailed",
    "Missing": "MissingLayer",
    "Piece": "ReplyPart",
}


@pytest.mark.parametrize(("old", "new"), EXPORTED.items())
def test_a_former_name_of_the_package_still_works(old: str, new: str) -> None:
    """It is the same class, and says what to use instead."""
    with pytest.warns(DeprecationWarning, match=f"rememora.{new}"):
        result = getattr(rememora, old)

    assert result is getattr(rememora, new)
    assert old not in rememora.__all__


def test_an_unknown_name_is_an_attribute_error() -> None:
    """Only former names are looked up."""
    unknown = "Nothing"

    with pytest.raises(AttributeError, match=unknown):
        getattr(rememora, unknown)


@pytest.mark.parametrize("old", RENAMED)
def test_a_stored_name_leads_to_a_class(old: str) -> None:
    """Every former name is that of a struct or an enumeration: nothing else is ever packed."""
    module, _, name = RENAMED[old].partition(":")

    assert issubclass(getattr(importlib.import_module(module), name), msgspec.Struct | Enum)


def test_a_row_from_before_a_rename_is_read() -> None:
    """A packed result that names a class by its former name comes back as the present class."""
    action = MemoryAction(kind="saved", text="ok")
    present = f"{MemoryAction.__module__}:{MemoryAction.__qualname__}"
    former = next(old for old, new in RENAMED.items() if new == present)
    stored = packed(action).replace(present.encode(), former.encode())

    assert former.encode() in stored
    assert action == unpacked(stored)
