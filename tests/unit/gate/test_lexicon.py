"""Words by class, frames of classes, and the guards that spare patterns."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rememora.gate import load_policy
from rememora.gate.guards import Guarded
from rememora.gate.lexicon import Lexicon, parse_frame
from rememora.gate.normalise import read

HERE = Path(__file__).parent
WORDS = Lexicon(
    {
        "never": ["nunca", "never"],
        "tell": ["cont*", "tell"],
        "boss": ["chefe", "the boss"],
        "gift": ["surpresa"],
    }
)


def found(frame: str, text: str) -> bool:
    tagged = WORDS.tag(read(text).folded)
    return parse_frame(frame, WORDS).find(tagged, WORDS.bits["stop"]) is not None


@pytest.mark.parametrize(
    ("frame", "text", "expected"),
    [
        ("never tell boss", "nunca conte isso ao chefe", True),
        ("never tell boss", "never tell any of it to the boss", True),
        ("never tell boss", "ao chefe conte nunca", False),
        ("never tell boss", "nunca. conte ao chefe", False),
        ("never & boss", "o chefe saiu. nunca mais", True),
        ("never|gift tell", "surpresa, conta logo", True),
        ("never tell boss ! gift", "nunca conte ao chefe, é surpresa", False),
    ],
)
def test_frames_read_classes_in_order(frame: str, text: str, expected: bool) -> None:
    """Classes follow one another closely within a sentence, `&` joins, `|` chooses and `!` excuses."""
    assert expected == found(frame, text)


def messages() -> list[str]:
    lines = (HERE / "heldout_round3.jsonl").read_text("utf-8").splitlines()
    return [read(json.loads(line)["text"]).folded for line in lines]


def fact_patterns() -> list[Guarded]:
    policy = load_policy()
    rules = policy.plain("facts", "rule")
    return [pattern for rule in rules for pattern in policy.compile_each(rule["patterns"])]


def test_guards_change_no_match() -> None:
    """A guarded pattern finds what the bare one finds, on every message."""
    texts = messages()
    for pattern in fact_patterns():
        bare = re.compile(pattern.pattern)
        for text in texts:
            expected = bare.search(text)
            actual = pattern.search(text)

            assert (expected and expected.span()) == (actual and actual.span())


@given(st.text(alphabet="abce '.,?", max_size=30))
@settings(max_examples=300, deadline=None)
def test_guards_hold_for_any_text(text: str) -> None:
    """Optional beginnings, choices, repeats and short words keep the guard sound."""
    for pattern in (r"\b(?=[\w'])(?:a )?(?:bc|c+b|[ab]e)\b", r"\b(?:ab?c|'e)\w*", r"\ba\b", r"(?:^|b )ce?"):
        bare = re.compile(pattern).search(text)
        guarded = Guarded(pattern).search(text)

        assert (bare and bare.span()) == (guarded and guarded.span())
