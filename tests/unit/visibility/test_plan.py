"""The rule of visibility, without a database: how memories stand, what follows, and what a window shows."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.looped import looped

from rememora.domain.memory import Memory
from rememora.domain.message import Message
from rememora.domain.visibility import REASONS, Reason
from rememora.visibility.plan import as_shown, entity_reason, memory_reasons, strongest, visible, window

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def memory(id: str, *, status: Any = "active", suppressed: bool = False, supersedes: str | None = None) -> Memory:
    return Memory(
        tenant="acme",
        user="ana",
        id=id,
        scope="personal",
        category="identity",
        key="user.location",
        value=id,
        confidence=1.0,
        status=status,
        source="explicit_user",
        suppressed=suppressed,
        supersedes=supersedes,
        created_at=NOW,
        updated_at=NOW,
    )


def message(seq: int, *, role: Any = "user", hidden: Reason | None = None, shown: str | None = None) -> Message:
    return Message(
        tenant="acme",
        user="ana",
        conversation="c1",
        seq=seq,
        id=f"m{seq}",
        role=role,
        content=f"said {seq}",
        modality="chat",
        attachments=(),
        metadata={},
        created_at=NOW,
        hidden=hidden,
        shown=shown,
    )


OLD, NEW = memory("a", status="deprecated"), memory("b", supersedes="a")


@looped(
    ("memories", "reasons"),
    [
        ([memory("a")], {"a": None}),
        ([memory("a", status="deleted")], {"a": "forgotten"}),
        ([memory("a", suppressed=True)], {"a": "suppressed"}),
        ([OLD, NEW], {"a": None, "b": None}),
        ([OLD, memory("b", supersedes="a", status="deleted")], {"a": "forgotten", "b": "forgotten"}),
        ([OLD, memory("b", supersedes="a", suppressed=True)], {"a": "suppressed", "b": "suppressed"}),
        (
            [OLD, memory("b", supersedes="a", status="deleted"), memory("c")],
            {"a": "forgotten", "b": "forgotten", "c": None},
        ),
        ([memory("a", status="deprecated")], {"a": "forgotten"}),
        ([memory("a", status="deprecated"), memory("b")], {"a": None, "b": None}),
    ],
)
def test_a_replaced_memory_stands_as_what_replaced_it(memories: list[Memory], reasons: dict[str, Any]) -> None:
    """What was corrected and then forgotten stays forgotten when something else is said under its key."""
    assert reasons == memory_reasons(memories)


STATES = st.lists(
    st.tuples(st.sampled_from(["active", "deprecated", "deleted"]), st.booleans()), min_size=1, max_size=6
)


@given(states=STATES, place=st.integers(0, 5))
def test_to_forget_and_to_restore_leaves_all_as_it_was(states: list[tuple[Any, bool]], place: int) -> None:
    """The reasons are a function of how the memories stand, and of nothing that was before."""
    line = [
        memory(str(n), status=status, suppressed=quiet, supersedes=str(n - 1) if n else None)
        for n, (status, quiet) in enumerate(states)
    ]
    before = memory_reasons(line)
    at = place % len(line)
    gone = [*line]
    gone[at] = msgspec.structs.replace(line[at], status="deleted")

    assert memory_reasons(gone)[str(at)] == "forgotten"
    assert before == memory_reasons(line)
    assert all(before[item.id] is not None for item in line if item.status == "deleted" or item.suppressed)


@given(st.lists(st.sampled_from([None, *REASONS])))
def test_the_strongest_reason_hides(reasons: list[Any]) -> None:
    """None hides nothing; of several the first in order counts, in whatever order they come."""
    result = strongest(reasons)

    assert (result is None) == all(reason is None for reason in reasons)
    assert result == strongest(reversed(reasons))


@pytest.mark.parametrize(
    ("judged", "mentions", "hidden", "reason"),
    [(None, 2, 1, None), (None, 2, 2, "forgotten"), (None, 0, 0, None), ("order", 5, 0, "order")],
)
def test_an_entity_goes_with_its_mentions(judged: Any, mentions: int, hidden: int, reason: Any) -> None:
    """It is told while somebody mentions it in a message that may be told."""
    assert reason == entity_reason(judged, mentions=mentions, hidden=hidden)


@looped("reason", REASONS)
def test_a_later_window_shows_secrets_masked_and_leaves_the_rest_out(reason: Reason) -> None:
    """The turn at hand is as it was said; before it only what may be, what is masked, and what is about memory."""
    before, now = message(1, hidden=reason, shown="masked"), message(2, hidden=reason, shown="masked")
    shown = {"secret": ["masked"], "echo": ["said 1"]}.get(reason, [])

    assert [*shown, "said 2"] == [item.content for item in window([before, now])]
    assert [] == visible([before, now])
    assert as_shown(message(3)) == message(3)


def test_a_secret_that_cannot_be_masked_is_left_out() -> None:
    """Without a masked text nothing of it is shown."""
    assert as_shown(message(1, hidden="secret")) is None
    assert [] == window([])
