"""What an append will store: each id once, and never two messages under one id."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contract.making import ANA, said

from rememora.domain.message import Attachment, NewMessage
from rememora.errors import Conflict
from rememora.history.record import plan_append

OTHER: dict[str, Any] = {
    "role": "assistant",
    "content": "tchau",
    "modality": "voice",
    "attachments": (Attachment(name="a"),),
    "metadata": {"a": 1},
    "created_at": datetime(2020, 1, 1, tzinfo=UTC),
}


def draft(**fields: Any) -> NewMessage:
    """A user's "oi", but for these fields."""
    return NewMessage(**{"role": "user", "content": "oi", **fields})


@given(st.lists(st.sampled_from(["a", "b", "c", None])), st.sets(st.sampled_from(["a", "b", "c"])))
def test_each_id_is_stored_once(ids: list[str | None], known: set[str]) -> None:
    """New are the drafts without an id, and the first of each id that is not there yet, in their order."""
    drafts = [draft(id=item) for item in ids]
    there = {item: said(ANA, seq, id=item) for seq, item in enumerate(sorted(known), 1)}

    fresh = plan_append(drafts, there)

    first = [item for place, item in enumerate(ids) if item is None or item not in ids[:place]]

    assert [item for item in first if item not in known] == [item.id for item in fresh]


@pytest.mark.parametrize("field", OTHER)
@pytest.mark.parametrize("where", ["stored", "given"])
def test_another_message_under_a_taken_id_is_a_conflict(field: str, where: str) -> None:
    """Whichever field differs, whether the other is stored or given in the same call, the field is named."""
    other = draft(id="a", **{field: OTHER[field]})
    drafts = [draft(id="a", created_at=said(ANA, 1).created_at), other]
    known = {"a": said(ANA, 1, id="a")} if where == "stored" else {}

    with pytest.raises(Conflict, match=field):
        plan_append(drafts, known)


def test_a_moment_in_another_time_zone_is_the_same() -> None:
    """The same instant told in another zone is the same message."""
    there = said(ANA, 1, id="a")
    elsewhere = there.created_at.astimezone(timezone(timedelta(hours=-3)))

    assert [] == plan_append([draft(id="a", created_at=elsewhere)], {"a": there})


def test_without_a_moment_only_what_was_said_counts() -> None:
    """A retry does not know when the first try was stored."""
    assert [] == plan_append([draft(id="a")], {"a": said(ANA, 1, id="a")})
