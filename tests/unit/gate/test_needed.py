"""Strings that a pattern cannot do without: they spare a search, and never a match."""

from __future__ import annotations

import json
from pathlib import Path

from rememora.gate import patterns
from rememora.gate.needed import has_any, needed
from rememora.gate.normalise import fold_same_length
from rememora.gate.policy import load_policy

_UNIONS = (("orders", "frame"), ("sensitive", "secret"), ("sensitive", "document"), ("sensitive", "bank"))
_SINGLE = (
    ("sensitive", "password", "login"),
    ("sensitive", "password", "value"),
    ("sensitive", "password", "adjacent"),
    ("words", "pasted", "pattern"),
)


def test_strings_are_read_off_the_pattern() -> None:
    assert needed(r"\b(?:senhas?|pin)\b ?\d+") == ("pin", "senha")
    assert needed(r"a?b*[xy]") == ("x", "y")
    assert needed(r"(?:abc)?\d+") is None
    assert needed(r"(?i)senha") is None
    assert needed(r"senha", r"\d") is None
    assert needed(r"ab(?=c)cd") == ("abcd",)
    assert has_any("anything", None)
    assert not has_any("a plain text", ("pin", "senha"))


def test_no_rule_loses_a_match() -> None:
    policy = load_policy()
    rules = [
        rule
        for path in _UNIONS
        for rule in patterns.union(policy.plain(*path, "patterns"), policy.plain("words", "words"))
    ]
    rules += [policy.one(*path) for path in _SINGLE]
    matched = 0
    for text in _texts():
        for rule in rules:
            plain, rare = rule.search(text), rule.rare(text)
            assert (plain and plain.span()) == (rare and rare.span()), (rule.pattern[:40], text)
            matched += plain is not None
    assert matched > 200, "too few texts match any rule to say anything"


def _texts() -> list[str]:
    """The labelled messages of the gate, and their halves, which cut words and values in two."""
    files = sorted(Path(__file__).parent.glob("*.jsonl"))
    lines = [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]
    whole = [fold_same_length(line["text"]) for line in lines if isinstance(line.get("text"), str)]
    return [*whole, *(text[: len(text) // 2] for text in whole)]
