"""The reader's network gives what its layers give when written out plainly, whatever was read before."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rememora.caches import forget_people
from rememora.reading import read_message
from rememora.reading.network import ATTENTION_AFTER, DILATIONS, HEADS, WEIGHTS, load_network
from rememora.reading.reader import joined
from rememora.reading.tokens import describe, spell, tokenise

CONTEXT = (
    "Oi! Tudo bem? Que horas a loja fecha na sexta, e quem atende o telefone 3232-1010?\nFala com a Bia, a gerente"
)
TEXTS = ("às 21h", "a Ottilia parou;\nquem toca agora é o Thales Brandão", "Custa R$ 1.250,00 — ok?")
TOLERANCE = 2e-5


@pytest.fixture(scope="module")
def stored() -> dict[str, Any]:
    """The file of weights, in numbers of single precision."""
    with np.load(WEIGHTS, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    return {
        name: array.astype(np.float32) if array.dtype == np.float16 else array for name, array in arrays.items()
    }


def rows(stored: dict[str, Any], table: str, at: Any) -> Any:
    return stored[f"{table}.bytes"][at].astype(np.float32) * stored[f"{table}.scale"][at][:, None]


def linear(stored: dict[str, Any], x: Any, name: str) -> Any:
    return x @ stored[f"{name}.weight"] + stored[f"{name}.bias"]


def normal(stored: dict[str, Any], x: Any, name: str) -> Any:
    centred = x - x.mean(axis=1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-5)
    return scaled * stored[f"{name}.weight"] + stored[f"{name}.bias"]


def softmax(x: Any) -> Any:
    return np.exp(x) / np.exp(x).sum(axis=-1, keepdims=True)


def attended(stored: dict[str, Any], x: Any) -> Any:
    """Compute the attention of every token to every other, a head at a time."""
    query, key, value = np.split(linear(stored, normal(stored, x, "attend.norm"), "attend.in"), 3, axis=1)
    heads = zip(*(np.split(part, HEADS, axis=1) for part in (query, key, value)), strict=True)
    seen = [softmax(q @ k.T / np.sqrt(q.shape[1])) @ v for q, k, v in heads]
    return linear(stored, np.concatenate(seen, axis=1), "attend.out")


def convolved(stored: dict[str, Any], x: Any, number: int, dilation: int) -> Any:
    """Each token with those so far before and after it; beyond the ends there is nothing."""
    padded = np.pad(normal(stored, x, f"conv{number}.norm"), ((dilation, dilation), (0, 0)))
    count = len(x)
    window = [padded[:count], padded[dilation : dilation + count], padded[2 * dilation :]]
    values, gates = np.split(linear(stored, np.concatenate(window, axis=1), f"conv{number}"), 2, axis=1)
    return linear(stored, values / (1 + np.exp(-gates)), f"conv{number}.out")


def expected(stored: dict[str, Any], described: Any, context: int) -> dict[str, Any]:
    """The chances of a message behind some tokens of context, every layer computed for every token."""
    spelling = spell(described.words)
    ends = np.cumsum(spelling.counts)
    grams = np.split(rows(stored, "grams", spelling.grams), ends[:-1])
    x = rows(stored, "words", spelling.rows) + np.stack([pieces.mean(axis=0) for pieces in grams])
    x = x + linear(stored, rows(stored, "vectors", described.vectors), "vector")
    x = x + linear(stored, described.shapes, "shape")
    sides = [stored["side.context"]] * context + [stored["side.own"]] * (len(x) - context)
    x = x + np.stack(sides)
    for number, dilation in enumerate(DILATIONS):
        if number == ATTENTION_AFTER:
            x = x + attended(stored, x)
        x = x + convolved(stored, x, number, dilation)
    x = normal(stored, x, "last.norm")[context:]
    pooled = np.concatenate([softmax(linear(stored, x, "pool").T) @ x, x.max(axis=0, keepdims=True)], axis=1)
    chosen = {name: softmax(linear(stored, x, name)) for name in ("act", "attribute", "subject")}
    names = ("value", "begins", "names", "starts")
    yes = {name: 1 / (1 + np.exp(-linear(stored, x, name)[:, 0])) for name in names}
    return chosen | yes | {"label": softmax(linear(stored, pooled, "label"))[0], "hidden": x}


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("words", [0, 1, 5, 28])
def test_the_network_computes_its_layers(stored: dict[str, Any], text: str, words: int) -> None:
    """Also of a context that is longer than what the convolutions behind the attention reach."""
    network, said = load_network(), tokenise(CONTEXT)[:words]
    described = joined(
        describe(CONTEXT, said, network.vocabulary), describe(text, tokenise(text), network.vocabulary)
    )
    outputs = network.read(described, len(said))

    for name, chances in expected(stored, described, len(said)).items():
        assert np.abs(getattr(outputs, name) - chances).max() < TOLERANCE * max(1, np.abs(chances).max()), name


def test_a_reading_does_not_depend_on_what_was_read_before() -> None:
    """Rows of words are held: alone, among others and again they are the same to the last digit."""
    forget_people()
    first = [read_message(text) for text in TEXTS]
    forget_people()
    again = [read_message(text) for text in reversed(TEXTS)]

    assert first == again[::-1]


def test_an_erasure_empties_the_rows_of_words() -> None:
    layers = load_network()._layers
    read_message("a Ottilia toca violoncelo")
    held = set(layers._spelled._held)
    forget_people()

    assert "ottilia" in held
    assert not layers._spelled._held


def test_the_shape_of_a_word_depends_on_its_place() -> None:
    """A capital inside a sentence is a sign of a name; one that opens a sentence or a line is none."""
    text = "Ana viu Ana.Ana\nAna"
    shapes = describe(text, tokenise(text), {}).shapes
    words = [at for at, token in enumerate(tokenise(text)) if token.text == "Ana"]

    assert [[1, 0, 0, 0], [0, 0, 0, 1], [1, 0, 1, 0], [1, 1, 0, 0]] == shapes[words][:, [4, 5, 6, 9]].tolist()
