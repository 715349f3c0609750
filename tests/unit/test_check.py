"""The checks that every noun shares: what passes comes back unchanged, what does not is named."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.looped import looped

from rememora.domain.check import (
    check_between,
    check_json,
    check_mapping,
    check_name,
    check_text,
    check_time,
    check_whole,
)
from rememora.domain.scope import Scope
from rememora.errors import InvalidInput

BAD_NAMES: list[object] = ["", "x" * 256, "a\x00", "a\n", "\ud800", "\x7f", "a\u2028b", None, 7, b"a", ["a"]]
printable = st.characters(exclude_categories=["Cs", "Cc", "Cf", "Cn", "Co", "Zl", "Zp", "Zs"])
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abç", max_size=4), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize("field", ["tenant", "user", "conversation"])
@pytest.mark.parametrize("value", BAD_NAMES)
def test_a_scope_refuses_bad_names(field: str, value: Any) -> None:
    """Each part of a scope is text of 1 to 255 printable characters, and the part at fault is named."""
    if value is None and field == "conversation":
        assert Scope("acme", "ana").conversation is None
        return
    parts: dict[str, Any] = {"tenant": "acme", "user": "ana", "conversation": "c1", field: value}
    with pytest.raises(InvalidInput) as refusal:
        Scope(**parts)

    assert field == refusal.value.field


@given(st.text(printable, min_size=1, max_size=255))
def test_a_name_is_kept_as_it_is(name: str) -> None:
    """No folding, no trimming, no normal form: a name is the characters it was given."""
    assert name == check_name("id", name)


@looped("value", ["", " ", "\n\t", "a\x00b", "\x00", "a\ud800", None, 7, b"oi", ["oi"]])
def test_prose_that_is_refused(value: object) -> None:
    """Empty, only spaces, NUL, half a surrogate pair, or no text at all."""
    with pytest.raises(InvalidInput, match="content"):
        check_text("content", value, max_bytes=100)


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
def test_prose_is_measured_in_bytes(text: str) -> None:
    """The limit is what is stored: exactly that many bytes pass, one more does not."""
    text = f"a{text}".replace("\x00", "")
    size = len(text.encode())

    assert text == check_text("content", text, max_bytes=size)

    with pytest.raises(InvalidInput, match=str(size)):
        check_text("content", text, max_bytes=size - 1)


@given(st.datetimes(timezones=st.timezones()))
def test_a_moment_is_the_same_instant_in_utc(moment: datetime) -> None:
    """Nothing but the zone changes."""
    try:
        expected = moment.astimezone(UTC)
    except OverflowError:
        return

    assert (expected, UTC) == (check_time("created_at", moment), check_time("created_at", moment).tzinfo)


@looped(
    "value",
    [
        datetime(2025, 1, 1),
        datetime.min.replace(tzinfo=timezone(timedelta(hours=14))),
        datetime.max.replace(tzinfo=timezone(timedelta(hours=-12))),
        "2025-01-01T00:00:00Z",
        0,
        None,
    ],
)
def test_a_moment_that_is_refused(value: object) -> None:
    """Without a zone, outside the calendar, or no datetime."""
    with pytest.raises(InvalidInput, match="created_at"):
        check_time("created_at", value)


@given(st.dictionaries(st.text("abc", max_size=5), json_values, max_size=5))
def test_a_mapping_reads_as_it_was_given(value: dict[str, Any]) -> None:
    """Whatever JSON can say comes back equal, and is stable when checked again."""
    assert value == check_mapping("metadata", value)
    assert value == msgspec.json.decode(check_json("metadata", value))


@pytest.mark.parametrize(
    ("given_value", "kept"),
    [({"a": (1, 2)}, {"a": [1, 2]}), ({1: "b"}, {"1": "b"}), ({"a": "\\u0000"}, {"a": "\\u0000"})],
)
def test_a_mapping_is_kept_as_json_says_it(given_value: dict[Any, Any], kept: dict[str, Any]) -> None:
    """Tuples are lists, keys are text, and a backslash before u0000 is no NUL."""
    assert kept == check_mapping("metadata", given_value)


def deep(levels: int) -> dict[str, Any]:
    """Mappings within mappings."""
    value: dict[str, Any] = {}
    for _ in range(levels):
        value = {"a": value}
    return value


@pytest.mark.parametrize(
    "value",
    [
        {"a": object()},
        {"a": "\x00"},
        {"\x00": 1},
        {"a": "\ud800"},
        {"a": math.nan},
        {"a": [{"b": math.inf}]},
        {"a": "x" * 65_536},
        {(1, 2): 3},
        deep(10_000),
        "text",
        ["a"],
        7,
        None,
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_mapping_that_is_refused(value: object) -> None:
    """What JSON cannot say, what a database cannot hold, what is too long or too deep, what is no mapping."""
    with pytest.raises(InvalidInput) as refusal:
        check_mapping("metadata", value)

    assert "metadata" == refusal.value.field


@looped("value", [0, 11, 2.5, "3", True, None, math.nan])
def test_a_whole_number_that_is_refused(value: object) -> None:
    """Outside its range, or not whole, or a truth value."""
    with pytest.raises(InvalidInput, match="limit"):
        check_whole("limit", value, 1, 10)


@looped("value", [-0.1, 1.1, "0.5", True, None, math.nan])
def test_a_number_that_is_refused(value: object) -> None:
    """Outside its range, or not a number."""
    with pytest.raises(InvalidInput, match="share"):
        check_between("share", value, 0, 1)
