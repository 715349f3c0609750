"""The plan of a fold: exact thresholds, exact remainders, and never a message twice."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.clock import MIDDAY
from tests.looped import looped

from rememora.domain.retry import retry_at
from rememora.history.summarize import Fold, plan_fold
from rememora.settings import SummarySettings

DEFAULTS = SummarySettings()
ALL_SETTINGS = st.builds(SummarySettings, threshold=st.integers(5, 100), keep_recent=st.integers(3, 50))


@looped(
    ("uncovered", "expected"),
    [(0, None), (10, None), (19, None), (20, None), (21, Fold(11)), (22, Fold(12)), (210, Fold(200))],
)
def test_twenty_is_not_yet_too_many(uncovered: int, expected: Fold | None) -> None:
    """Exactly 20 uncovered messages trigger nothing; one more folds all but the newest 10."""
    assert expected == plan_fold(uncovered, DEFAULTS)


@given(uncovered=st.integers(0, 5_000), settings=ALL_SETTINGS)
def test_folding_until_idle_leaves_exactly_the_recent(uncovered: int, settings: SummarySettings) -> None:
    """Whatever the backlog and the settings, folds end: nothing was due, or all but the newest is folded."""
    left = uncovered
    while (plan := plan_fold(left, settings)) is not None:
        assert 0 < plan.take <= left - settings.keep_recent

        left -= plan.take

    due = uncovered > max(settings.threshold, settings.keep_recent)

    assert (settings.keep_recent if due else uncovered) == left


@given(batches=st.lists(st.integers(0, 60), max_size=40), settings=ALL_SETTINGS)
def test_no_message_is_covered_twice_and_none_is_skipped(batches: list[int], settings: SummarySettings) -> None:
    """Over any rhythm of appends and folds the covered part grows from the front, message by message."""
    written = 0
    folded: list[int] = []
    for batch in batches:
        written += batch
        while (plan := plan_fold(written - len(folded), settings)) is not None:
            folded += range(len(folded), len(folded) + plan.take)

    assert list(range(len(folded))) == folded
    assert written - len(folded) <= max(settings.threshold, settings.keep_recent)


@given(attempts=st.integers(1, 10_000))
def test_backoff_grows_to_its_limit(attempts: int) -> None:
    """Each failure waits at least as long as the one before, and never longer than the limit."""
    wait = retry_at(MIDDAY, attempts, DEFAULTS) - MIDDAY

    assert DEFAULTS.backoff_seconds <= wait.total_seconds() <= DEFAULTS.backoff_limit_seconds
    assert wait <= retry_at(MIDDAY, attempts + 1, DEFAULTS) - MIDDAY
