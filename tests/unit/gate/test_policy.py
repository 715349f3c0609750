"""The policy is data: complete, readable, cheap to leave alone."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from tools.write_reference import POLICY_PAGES

from rememora.gate import evaluate, load_policy, render_policy
from rememora.gate.explain import Tongue
from rememora.gate.facts import find_facts
from rememora.gate.pack_words import with_lines
from rememora.reading.normalised import normalise

PAGES = Path(__file__).parents[3] / "docs/concepts"


@pytest.mark.parametrize(("page", "language"), POLICY_PAGES.items())
def test_page_is_what_the_policy_says(page: str, language: Tongue) -> None:
    """The documentation page is the generator's output, to the letter, in either language."""
    assert render_policy(language=language) == (PAGES / page).read_text("utf-8")


def test_policy_is_plain() -> None:
    """The whole policy can be served as JSON."""
    document = load_policy().document

    assert document == msgspec.json.decode(msgspec.json.encode(document))


@pytest.mark.parametrize("end", ["", "\n", "\n\n"])
def test_frames_stand_one_a_line(end: str) -> None:
    """However the last line ends."""
    assert {"frames": ["a b", "c|d ! e"]} == with_lines({"frames": f"\na b\nc|d ! e{end}"}, {})


def test_every_order_family_has_its_reason() -> None:
    """No family of orders is left without words."""
    policy = load_policy()

    assert {f"order.{family}" for family in policy.plain("orders")} <= set(policy.plain("reasons"))


def test_every_named_word_is_defined() -> None:
    """No pattern is left with a name that stands for nothing."""
    policy = load_policy()
    for rule in policy.plain("facts", "rule"):
        for pattern in policy.compile_each(rule["patterns"]):
            assert not re.search(r"\{[a-z_]+\}", pattern.pattern)


def test_importing_the_gate_loads_no_number_library() -> None:
    """Libraries of documents and telephone numbers are loaded only when a number asks for them."""
    code = "import sys, rememora.gate; print({'phonenumbers', 'stdnum'} & set(sys.modules))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert shown.stdout.strip() == "set()"


HOSTILE = {
    "letters": "a" * 10_000,
    "spaces": " " * 10_000,
    "digits": "1" * 10_000,
    "dots": "." * 10_000,
    "quotes": '"' * 10_000,
    "brackets": "[" * 10_000,
    "words": "nao " * 2_500,
    "you": "voce tem " * 1_100,
    "commas": "a, " * 3_300,
    "sempre": "sempre que " * 900,
    "capitals": "Ana " * 2_500,
    "base64": "QUJDREVGR0hJSktMTU5P" * 500,
    "spelled": "i g n o r e " * 800,
    "emails": "a@b.example " * 800,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_texts_are_judged(text: str) -> None:
    """Texts made to exhaust a pattern get a verdict like any other; one that hung would hang this run."""
    assert evaluate(text).reason in load_policy().plain("reasons")


def test_facts_are_bounded() -> None:
    """A message yields a bounded number of facts."""
    reading = normalise(
        "meu nome é Ana. " * 50 + "usamos Bling, Tiny, Omie, Slack, Zoom, Canva, Figma, Jira, Linear, Asana"
    )

    assert len(find_facts(reading, load_policy())) <= 12
