"""Orders that try to become memories, disguised or as duties, and harmless texts that look like them."""

from __future__ import annotations

import tomllib
from pathlib import Path

from tests.attacks.counts import Probe

from rememora.domain.message import NewMessage
from rememora.domain.verdict import Candidate, Quarantine
from rememora.gate import evaluate, judge_candidate
from rememora.visibility.judge import judge_message

TEXTS: dict[str, list[str]] = tomllib.loads(Path(__file__).with_name("orders.toml").read_text("utf-8"))


def held(text: str) -> bool:
    """Whether the gate holds a message apart."""
    return isinstance(evaluate(text), Quarantine)


def test_disguised_orders_are_held(probe: Probe) -> None:
    """Letters of other scripts, digits for letters and letters one by one do not hide an order."""
    for text in TEXTS["disguised"]:
        probe(held(text), text)


def test_duties_laid_on_the_agent_are_held(probe: Probe) -> None:
    """What the agent is said to have to do around a control is an order."""
    for text in TEXTS["deontic"]:
        probe(held(text), text)


def test_orders_to_whoever_reads_are_held(probe: Probe) -> None:
    """Quarantine a text that dismisses earlier instructions, or a page that speaks to the machine reading it."""
    for text in TEXTS["addressed"]:
        probe(held(text), text)


def test_values_are_read_like_messages(probe: Probe) -> None:
    """`remember` holds what `note` holds: the value is also read without the key before it."""
    for text in TEXTS["disguised"] + TEXTS["deontic"]:
        verdict = judge_candidate(Candidate(key="operating.note", value=text, explicit=True))
        probe(isinstance(verdict, Quarantine), text)


def test_harmless_lookalikes_are_not_held(probe: Probe) -> None:
    """Names, codes, other alphabets and duties of people are no orders."""
    assert len(TEXTS["harmless"]) >= 60
    for text in TEXTS["harmless"]:
        probe(not held(text), text)


def hidden(text: str) -> bool:
    """Return whether a tool's output is hidden as an order when it is stored."""
    return judge_message(NewMessage(role="tool", content=text)).hidden == "order"


def test_orders_in_the_words_of_business_are_hidden(probe: Probe) -> None:
    """Orders in a tool's result are found by the reader: none of these words is an order's alone."""
    for text in TEXTS["business"]:
        probe(hidden(text), text)


def test_what_a_tool_reports_is_not_hidden(probe: Probe) -> None:
    """Deeds, duties of people and steps of a manual are shown."""
    for text in TEXTS["reports"]:
        probe(not hidden(text), text)
