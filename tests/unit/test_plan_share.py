"""How much of a quota is used, told in steps."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rememora.context.plan import STEP, share


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_a_share_is_a_whole_step_and_never_too_much(used: int, limit: int) -> None:
    """Rounded down, and 100 exactly when nothing is left."""
    reply = share(used, limit)

    assert 0 == reply % STEP
    assert (reply == 100) == (used >= limit)
    assert reply == 100 or reply * limit <= used * 100
