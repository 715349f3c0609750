"""Statements compared word by word."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from rememora.adapters.offline import OfflineEmbedder
from rememora.caches import forget_people
from rememora.reading import read_message
from rememora.reading.encoders import lend_encoder
from rememora.statements import planner
from rememora.statements.alignment import MEMBERS, aligned_words, load_alignment
from rememora.statements.links import features, known, load_links, meaning_features
from rememora.statements.meaning import Meaning

KNOWN = (
    "a loja abre das 9 às 18 de segunda a sexta",
    "meu contador é o Valdir",
    "o aluguel vence dia 10",
    "a Bia cuida do caixa",
)
CHANGE = "agora a gente fecha às 21h"


@pytest.fixture
def meaning() -> Iterator[Meaning]:
    """The bundled encoder, lent to the reader as an open memory does."""
    embedder = OfflineEmbedder()
    take_back = lend_encoder(embedder.encode_words)
    yield Meaning(embedder.embed_now)
    take_back()


def test_without_an_encoder_nothing_is_aligned() -> None:
    """A store without the bundled encoder compares whole statements alone."""
    assert aligned_words(CHANGE) is None


def test_each_word_is_projected_for_each_network(meaning: Meaning) -> None:
    words = aligned_words(CHANGE)

    assert words is not None
    assert MEMBERS == len(words)
    assert {(7, 48)} == {word.shape for word in words}


def test_a_text_without_words_is_not_aligned(meaning: Meaning) -> None:
    assert aligned_words("  ") is None


def test_an_erasure_empties_what_was_projected(meaning: Meaning) -> None:
    """Projected words are a person's words."""
    aligned_words(CHANGE)
    forget_people()

    assert 0 == aligned_words.cache_info().currsize


def test_a_pair_is_compared_whatever_stands_beside_it(meaning: Meaning) -> None:
    """With the same features, a statement's chance does not depend on the other statements."""
    said, others = known(CHANGE), [known(text) for text in KNOWN]
    rows = np.concatenate(
        [
            features(read_message(CHANGE), said, others),
            meaning_features(meaning, load_links().space, said, others),
        ],
        axis=1,
    )
    mine, theirs = aligned_words(CHANGE), [aligned_words(text) for text in KNOWN]
    assert mine is not None
    result = load_alignment()
    together = result.chances(mine, [words for words in theirs if words is not None], rows)
    alone = np.concatenate(
        [result.chances(mine, [words], rows[at : at + 1]) for at, words in enumerate(theirs) if words is not None]
    )

    np.testing.assert_allclose(together, alone, atol=1e-5)
    assert ((together >= 0) & (together <= 1)).all()


def test_a_change_finds_the_statement_that_it_changes(meaning: Meaning) -> None:
    """New closing hours touch the hours, and nothing else."""
    effects = planner.plan(
        read_message(CHANGE), known(CHANGE), [known(text) for text in KNOWN], act="change", meaning=meaning
    )

    assert [0] == [effect.place for effect in effects]


def test_a_second_price_is_not_in_doubt_beside_the_one_that_changed(meaning: Meaning) -> None:
    """The replaced statement is compared too; alone, the other price seems to be meant."""
    said, old, other = (
        known("The warehouse rent went up to 2,900 a month."),
        known("Our warehouse rent is 2,400 a month"),
        known("Our van lease is 600 a month"),
    )

    assert [] == planner.doubted(read_message(said.text), said, [other], [old])


def test_a_statement_that_rests_on_somebody_who_left_is_not_replaced(meaning: Meaning) -> None:
    """Doubt is likelier than a new value: where the tools are kept is not what was said."""
    said = "a Jussara foi embora do prédio, se mudou pra Floripa"
    others = ("guardo minhas ferramentas no depósito da Jussara, que é minha vizinha", "O cachorro se chama Thor")
    effects = planner.plan(
        read_message(said), known(said), [known(text) for text in others], act="change", meaning=meaning
    )

    assert [] == effects


def test_a_new_value_takes_the_place_of_one_old_value(meaning: Meaning) -> None:
    """The price of honey changes, and not the number of boxes of the same bees, though both seem to be meant."""
    said = "o potinho da uruçu foi pra 52, o vidro subiu demais"
    others = (
        "tenho 22 caixas de uruçu, 11 de jandaíra e 5 de mandaçaia",
        "o pote de 250g da uruçu vendo a 45 e o da jandaíra a 60",
    )
    effects = planner.plan(
        read_message(said), known(said), [known(text) for text in others], act="change", meaning=meaning
    )

    assert ["o pote de 250g da uruçu vendo a 52 e o da jandaíra a 60"] == [effect.left for effect in effects]
