"""Comparison by meaning: with the bundled encoder's directions, each text encoded once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from rememora.adapters.offline import OfflineEmbedder
from rememora.caches import forget_people
from rememora.language.parsed import parse_text
from rememora.reading import read_message
from rememora.reading.encoders import lend_encoder
from rememora.statements.items import items_of, meant_item
from rememora.statements.links import known
from rememora.statements.meaning import Meaning, nearness, pieces_of
from rememora.statements.planner import meant
from rememora.statements.touching import CANDIDATES


class Counting:
    """An encoder that counts the texts it was given."""

    def __init__(self) -> None:
        self.given: list[str] = []

    def __call__(self, texts: Sequence[str]) -> list[np.ndarray]:
        self.given += texts
        return [np.eye(OfflineEmbedder.dimension, dtype=np.float32)[len(text)] for text in texts]


@pytest.fixture(scope="module")
def encoded() -> Meaning:
    return Meaning(OfflineEmbedder().embed_now)


def test_a_text_is_encoded_once_and_forgotten_with_people() -> None:
    """An erasure empties the directions too, since they are kept by the words."""
    encoder = Counting()
    meaning = Meaning(encoder)

    meaning.rows(["a", "bb", "a"])
    meaning.rows(["bb", "ccc"])
    assert encoder.given == ["a", "bb", "ccc"]

    forget_people()
    meaning.rows(["a"])
    assert encoder.given == ["a", "bb", "ccc", "a"]


def test_the_oldest_texts_make_room() -> None:
    """No more are held than were asked for."""
    encoder = Counting()
    meaning = Meaning(encoder, remembered=2)

    meaning.rows(["a", "bb", "ccc"])
    meaning.rows(["bb", "ccc"])
    meaning.rows(["a"])

    assert encoder.given == ["a", "bb", "ccc", "a"]


def test_nearness_is_of_the_whole_and_of_the_nearest_piece() -> None:
    """The reason beside a wish does not hide it."""
    meaning = Meaning(Counting())
    text = "please drop it, my sister hates it"

    assert pieces_of(text) == [text, "please drop it,", "my sister hates it"]
    whole, piece = nearness(meaning, text, ["x" * len("please drop it,")])
    assert piece[0] == 1
    assert whole[0] <= piece[0]


@pytest.mark.parametrize(
    ("listed", "wish", "item"),
    [
        ("Ideas for the box: dried mango, wool socks, a book of sudoku", "drop the number puzzle one", 2),
        ("Pratos: escondidinho, bobó de camarão e arroz doce", "tira a sobremesa", 2),
        ("Jogos: queimada, esconde-esconde e xadrez", "risca o de tabuleiro", 2),
    ],
)
def test_a_thing_is_meant_by_what_it_is(encoded: Meaning, listed: str, wish: str, item: int) -> None:
    """No word of the wish stands in the list."""
    assert meant_item(listed, parse_text(wish), items_of(listed), encoded) == item


def test_a_sentence_without_a_heading_is_no_list_to_a_description(encoded: Meaning) -> None:
    """A wish that says no word of it means all of it; one that says a word takes that piece."""
    text = "a Tainá, da sala 6, copiou meu molde da saia godê e vendeu pra uma loja de Brusque"
    wish = "Olha, sobre aquele desabafo da outra conversa: apaga, por favor. Fiquei com vergonha"

    assert meant_item(text, parse_text(wish), items_of(text), encoded) is None
    assert 3 == meant_item(text, parse_text("tira só a parte da loja de Brusque"), items_of(text), encoded)


def test_only_the_nearest_statements_are_encoded() -> None:
    """Somebody with hundreds of memories waits for a handful of texts."""
    encoder = Counting()
    texts = [f"Tenho {number} camisetas da loja {number}" for number in range(40)]

    wish = "esquece as camisetas"
    take_back = lend_encoder(OfflineEmbedder().encode_words)
    meant(read_message(wish), known(wish), [known(text) for text in texts], Meaning(encoder))
    take_back()

    assert len([text for text in encoder.given if text in texts]) == CANDIDATES
