"""The pure parts of the relay: how long to wait, when to give up, what is ordered within what."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.clock import MIDDAY
from tests.contract.making import ANA, moment, parked

from rememora.domain.event import ConversationDeleted, event_of
from rememora.domain.retry import retry_at
from rememora.domain.scope import Scope
from rememora.events.relay import Subscriber, refused, stream_of
from rememora.settings import EventSettings, WorkerSettings
from rememora.worker import LONGEST_PAUSE_SECONDS, pause_seconds

EVENT = event_of(ANA, ConversationDeleted(messages=1), at=MIDDAY)


@given(
    attempts=st.integers(min_value=1, max_value=100),
    first=st.floats(min_value=0, max_value=3600),
    limit=st.floats(min_value=0, max_value=86_400),
)
def test_waits_grow_up_to_a_limit(attempts: int, first: float, limit: float) -> None:
    """No wait is longer than the limit, none shorter than the one before, whatever the settings allow."""
    settings = EventSettings(backoff_seconds=first, backoff_limit_seconds=limit)
    waits = [(retry_at(MIDDAY, item, settings) - MIDDAY).total_seconds() for item in (attempts, attempts + 1)]

    assert waits == sorted(waits)
    assert waits[-1] <= limit + 1e-6


def test_waits_double() -> None:
    """Half a second, one, two, four."""
    settings = EventSettings(backoff_seconds=0.5)

    assert [moment(0.5), moment(1), moment(2), moment(4)] == [retry_at(MIDDAY, n, settings) for n in (1, 2, 3, 4)]


def test_the_last_refusal_is_the_end() -> None:
    """An event refused as often as allowed is dead, and not a time sooner; the error is named by type only."""
    settings = EventSettings(attempts=3)
    letter = parked(EVENT, attempts=0)
    dead = []
    for _ in range(3):
        letter = refused(letter, ValueError("Ana's secret"), now=MIDDAY, settings=settings)
        dead.append(letter.dead)

    assert [False, False, True] == dead
    assert (3, "ValueError") == (letter.attempts, letter.error)


def test_a_stream_is_a_conversation() -> None:
    """Events are ordered within a conversation; those of a user outside any are ordered too."""
    outside = event_of(Scope("acme", "ana"), ConversationDeleted(messages=1), at=MIDDAY)

    assert (("acme", "ana", "c1"), ("acme", "ana", "")) == (stream_of(EVENT), stream_of(outside))


def test_a_subscriber_hears_only_its_types() -> None:
    """None means every type; an empty set means none."""
    kinds: list[frozenset[str] | None] = [None, frozenset({EVENT.type}), frozenset({"other"}), frozenset()]
    subscribers = [Subscriber(name="mail", listener=lambda _: None, types=kind) for kind in kinds]

    assert [True, True, False, False] == [subscriber.wants(EVENT) for subscriber in subscribers]


@given(st.integers(min_value=1, max_value=10**6), st.floats(min_value=0.001, max_value=3600))
def test_a_loop_that_fails_for_long_still_comes_back(failures: int, poll: float) -> None:
    """However often in a row a step failed, the pause is a number of seconds within the limit."""
    settings = WorkerSettings(poll_seconds=poll)

    assert 0 < pause_seconds(failures, settings) <= LONGEST_PAUSE_SECONDS
    assert pause_seconds(failures, settings) <= pause_seconds(failures + 1, settings)
