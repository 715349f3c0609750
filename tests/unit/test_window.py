"""The window: the longest tail that fits, never empty when something was said."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.contract.making import ANA, said

from rememora.domain.message import Message
from rememora.history.window import fit_window

contents = st.lists(st.text(min_size=1, max_size=30), max_size=20)
budgets = st.integers(min_value=1, max_value=200)


def turns(texts: list[str]) -> list[Message]:
    """A conversation of these texts."""
    return [said(ANA, seq, content=text) for seq, text in enumerate(texts, 1)]


@given(contents, budgets)
def test_the_window_is_a_tail_within_its_size(texts: list[str], characters: int) -> None:
    """It is an unbroken end of the conversation, in order, and never longer than allowed."""
    given_turns = turns(texts)
    kept = fit_window(given_turns, characters=characters)

    assert sum(len(turn.content) for turn in kept) <= characters
    assert [turn.seq for turn in given_turns[len(given_turns) - len(kept) :]] == [turn.seq for turn in kept]


@given(contents, budgets)
def test_nothing_more_would_fit(texts: list[str], characters: int) -> None:
    """The turn before the window would have made it too long."""
    given_turns = turns(texts)
    kept = fit_window(given_turns, characters=characters)
    left_out = given_turns[: len(given_turns) - len(kept)]
    size = sum(len(turn.content) for turn in kept)

    assert not left_out or size + len(left_out[-1].content) > characters


@given(st.text(min_size=1, max_size=50), st.integers(min_value=1, max_value=49))
def test_a_newest_turn_too_long_is_cut_to_its_end(text: str, characters: int) -> None:
    """The window is never empty: the end of what was said last is kept, and marked as cut."""
    [kept] = fit_window(turns(["before", text]), characters=characters)[-1:]

    assert text[-characters:] == kept.content
    assert (len(text) > characters) == bool(kept.metadata.get("truncated"))


def test_an_empty_conversation_has_an_empty_window() -> None:
    """Nothing said, nothing kept."""
    assert [] == fit_window([], characters=100)
