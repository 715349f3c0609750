"""A text is encoded once for whoever reads it, until somebody is erased."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from rememora.adapters.offline import OfflineEmbedder
from rememora.adapters.word_encoder import Word
from rememora.caches import TextRows, forget_people
from rememora.reading import read_message, read_names
from rememora.reading.encoders import lend_encoder
from rememora.reading.reader import word_states
from rememora.reading.tokens import MOST_HELD, Floats
from rememora.statements.comparison import compared_words

TEXT = "a Juliana mudou a loja pra rua do Sol"


@pytest.fixture
def encoded() -> Iterator[list[int]]:
    """The numbers of words that the encoder was given, call by call."""
    calls, embedder = list[int](), OfflineEmbedder()

    def counting(texts: Sequence[Sequence[Word]]) -> Floats:
        calls.extend(len(words) for words in texts)
        return embedder.encode_words(texts)

    take_back = lend_encoder(counting)
    yield calls
    take_back()


def test_reader_names_and_comparison_share_one_encoding(encoded: list[int]) -> None:
    read_message(TEXT)
    read_names(TEXT)
    compared_words(TEXT)
    word_states(TEXT)

    assert 1 == len(encoded)


def test_an_erasure_lets_go_of_what_was_encoded(encoded: list[int]) -> None:
    read_message(TEXT)
    forget_people()
    read_message(TEXT)

    assert 2 == len(encoded)


def test_long_texts_are_not_held(encoded: list[int]) -> None:
    """Their rows would take megabytes."""
    long = "palavra " * (MOST_HELD + 1)
    word_states(long)
    read_message(long)

    assert 2 == len(encoded)


def test_what_is_shared_cannot_be_changed(encoded: list[int]) -> None:
    (vector,) = OfflineEmbedder().embed_now([TEXT])
    states = word_states(TEXT)

    assert states is not None
    assert not states.flags.writeable
    assert not vector.flags.writeable
    assert vector.base is None, "a vector that is held must not hold its batch"
    assert encoded


def test_only_the_texts_last_used_are_held() -> None:
    """A text that is read again counts as used."""
    texts_encoded = list[str]()

    def encode(texts: Sequence[str]) -> list[Floats]:
        texts_encoded.extend(texts)
        return [np.zeros(1, np.float32) for _ in texts]

    rows = TextRows(encode, most=2)
    for texts in (["a", "b"], ["a"], ["c"], ["a", "b"]):
        assert len(texts) == len(rows(texts))

    assert ["a", "b", "c", "b"] == texts_encoded
