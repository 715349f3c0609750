"""Trains the network of names: `python -m tools.train_names [--without n3 …]`.

Reads `data/reading/names/`, makes variations (other names of the same kinds, small letters, no accents), and lets
the shipped reader look at each: run it after `tools.train_reader`, whose words the network sees. Fitting
(`tools.reader.fit_names`) needs only the folder that is written, torch and numpy. Measures on the files
that are left out, and on one that `--measure` names; without `--without` the new weights take the place of the
shipped ones.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from tools.reader.prepare import mistyped, unaccented

from rememora.adapters.offline import OfflineEmbedder
from rememora.adapters.word_encoder import ROW
from rememora.reading.encoders import WordEncoder, words_of
from rememora.reading.labels import NAME_KINDS, NAME_TAGS
from rememora.reading.name_network import WEIGHTS, NameNetwork
from rememora.reading.names import POSSESSIVE, is_possessive, name_spans
from rememora.reading.network import WEIGHTS as READER
from rememora.reading.network import load_network
from rememora.reading.results import NameSpan
from rememora.reading.tokens import Token, TokenFeatures, describe, spell, tokenise

DATA = Path(__file__).parents[1] / "data" / "reading" / "names"
WITHOUT_ROWS = 0.3
"""Share of messages that the reader reads without the encoder."""
TOLD_APART = tuple(kind for kind in NAME_KINDS if kind != "other")


class Message(msgspec.Struct, frozen=True):
    """A message, and the kind of each name in it."""

    text: str
    names: list[tuple[str, str]]
    lang: str = ""
    writer: str = ""


class Names(NamedTuple):
    """Names to put in the place of others: lists by language, and what the messages have."""

    given: Mapping[str, Sequence[str]]
    family: Mapping[str, Sequence[str]]
    place: Mapping[str, Sequence[str]]
    organization: Mapping[str, Sequence[str]]
    product: Sequence[str]
    of_kind: Mapping[str, Sequence[str]]


class Words(NamedTuple):
    """The words of one message as numbers, and the tag of each."""

    described: TokenFeatures
    seen: Any
    rows: Any
    tags: Any
    with_rows: bool


def load(folder: Path = DATA) -> dict[str, list[Message]]:
    """The messages of each file."""
    return {path.stem: read_lines(path) for path in sorted(folder.glob("*.jsonl"))}


def read_lines(path: Path) -> list[Message]:
    """The messages of one file."""
    decode = msgspec.json.Decoder(Message).decode
    return [decode(line) for line in path.read_bytes().splitlines()]


def spans_of(message: Message) -> list[tuple[int, int, str]]:
    """Every place where a name of the message stands; the longest wins where two overlap."""
    spans: list[tuple[int, int, str]] = []
    for name, kind in sorted(message.names, key=lambda pair: -len(pair[0])):
        at = message.text.find(name)
        while at >= 0:
            end = at + len(name)
            whole = not message.text[at - 1 : at].isalnum() and not message.text[end : end + 1].isalnum()
            if whole and all(end <= start or at >= stop for start, stop, _ in spans):
                spans.append((at, end, kind))
            at = message.text.find(name, end)
    return sorted(spans)


def tags_of(message: Message, tokens: Sequence[Token]) -> Any:
    """The tag of each token: the kind of the name it begins or goes on with, or none."""
    tags = np.zeros(len(tokens), np.int64)
    for start, end, kind in spans_of(message):
        inside = [n for n, token in enumerate(tokens) if token.start >= start and _end_of_name(token) <= end]
        for n in inside:
            tags[n] = NAME_TAGS.index((kind, n == inside[0]))
    return tags


def _end_of_name(token: Token) -> int:
    """The end of a word without the ending of a possessive, which is no part of a name: "Anna's"."""
    return token.end - (POSSESSIVE if is_possessive(token) else 0)


# --- variations -------------------------------------------------------------------------------------------------


def another(name: str, kind: str, lang: str, chance: random.Random, names: Names) -> str:
    """Another name of a kind, of about as many words."""
    if kind == "person" and chance.random() < 0.8:
        tongue = lang if lang in names.given and chance.random() < 0.8 else "xx"
        given, family = chance.choice(names.given[tongue]), chance.choice(names.family[tongue])
        if " " not in name:
            return family if chance.random() < 0.15 else given
        return f"{given} {chance.choice(('da', 'de', 'dos'))} {family}" if " d" in name else f"{given} {family}"
    if kind == "place" and chance.random() < 0.7:
        return chance.choice(names.place.get(lang, names.place["en"]))
    if kind == "organization" and chance.random() < 0.5:
        return chance.choice(names.organization.get(lang, names.organization["en"]))
    if kind == "product" and chance.random() < 0.5:
        return chance.choice(names.product)
    return chance.choice(names.of_kind[kind])


def varied(message: Message, chance: random.Random, names: Names) -> Message:
    """The message as another person could have typed it, with other names of the same kinds."""
    text, known = message.text, dict(message.names)
    if chance.random() < 0.6:
        for name, kind in sorted(message.names, key=lambda pair: -len(pair[0])):
            other = another(name, kind, message.lang, chance, names)
            if name[0].islower():
                other = other.lower()
            apart = not any(one in two or two in one for one in (other,) for two in known)
            if text.count(name) == 1 and apart:
                text = text.replace(name, other)
                known[other] = known.pop(name)
    if chance.random() < 0.3:
        text, known = text.lower(), {name.lower(): kind for name, kind in known.items()}
    if chance.random() < 0.25:
        text, known = unaccented(text), {unaccented(name): kind for name, kind in known.items()}
    if chance.random() < 0.1:
        text = mistyped(text, chance)
    kept = [(name, kind) for name, kind in known.items() if name in text]
    return msgspec.structs.replace(message, text=text, names=kept)


def names_of(messages: Sequence[Message]) -> Names:
    """Names of the lists, and of the messages by kind."""
    lists = json.loads((DATA / "lists.json").read_text("utf-8"))
    kinds: dict[str, list[str]] = {kind: [] for kind in NAME_KINDS}
    for message in messages:
        for name, kind in message.names:
            kinds[kind].append(name)
    return Names(**lists, of_kind=kinds)


# --- arrays -----------------------------------------------------------------------------------------------------


def words_of_message(message: Message, encode: WordEncoder | None) -> Words | None:
    """What the network sees of each word of a message, without an encoder too; None without words."""
    tokens, network = tokenise(message.text), load_network()
    if not tokens:
        return None
    rows = encode([words_of(tokens)]) if encode is not None else None
    described = describe(message.text, tokens, network.vocabulary)
    read = network.read(described, 0, rows)
    seen = np.concatenate([read.embedded, read.hidden], axis=1).astype(np.float16)
    kept = np.zeros((len(tokens), ROW), np.float16) if rows is None else rows.astype(np.float16)
    return Words(described, seen, kept, tags_of(message, tokens), rows is not None)


def write_arrays(messages: Sequence[Message], encode: WordEncoder, folder: Path, times: int, seed: int) -> int:
    """Write all messages and their variations as flat arrays; returns how many."""
    chance, names = random.Random(seed), names_of(messages)
    versions = [
        v for message in messages for v in (message, *(varied(message, chance, names) for _ in range(times)))
    ]
    read = (words_of_message(version, encode if chance.random() > WITHOUT_ROWS else None) for version in versions)
    words = [item for item in read if item is not None]
    described = [item.described for item in words]
    spelling = spell(word for d in described for word in d.words)
    np.savez(
        folder / "names_train.npz",
        words=spelling.rows,
        grams=spelling.grams,
        gram_counts=spelling.counts,
        shapes=np.concatenate([d.shapes for d in described]).astype(np.int8),
        lengths=np.array([len(d.words) for d in described]),
        seen=np.concatenate([item.seen for item in words]),
        rows=np.concatenate([item.rows for item in words]),
        tags=np.concatenate([item.tags for item in words]).astype(np.int8),
        with_rows=np.array([item.with_rows for item in words]),
    )
    return len(words)


# --- measures ---------------------------------------------------------------------------------------------------


def found(text: str, network: NameNetwork, encode: WordEncoder | None) -> list[NameSpan]:
    """The names of a text by a network."""
    tokens, reader = tokenise(text), load_network()
    if not tokens:
        return []
    rows = encode([words_of(tokens)]) if encode is not None else None
    described = describe(text, tokens, reader.vocabulary)
    return list(name_spans(text, tokens, network.tags(described, reader.read(described, 0, rows), rows)))


def scored(
    messages: Sequence[Message], network: NameNetwork, encode: WordEncoder | None, least: float
) -> Iterator[str]:
    """For each kind, and for all together, how much is found and how much of it is right."""
    right, said, there = (dict.fromkeys(NAME_KINDS, 0) for _ in range(3))
    for message in messages:
        expected = set(spans_of(message))
        for span in expected:
            there[span[2]] += 1
        for name in found(message.text, network, encode):
            if name.sure >= least:
                said[name.kind] += 1
                right[name.kind] += (name.start, name.end, name.kind) in expected
    if not least:
        yield from (f"{kind}: {right[kind]} right of {said[kind]}, {there[kind]} there" for kind in NAME_KINDS)
    counts = [sum(part[kind] for kind in TOLD_APART) for part in (right, said, there)]
    precision, recall = counts[0] / max(1, counts[1]), counts[0] / max(1, counts[2])
    both = 2 * precision * recall / max(1e-9, precision + recall)
    yield f"all but other from {least}: precision {precision:.3f}, recall {recall:.3f}, F1 {both:.3f}"


def main() -> None:
    """Train, measure, and put the weights in their place unless some files were left out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--without", nargs="*", default=[], help="files to measure on rather than to train on")
    parser.add_argument("--measure", type=Path, nargs="*", default=[], help="further files to measure on")
    parser.add_argument("--folder", type=Path, default=Path(".cache/names"))
    parser.add_argument("--times", type=int, default=3, help="variations of each message")
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--prepare-only", action="store_true")
    parser.add_argument("--fitted", action="store_true", help="measure the weights in the folder")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    files, encode = load(), OfflineEmbedder().encode_words
    train = [message for name, messages in files.items() if name not in options.without for message in messages]
    if not options.fitted:
        count = write_arrays(train, encode, options.folder, options.times, options.seed)
        print(f"{len(train)} messages, {count} with their variations", flush=True)
    if options.prepare_only:
        return
    if not options.fitted:
        from tools.reader.fit_names import main as fit

        fit(options.folder, options.epochs, options.seed)
    with np.load(options.folder / "names.npz", allow_pickle=False) as arrays:
        weights = {name: arrays[name] for name in arrays.files}
    network = NameNetwork(weights)
    tests = {name: files[name] for name in options.without} | {
        path.stem: read_lines(path) for path in options.measure
    }
    for name, messages in tests.items():
        for how, encoder in (("with the encoder", encode), ("without", None)):
            lines = [line for least in (0.0, 0.6, 0.7, 0.8) for line in scored(messages, network, encoder, least)]
            print(f"{name}, {how}:", *lines, sep="\n  ")
    if not options.without:
        # Words reach the network through the reader: a test compares which one it was.
        np.savez_compressed(WEIGHTS, **weights, reader=np.array(sha256(READER.read_bytes()).hexdigest()))


if __name__ == "__main__":
    main()
