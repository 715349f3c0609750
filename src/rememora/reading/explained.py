"""Tells which words spoke for what the network read: each is left out in turn, and the chances are compared.

The texts without one word are read together. A message is read some sixty times for this, so it is done on demand
and never on the path of a turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from rememora.reading.encoders import current_encoder, words_of
from rememora.reading.labels import ACTS, LABELS
from rememora.reading.network import load_network
from rememora.reading.one_thread import one_thread
from rememora.reading.reader import (
    CONTEXT_TOKENS,
    READ_TOKENS,
    context_of,
    joined,
    lower_shouted,
    read_message,
)
from rememora.reading.results import SentencePart
from rememora.reading.tokens import Floats, Token, describe, encoded_words, tokenise

MOST_WORDS: Final = 60
"""Words of a text that are left out in turn."""
TOKENS_AT_ONCE: Final = 2048
"""Tokens that are read together; more are no faster, and take memory by the square of a text's length."""
REACH: Final = 8
"""Words on either side whose rows of an encoder may depend on a word; the bundled one looks at four pieces."""
_DIGITS: Final = 4
_IDLE_ACTS: Final = frozenset({"chat", "ask", "request", "passing", "unreal"})
"""Acts that nothing is done about: of a text with too many words, these parts are weighed last."""
_WITHOUT_WORDS: Final = "reject"
"""Label of a message without words."""


class WordShare(NamedTuple):
    """A word by its place, and how much of a chance is lost without it."""

    start: int
    end: int
    weight: float


class MessageWords(NamedTuple):
    """The words that spoke for the likeliest label of a message and for the act of each part, weightiest first."""

    label: str
    chance: float
    words: tuple[WordShare, ...]
    parts: tuple[tuple[WordShare, ...], ...]


class _Question(NamedTuple):
    """The chances that are compared: of one label, and of one act for the words of each part."""

    label: int
    acts: tuple[int, ...]
    inside: tuple[tuple[int, ...], ...]

    def without(self, place: int) -> _Question:
        """Return the same question of a text without one token."""
        inside = (tuple(word - (word > place) for word in words if word != place) for words in self.inside)
        return self._replace(inside=tuple(inside))

    def chances(self, label: Floats, act: Floats) -> Floats:
        """Return the chance of the label, and those of the acts; a part without words has none."""
        parts = (
            act[list(words), column].mean() if words else 0.0
            for column, words in zip(self.acts, self.inside, strict=True)
        )
        return np.array([label[self.label], *parts], np.float32)


def weigh_words(text: str, before: Sequence[str] = ()) -> MessageWords:
    """Weigh the words of a message that was said after some turns, at most `MOST_WORDS` of them."""
    reading = read_message(text, before)
    calm = lower_shouted(text)
    tokens = tokenise(calm)
    question = _Question(
        label=int(np.argmax(reading.labels)),
        acts=tuple(ACTS.index(part.act) for part in reading.parts),
        inside=tuple(tuple(_inside(tokens[:READ_TOKENS], part)) for part in reading.parts),
    )
    places = _weighed(tokens, reading.parts, question.inside)
    losses = _losses(calm, tokens, places, question, before)
    shares = [_shares(tokens, places, column) for column in losses.T]
    return MessageWords(LABELS[question.label], reading.labels[question.label], shares[0], tuple(shares[1:]))


def _inside(tokens: Sequence[Token], part: SentencePart) -> Iterator[int]:
    """Yield the places of the words of a part, or of its signs where it has no word."""
    within = [at for at, token in enumerate(tokens) if part.start <= token.start < part.end]
    yield from [at for at in within if _is_word(tokens[at])] or within


def _is_word(token: Token) -> bool:
    return token.text[0].isalnum()


def _weighed(tokens: Sequence[Token], parts: Sequence[SentencePart], inside: Sequence[Sequence[int]]) -> list[int]:
    """Return the places of the words that are left out in turn; parts that something is done about go first."""
    order = sorted(range(len(parts)), key=lambda at: parts[at].act in _IDLE_ACTS)
    words = [place for at in order for place in inside[at] if _is_word(tokens[place])]
    return sorted(words[:MOST_WORDS])


def _losses(
    text: str, tokens: Sequence[Token], places: Sequence[int], question: _Question, before: Sequence[str]
) -> Floats:
    """Return what each chance loses without each of the words, a row for each word."""
    rows = np.zeros((len(places), 1 + len(question.acts)), np.float32)
    if not places:
        return rows
    read = tokens[:READ_TOKENS]
    encoded = encoded_words(read)
    [(label, act)] = _read(text, [read], before, None if encoded is None else [encoded])
    whole = question.chances(label, act)
    if len(tokens) == 1:
        empty = np.zeros_like(whole)
        empty[0] = LABELS[question.label] == _WITHOUT_WORDS
        rows[0] = whole - empty
        return rows
    texts = [[*tokens[:at], *tokens[at + 1 :]][:READ_TOKENS] for at in places]
    without = _read(text, texts, before, _encoded_without(tokens, places))
    for row, (place, (label, act)) in enumerate(zip(places, without, strict=True)):
        rows[row] = whole - question.without(place).chances(label, act)
    return rows


def _read(
    text: str, texts: Sequence[Sequence[Token]], before: Sequence[str], encoded: Sequence[Floats] | None
) -> Iterator[tuple[Floats, Floats]]:
    """Yield the chances of labels, and of acts by token, of texts of one length; each is some tokens of `text`."""
    network, context = load_network(), context_of(before)
    said = tokenise(context)[-CONTEXT_TOKENS:]
    lead = describe(context, said, network.vocabulary)
    at_once = max(1, TOKENS_AT_ONCE // (len(said) + len(texts[0])))
    for first in range(0, len(texts), at_once):
        some = slice(first, first + at_once)
        described = [joined(lead, describe(text, tokens, network.vocabulary)) for tokens in texts[some]]
        outputs = network.read_each(described, len(said), None if encoded is None else encoded[some])
        yield from zip(outputs.label, outputs.act, strict=True)


def _encoded_without(tokens: Sequence[Token], places: Sequence[int]) -> list[Floats] | None:
    """Return an encoder's rows of the text without each of some words; None where no memory has lent an encoder.

    A word changes the rows of its neighbours alone: only they are encoded again.
    """
    encoder, whole = current_encoder(), encoded_words(tokens[: READ_TOKENS + 1])
    if encoder is None or whole is None:
        return None
    near = [(max(0, at - 2 * REACH), at, at + 2 * REACH + 1) for at in places]
    pieces = [words_of([*tokens[low:at], *tokens[at + 1 : high]]) for low, at, high in near]
    with one_thread():
        rows = np.split(encoder(pieces), np.cumsum([len(piece) for piece in pieces])[:-1])
    return [_spliced(whole, piece, low, at) for piece, (low, at, _) in zip(rows, near, strict=True)]


def _spliced(whole: Floats, piece: Floats, low: int, at: int) -> Floats:
    """Return the rows of a text without one word: those near it from a piece that begins at `low`."""
    first = max(0, at - REACH)
    changed = piece[first - low : at - low + REACH]
    spliced: Floats = np.concatenate([whole[:first], changed, whole[first + len(changed) + 1 :]])
    return spliced[:READ_TOKENS]


def _shares(tokens: Sequence[Token], places: Sequence[int], losses: Floats) -> tuple[WordShare, ...]:
    """Return words with what was lost without each; the weightiest first, then in the order of the text."""
    weights = [round(float(loss), _DIGITS) for loss in losses]
    order = sorted(range(len(places)), key=lambda at: (-abs(weights[at]), places[at]))
    words = (tokens[places[at]] for at in order)
    return tuple(WordShare(word.start, word.end, weights[at]) for at, word in zip(order, words, strict=True))
