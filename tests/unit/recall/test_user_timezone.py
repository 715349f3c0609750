"""Where a person's day begins, from what their index holds."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo

import pytest
from tests.looped import looped

from rememora.domain.hit import IndexItem, ItemKey, Kind
from rememora.domain.zone import zone_of
from rememora.recall.user_timezone import UserTimezone

SAO_PAULO = ZoneInfo("America/Sao_Paulo")


def item(key: str, value: object, kind: Kind = "memory") -> IndexItem:
    reply = {"key": key, "value": value}
    return IndexItem(
        key=ItemKey(kind, "1"), number=1, text="", at=datetime(2026, 1, 1, tzinfo=UTC), metadata=reply
    )


@looped(
    ("lines", "zone"),
    [
        ([], UTC),
        (["America/Sao_Paulo"], SAO_PAULO),
        (["pt_BR"], SAO_PAULO),
        (["Europe/Lisbon", "pt-BR"], ZoneInfo("Europe/Lisbon")),
        (["no such place", "pt-BR"], SAO_PAULO),
        (["../etc/passwd"], UTC),
        ([""], UTC),
        (["pt"], UTC),
    ],
)
def test_the_first_zone_that_exists_holds(lines: list[str], zone: tzinfo) -> None:
    """What names no zone is passed over, and without one it is UTC."""
    assert zone == zone_of(lines)


def test_a_time_zone_goes_before_a_locale() -> None:
    """Whichever was learned first; forgotten, it leaves the place to the other."""
    where = UserTimezone()
    where.learn("b", item("user.timezone", "Asia/Tokyo"))
    where.learn("a", item("user.locale", "pt-BR"))

    assert ZoneInfo("Asia/Tokyo") == where.zone

    where.forget("b")

    assert SAO_PAULO == where.zone


@pytest.mark.parametrize(
    "other", [item("user.city", "Asia/Tokyo"), item("user.timezone", "Asia/Tokyo", "message")]
)
def test_nothing_else_tells_of_it(other: IndexItem) -> None:
    """A message may carry any metadata; only a memory is known of a person."""
    where = UserTimezone()
    where.learn("a", other)

    assert where.zone is UTC


def test_what_is_saved_comes_back() -> None:
    """A layout that is opened again knows the zone without laying anything out."""
    where, again = UserTimezone(), UserTimezone()
    where.learn("a", item("user.timezone", "America/Sao_Paulo"))
    again.restore(where.state())

    assert SAO_PAULO == again.zone


def test_what_is_saved_is_forgotten_by_its_name() -> None:
    """A layout that is opened again follows the store as it did before."""
    where, again = UserTimezone(), UserTimezone()
    where.learn("a", item("user.timezone", "America/Sao_Paulo"))
    again.restore(where.state())
    again.forget("a")

    assert again.zone is UTC
