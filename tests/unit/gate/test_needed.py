"""Strings that a pattern cannot do without: they spare a search, and never a match."""

from __future__ import annotations

import json
import re
from pathlib import Path

from rememora.gate import patterns
from rememora.gate.lexicon import TOKEN, lexicon_of
from rememora.gate.needed import has_any, needed
from rememora.gate.normalise import fold_same_length
from rememora.gate.policy import load_policy
from rememora.gate.prefilter import Prefilter

_UNIONS = (
    ("orders", "frame"),
    ("sensitive", "secret"),
    ("sensitive", "document"),
    ("sensitive", "bank"),
    ("sensitive", "personal"),
)
_SINGLE = (
    ("sensitive", "password", "login"),
    ("sensitive", "password", "value"),
    ("sensitive", "password", "adjacent"),
    ("sensitive", "health", "always"),
    ("sensitive", "health", "terms"),
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
            plain, guarded = re.search(rule.pattern, text), rule.search(text)
            assert (plain and plain.span()) == (guarded and guarded.span()), (rule.pattern[:40], text)
            matched += plain is not None
    assert matched > 200, "too few texts match any rule to say anything"


def _texts() -> list[str]:
    """The labelled messages of the gate, and their halves, which cut words and values in two."""
    files = sorted(Path(__file__).parent.glob("*.jsonl"))
    lines = [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]
    whole = [fold_same_length(line["text"]) for line in lines if isinstance(line.get("text"), str)]
    return [*whole, *(text[: len(text) // 2] for text in whole)]


def test_the_words_of_a_text_are_tagged_as_the_text_is() -> None:
    """Tokens come word by word from what is known of each; amounts and lines are read as a whole."""
    lexicon = lexicon_of(load_policy())
    texts = [*_texts(), "custa r$ 50.\n\nfim... ok", "a@b.co, www.x.com; 2fa d'agua"]
    for text in texts:
        expected = [lexicon.mask(token) for token in TOKEN.findall(text)]
        tagged = lexicon.tag(text)
        assert len(expected) == len(tagged.masks), text
        assert all(own & mask == own for own, mask in zip(expected, tagged.masks, strict=True)), text


def test_an_erasure_empties_the_words_that_were_looked_up() -> None:
    """No word that anybody said stays in the prefilter."""
    prefilter = Prefilter()
    mask = prefilter.add({"dia"}, {"betes"})
    assert prefilter.bits("a lia tem diabetes") & mask == mask
    assert prefilter.bits("a lia tem diabo") & mask != mask
    prefilter.forget()
    assert not prefilter.holds("diabetes")
