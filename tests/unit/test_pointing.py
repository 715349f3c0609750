"""Which of several texts a request to forget describes."""

from __future__ import annotations

import numpy as np
import pytest

from rememora.adapters.offline import OfflineEmbedder
from rememora.reading import read_message
from rememora.reading.encoders import lend_encoder
from rememora.statements import planner
from rememora.statements.links import known
from rememora.statements.meaning import Meaning
from rememora.statements.pointing import shares

TEXTS = (
    "the dentist moved to Elm Street",
    "my sister is secretly seeing her boss",
    "we pay 40 a month for the gym",
)
WISH = "erase the gossip about the affair at her office"


@pytest.fixture
def meaning() -> Meaning:
    embedder = OfflineEmbedder()
    lend_encoder(embedder.encode_words)
    return Meaning(embedder.embed_now)


def test_the_described_text_has_the_greatest_share(meaning: Meaning) -> None:
    """The request says no word of it."""
    result = shares(known(WISH), [known(text) for text in TEXTS], meaning)

    assert result is not None
    assert int(np.argmax(result)) == 1
    assert 0 < float(result.sum()) < 1


def test_shares_follow_the_texts(meaning: Meaning) -> None:
    """The order in which texts are told does not matter."""
    one = shares(known(WISH), [known(text) for text in TEXTS], meaning)
    other = shares(known(WISH), [known(text) for text in reversed(TEXTS)], meaning)

    assert one is not None
    assert other is not None
    assert np.allclose(one, other[::-1], atol=1e-5)


def test_nothing_is_told_without_an_encoder() -> None:
    """Words alone know nothing of descriptions."""
    embedder = OfflineEmbedder()
    meaning = Meaning(embedder.embed_now)

    assert shares(known(WISH), [known(text) for text in TEXTS], meaning) is None
    assert shares(known(WISH), [], meaning) is None


def test_a_request_that_fits_two_statements_alike_means_neither_for_sure(meaning: Meaning) -> None:
    """Both debts are offered, and none is forgotten on a guess."""
    wish = "apaga aquilo que eu contei da dívida"
    texts = ("tô devendo 300 pro Beto da padaria", "tô devendo 300 pra Lia da padaria", "o cachorro é o Thor")
    meant = planner.meant(
        read_message(wish), known(wish), [known(text) for text in texts], meaning, described=True
    )

    assert ((), {0, 1}) == (meant.sure, set(meant.possible[:2]))
