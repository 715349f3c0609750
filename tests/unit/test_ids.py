"""Ids are UUIDs of version 7: unique, and in the order of time."""

from __future__ import annotations

import time
from uuid import RFC_4122, UUID

from rememora.domain.ids import new_id


def test_an_id_is_a_uuid_of_version_7() -> None:
    """Anybody's UUID library reads it, and finds the time in it."""
    before = time.time_ns() // 1_000_000
    id = UUID(new_id())
    after = time.time_ns() // 1_000_000

    assert (7, RFC_4122) == (id.version, id.variant)
    assert before <= id.int >> 80 <= after


def test_ids_are_unique() -> None:
    """Also when many are made within the same microsecond."""
    ids = [new_id() for _ in range(20_000)]

    assert len(ids) == len(set(ids))


def test_ids_sort_by_time() -> None:
    """Of two ids made in different milliseconds the later is the greater."""
    ids = []
    for _ in range(5):
        ids.append(new_id())
        time.sleep(0.002)

    assert sorted(ids) == ids
