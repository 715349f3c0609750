"""The encoder's view of words, and how the reader borrows it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from rememora.adapters.offline import OfflineEmbedder
from rememora.adapters.word_encoder import ROW, Floats, Word
from rememora.caches import forget_people
from rememora.reading.encoders import current_encoder, lend_encoder, words_of
from rememora.reading.reader import read_message
from rememora.reading.tokens import tokenise

TEXT = "Minha filha mudou de escola, agora é o Colégio São José."


@pytest.fixture
def embedder() -> OfflineEmbedder:
    return OfflineEmbedder()


@pytest.fixture(autouse=True)
def _nothing_read_before() -> Iterator[None]:
    """Readings of other tests are forgotten, before and after."""
    forget_people()
    yield
    forget_people()


def rows_of(embedder: OfflineEmbedder, *texts: str) -> Floats:
    """Rows of the words of some texts."""
    return embedder.encode_words([words_of(tokenise(text)) for text in texts])


def test_rows_sum_to_the_vector_of_the_sentence(embedder: OfflineEmbedder) -> None:
    """From the rows of a sentence's pieces the encoder's own vector can be made: they are its inner view."""
    model = embedder._model()
    encoder, backend = embedder.encode_words, model._model
    encoder([[("oi", False)]])
    text = "Minha filha mudou de escola"
    ids = np.array(model._tokenizer.encode(text))
    from rememora.adapters.offline import _word_encoder

    rows = _word_encoder(model)._rows(ids, np.zeros(len(ids)))
    mean = (rows.sum(axis=0) @ backend.cnn_W + len(rows) * backend.cnn_b) / np.sqrt(len(rows))
    first = np.maximum(mean @ backend.d0, 0)
    second = np.maximum(mean @ backend.p1 + first @ backend.d1, 0)
    vector = np.tanh(second @ backend.p3 + np.maximum(second @ backend.d2, 0) @ backend.d3)

    assert float(vector / np.linalg.norm(vector) @ embedder.embed_now([text])[0]) == pytest.approx(1, abs=1e-4)


def test_each_word_has_a_row_and_texts_do_not_meet(embedder: OfflineEmbedder) -> None:
    """Every token has one row, the same whichever other text is encoded beside it."""
    alone, rows = rows_of(embedder, TEXT), rows_of(embedder, "oi, tudo bem?", TEXT)

    assert (len(tokenise(TEXT)), ROW) == alone.shape
    np.testing.assert_allclose(alone, rows[-len(alone) :], atol=1e-4)


def test_a_row_depends_on_the_neighbours(embedder: OfflineEmbedder) -> None:
    """The same word among others has another row."""
    bank, seat = rows_of(embedder, "banco da praça")[0], rows_of(embedder, "banco Itaú, agência 2")[0]

    assert float(np.abs(bank - seat).max()) > 0.1


@pytest.mark.parametrize("text", ["", "   "])
def test_no_words_have_no_rows(embedder: OfflineEmbedder, text: str) -> None:
    assert (0, ROW) == rows_of(embedder, text).shape


def test_glued_tokens_are_told_apart() -> None:
    """A sign right behind a word is marked, so that no space is read into it."""
    assert [("oi", False), (",", True), ("tudo", False)] == words_of(tokenise("oi, tudo"))


def test_the_reader_uses_what_was_lent_until_it_is_taken_back(embedder: OfflineEmbedder) -> None:
    """A reading changes with the first encoder lent, and is again what it was once the last is taken back."""
    items: list[str] = []

    def encode(texts: Sequence[Sequence[Word]]) -> Floats:
        items.extend(word for words in texts for word, _ in words)
        return embedder.encode_words(texts)

    plain = read_message(TEXT)
    take_back, take_back_second = lend_encoder(encode), lend_encoder(embedder.encode_words)
    encoded = read_message(TEXT)
    take_back_second()
    again = read_message(TEXT)
    take_back()

    assert [token.text for token in tokenise(TEXT)] == items
    assert encoded == again
    assert plain.labels != encoded.labels
    assert plain == read_message(TEXT)
    assert current_encoder() is None
