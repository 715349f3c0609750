"""Who was asked about for the first time takes a share of the memory, and nobody's place."""

from __future__ import annotations

from rememora.domain.scope import Scope
from rememora.recall.newcomers import MOST_REMEMBERED, Newcomers


def user(number: int) -> Scope:
    return Scope("acme", f"u{number}")


def crowd(count: int, *, size: int = 10, limit: int = 30) -> Newcomers:
    newcomers = Newcomers(limit)
    for number in range(count):
        newcomers.come(user(number))
        newcomers.weigh(user(number), size)
    return newcomers


def test_those_who_came_first_go_first() -> None:
    """Beyond the limit as many are named as must go."""
    newcomers, gone = crowd(5), []
    for item in newcomers.beyond_limit():
        gone.append(item)
        newcomers.put_away(item)

    assert [user(0), user(1)] == gone
    assert [] == [*newcomers.beyond_limit()]


def test_who_comes_again_stays() -> None:
    """Somebody who was put away and is asked about again is no newcomer; somebody who was forgotten is."""
    newcomers = crowd(2)
    newcomers.put_away(user(0))
    newcomers.leave(user(1))
    newcomers.come(user(0))
    newcomers.come(user(1))

    assert (False, True) == (user(0) in newcomers, user(1) in newcomers)


def test_what_is_weighed_again_counts_once() -> None:
    """A user who grew takes what they take now, and one who is not new takes nothing of the share."""
    newcomers = crowd(3)
    newcomers.weigh(user(2), 20)
    newcomers.weigh(user(9), 1_000)

    assert [user(0)] == [*newcomers.beyond_limit()][:1]
    newcomers.weigh(user(2), 10)
    assert [] == [*newcomers.beyond_limit()]


def test_names_of_those_put_away_are_bounded() -> None:
    """The oldest is forgotten, and would come as somebody new."""
    newcomers = crowd(MOST_REMEMBERED + 1)
    for number in range(MOST_REMEMBERED + 1):
        newcomers.put_away(user(number))
    newcomers.come(user(0))
    newcomers.come(user(1))

    assert (True, False) == (user(0) in newcomers, user(1) in newcomers)
    newcomers.clear()
    newcomers.come(user(2))
    assert user(2) in newcomers
