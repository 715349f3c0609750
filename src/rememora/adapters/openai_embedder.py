"""Vectors from any endpoint that speaks OpenAI's embeddings protocol, hosted or on the next machine."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from rememora.adapters.openai_model import NO_KEY
from rememora.errors import InvalidInput, MissingExtra, ModelUnavailable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_TEXTS_PER_CALL: Final = 256
_LETTERS_READ: Final = 24_000
_ABOUT_THE_TEXT: Final = frozenset({400, 413, 422})
"""Answers that are about what was asked, and not about who answers."""


class OpenAIEmbedder:
    """`text-embedding-3-small` by default, at OpenAI unless `url` names another endpoint.

    Without a `key`, OpenAI gets the `OPENAI_API_KEY` of the environment, and another endpoint gets none.
    """

    def __init__(
        self,
        model: str = "text-embedding-3-small",
        *,
        dimension: int = 1536,
        url: str | None = None,
        key: str | None = None,
        timeout_seconds: float = 30.0,
    ) -> None:
        self.name, self.dimension = f"openai:{model}", dimension
        self._model, self._url, self._key, self._timeout = model, url, key, timeout_seconds

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[NDArray[np.float32]]:
        """One unit vector per text; the endpoint makes no difference between questions and texts."""
        del query
        vectors: list[NDArray[np.float32]] = []
        for start in range(0, len(texts), _TEXTS_PER_CALL):
            vectors += await self._call([_readable(text) for text in texts[start : start + _TEXTS_PER_CALL]])
        return vectors

    async def _call(self, texts: list[str]) -> list[NDArray[np.float32]]:
        import numpy as np

        client = self._client
        from openai import APIStatusError, OpenAIError

        try:
            answer = await client.embeddings.create(model=self._model, input=texts)
        except OpenAIError as failure:
            if isinstance(failure, APIStatusError) and failure.status_code in _ABOUT_THE_TEXT:
                # What it says may quote the text.
                reason = f"{self.name} refuses it with {failure.status_code}"
                raise InvalidInput("text", reason) from failure
            raise ModelUnavailable(f"{self.name}: {failure}") from failure
        vectors = [np.asarray(item.embedding, dtype=np.float32) for item in answer.data]
        if any(len(vector) != self.dimension for vector in vectors):
            lengths = {len(vector) for vector in vectors}
            raise ModelUnavailable(f"{self.name} gave vectors of {lengths}, expected {self.dimension}")
        return [vector / (float(np.linalg.norm(vector)) or 1.0) for vector in vectors]

    @cached_property
    def _client(self) -> Any:
        try:
            from openai import AsyncOpenAI
        except ImportError as missing:
            raise MissingExtra("openai") from missing
        # Given None, the SDK would send the environment's key for OpenAI to whatever server the URL names.
        key = self._key or (NO_KEY if self._url else None)
        return AsyncOpenAI(base_url=self._url, api_key=key, timeout=self._timeout)


def _readable(text: str) -> str:
    """The endpoint refuses empty input."""
    return text[:_LETTERS_READ] or " "
