"""Turns labelled messages into arrays: tokens as numbers, and the labels of each token."""

from __future__ import annotations

import json
import random
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from tools.reader.labels import FACT_ACTS, UNJUDGED, VERDICTS
from tools.reader.wording import hurried, of_another_trade

from rememora.adapters.word_encoder import ROW
from rememora.reading.encoders import WordEncoder, words_of
from rememora.reading.labels import ACTS, ATTRIBUTES, LABELS, SUBJECTS
from rememora.reading.reader import CONTEXT_TOKENS, context_of, joined
from rememora.reading.tokens import Token, TokenFeatures, describe, spell, tokenise

ROOT = Path(__file__).parents[2]
DATA = ROOT / "data" / "reading"
NONE = -1
LABELLED = ("act", "attribute", "begins", "subject", "names", "starts")
"""Labels of each token."""
_ENCODED_AT_ONCE = 16


class Part(msgspec.Struct):
    """One piece of a message with one act."""

    text: str
    act: str
    facts: list[tuple[str, str, str]] = []


class Example(msgspec.Struct):
    """A message in parts, or a whole message with the gate's label alone."""

    writer: str
    lang: str
    before: list[str]
    parts: list[Part]
    label: str = ""
    borrowed: tuple[str, ...] = ()
    """The writers of messages that a variation puts before or after it."""
    is_varied: bool = False

    @property
    def text(self) -> str:
        """The message to the letter."""
        return "".join(part.text for part in self.parts)


def load(folder: Path = DATA) -> list[Example]:
    """All labelled messages; the file's name is the writer's."""
    items = []
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            row = json.loads(line)
            parts = [Part(p["text"], p["act"], [tuple(f) for f in p.get("facts", [])]) for p in row["parts"]]
            items.append(Example(path.stem, row["lang"], row.get("before", []), parts, label_of(parts)))
    return items


def load_judged(folder: Path = DATA / "judged") -> list[Example]:
    """Messages of which only the gate's label is known."""
    items = []
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            row = json.loads(line)
            if isinstance(row.get("expect"), str) and row["expect"] in LABELS:
                parts = [Part(row["text"], "")]
                items.append(Example(path.stem, row.get("lang", "pt"), [], parts, row["expect"]))
    return items


def label_of(parts: Sequence[Part]) -> str:
    """What the gate says of a message with these acts; empty where the acts do not tell."""
    acts = {part.act for part in parts}
    for act, verdict in VERDICTS.items():
        if act in acts:
            return verdict
    return "" if acts & UNJUDGED else "reject"


# --- variations -------------------------------------------------------------------------------------------------

_CAPITAL = re.compile(r"\b[A-ZÀ-Ý][a-zà-ÿ]{2,}\b")
_NUMBER = re.compile(r"\d")
_SIGNS = re.compile(r"[,.!?;:](?=\s|$)")


def names_in(examples: Sequence[Example]) -> list[str]:
    """Capitalised words inside sentences: names to put in the place of others."""
    items = {
        match[0]
        for example in examples
        for part in example.parts
        for _, attribute, value in part.facts
        if attribute in ("name", "employer", "tool", "owner", "place", "client", "supplier")
        for match in _CAPITAL.finditer(value)
    }
    return sorted(items)


def vary(example: Example, chance: random.Random, names: Sequence[str], others: Sequence[Example]) -> Example:
    """The same message as another person could have typed it, after other words than it was said after."""
    changes = [*_reworded(example, chance, names), *_retyped(chance)]
    parts = [_changed(part, changes) for part in example.parts]
    before = list(example.before)
    borrowed: tuple[str, ...] = ()
    if before and chance.random() < 0.25:
        before = []
    elif not before and chance.random() < 0.5:
        other = chance.choice(others)
        before = [
            *other.before[-1:],
            f"user: {other.text}",
            *(["assistant: ok"] if chance.random() < 0.5 else []),
        ]
        borrowed = (other.writer,)
    return Example(example.writer, example.lang, before, parts, example.label, borrowed, is_varied=True)


def _reworded(example: Example, chance: random.Random, names: Sequence[str]) -> Iterator[Any]:
    """Other names, other trades, and words as people in a hurry write them."""
    if chance.random() < 0.35:
        yield _rename(example, chance, names)
    if chance.random() < 0.2:
        yield of_another_trade(example.text, example.lang, chance)
    if chance.random() < 0.2:
        yield hurried(example.text, example.lang, chance)


def _retyped(chance: random.Random) -> Iterator[Any]:
    """Other numbers, no accents, capitals or signs, and a typing error."""
    if chance.random() < 0.3:
        yield lambda text: _NUMBER.sub(lambda _: chance.choice("0123456789"), text)
    if chance.random() < 0.3:
        yield unaccented
    if chance.random() < 0.3:
        yield str.lower
    if chance.random() < 0.2:
        yield lambda text: _SIGNS.sub("", text)
    if chance.random() < 0.15:
        yield lambda text: mistyped(text, chance)


def _changed(part: Part, changes: Sequence[Any]) -> Part:
    """A part with every change made; values that no longer stand in it are dropped."""
    text, facts = part.text, part.facts
    for change in changes:
        text = change(text)
        facts = [(change(a) if a not in ("me", "company") else a, b, change(v)) for a, b, v in facts]
    return Part(text, part.act, [fact for fact in facts if fact[2] in text])


def _rename(example: Example, chance: random.Random, names: Sequence[str]) -> Any:
    """Other names for the names of a message, each the same everywhere in it."""
    known = {
        word
        for word in _CAPITAL.findall(" ".join(f[2] for p in example.parts for f in p.facts))
        if word in _set(names)
    }
    new = {word: chance.choice(names) for word in known}
    return lambda text: _CAPITAL.sub(lambda match: new.get(match[0], match[0]), text)


_KNOWN: dict[int, frozenset[str]] = {}


def _set(names: Sequence[str]) -> frozenset[str]:
    return _KNOWN.setdefault(id(names), frozenset(names))


def unaccented(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text)
    return "".join(char for char in plain if not unicodedata.combining(char))


def mistyped(text: str, chance: random.Random) -> str:
    """One letter swapped with the next, or left out."""
    places = [at for at in range(1, len(text) - 2) if text[at].isalpha() and text[at + 1].isalpha()]
    if not places:
        return text
    at = chance.choice(places)
    return (
        text[:at] + text[at + 1] + text[at] + text[at + 2 :]
        if chance.random() < 0.5
        else text[:at] + text[at + 1 :]
    )


# --- arrays -----------------------------------------------------------------------------------------------------


class Encoded(msgspec.Struct):
    """One example as numbers; labels of the tokens of the context are NONE."""

    described: TokenFeatures
    context: int
    act: Any
    attribute: Any
    begins: Any
    subject: Any
    names: Any
    starts: Any
    label: int


def encode(example: Example, vocabulary: Mapping[str, int]) -> Encoded:
    """Tokens of the context and of the message, with the labels of the message's own."""
    context = context_of(example.before)
    said = tokenise(context)[-CONTEXT_TOKENS:]
    mine = tokenise(example.text)
    first = describe(context, said, vocabulary)
    second = describe(example.text, mine, vocabulary)
    count = len(said) + len(mine)
    arrays = {name: np.full(count, NONE, np.int64) for name in LABELLED}
    if example.parts and example.parts[0].act:
        _label(example, mine, {name: array[len(said) :] for name, array in arrays.items()})
    label = LABELS.index(example.label) if example.label else NONE
    return Encoded(described=joined(first, second), context=len(said), label=label, **arrays)


def _label(example: Example, tokens: Sequence[Token], into: Mapping[str, Any]) -> None:
    """Write the labels of every token of a message."""
    for array in into.values():
        array[:] = 0
    at = 0
    subjects = [fact[0] for part in example.parts for fact in part.facts]
    for name in subjects:
        if name not in ("me", "company") and not name.startswith("@"):
            place = example.text.find(name)
            for n, token in enumerate(tokens):
                if place >= 0 and token.start >= place and token.end <= place + len(name):
                    into["names"][n] = 1
    for part in example.parts:
        end = at + len(part.text)
        inside = [n for n, token in enumerate(tokens) if token.start >= at and token.start < end]
        for n in inside:
            into["act"][n] = ACTS.index(part.act)
        if inside:
            into["starts"][inside[0]] = 1
        if part.act in FACT_ACTS:
            _label_values(part, at, inside, tokens, into)
        at = end


def _label_values(
    part: Part, at: int, inside: Sequence[int], tokens: Sequence[Token], into: Mapping[str, Any]
) -> None:
    """Write the attribute and the subject of each token of a value."""
    for about, attribute, value in sorted(part.facts, key=lambda fact: -len(fact[2])):
        place = part.text.find(value) if value else -1
        if place < 0 or attribute not in ATTRIBUTES:
            continue
        subject = about if about in ("me", "company") else "meant" if about.startswith("@") else "named"
        covered = [n for n in inside if tokens[n].start >= at + place and tokens[n].end <= at + place + len(value)]
        for n in covered:
            into["attribute"][n] = ATTRIBUTES.index(attribute)
            into["subject"][n] = SUBJECTS.index(subject)
            into["begins"][n] = int(n == covered[0])


def write_rows(examples: Sequence[Example], encoder: WordEncoder, path: Path) -> None:
    """Write a sentence encoder's row of each token of the messages, without their context, as half floats."""
    tokens = [words_of(tokenise(example.text)) for example in examples]
    rows = np.lib.format.open_memmap(
        path, mode="w+", dtype=np.float16, shape=(sum(len(message) for message in tokens), ROW)
    )
    at = 0
    for first in range(0, len(tokens), _ENCODED_AT_ONCE):
        many = tokens[first : first + _ENCODED_AT_ONCE]
        result = encoder(many)
        rows[at : at + len(result)] = result
        at += len(result)
    rows.flush()


def pack(encoded: Sequence[Encoded]) -> dict[str, Any]:
    """Many examples as flat arrays with offsets, for a file."""
    described = [item.described for item in encoded]
    spelling = spell(word for d in described for word in d.words)
    flat = {
        "words": spelling.rows,
        "grams": spelling.grams,
        "gram_counts": spelling.counts,
        "vectors": np.concatenate([d.vectors for d in described]),
        "shapes": np.concatenate([d.shapes for d in described]).astype(np.int8),
        "lengths": np.array([len(d.words) for d in described]),
        "contexts": np.array([item.context for item in encoded]),
        "labels": np.array([item.label for item in encoded]),
    }
    for name in LABELLED:
        flat[name] = np.concatenate([getattr(item, name) for item in encoded]).astype(np.int8)
    return flat


def varied(examples: Sequence[Example], times: int, seed: int) -> Iterator[Example]:
    """Each example as it is, and `times` variations of it; some with another message said right after."""
    chance = random.Random(seed)
    names = names_in(examples)
    by_language: dict[str, list[Example]] = {}
    for example in examples:
        by_language.setdefault(example.lang, []).append(example)
    for example in examples:
        yield example
        others = by_language[example.lang]
        for _ in range(times):
            new = vary(example, chance, names, others)
            other = chance.choice(others)
            if chance.random() < 0.15 and new.parts[0].act and other.parts[0].act and not other.before:
                joint = Part(
                    new.parts[-1].text.rstrip() + chance.choice([" ", ". ", "\n"]),
                    new.parts[-1].act,
                    new.parts[-1].facts,
                )
                parts = [*new.parts[:-1], joint, *other.parts]
                borrowed = (*new.borrowed, other.writer)
                new = Example(new.writer, new.lang, new.before, parts, label_of(parts), borrowed, True)
            yield new
