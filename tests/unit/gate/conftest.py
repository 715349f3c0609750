"""The gate reads as in a store with the bundled encoder, which is what `make serve` opens."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rememora.adapters.offline import OfflineEmbedder
from rememora.reading.encoders import lend_encoder


@pytest.fixture(scope="module", autouse=True)
def _encoder() -> Iterator[None]:
    take_back = lend_encoder(OfflineEmbedder().encode_words)
    yield
    take_back()
