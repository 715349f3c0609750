"""The words that spoke for a reading: true to the network, the same each time, bounded."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from rememora.adapters.offline import OfflineEmbedder
from rememora.reading import read_message, weigh_words
from rememora.reading.encoders import lend_encoder
from rememora.reading.explained import MOST_WORDS, MessageWords

ROUNDED = 1e-4
TEXTS = (
    "me ajuda com o convite? minha sócia Lia faz aniversário dia 9",
    "esquece o telefone da Bia",
    "acho que o João mora em Recife",
    "my sister Fenna keeps the books",
    "I think we close at 9 on Fridays",
    "prefiero respuestas cortas y vivo en Madrid",
    "no, el taller abre a las 9, no a las 8",
)
OPENING = {
    "esquece o telefone da Bia": "esquece",
    "acho que o João mora em Recife": "acho",
    "prefiero respuestas cortas y vivo en Madrid": "prefiero",
}
"""Texts with the word that most people would name."""


@pytest.fixture(params=["alone", "local"], autouse=True)
def encoder(request: pytest.FixtureRequest) -> Iterator[str]:
    """Without an encoder, and with the bundled one."""
    take_back = lend_encoder(OfflineEmbedder().encode_words) if request.param == "local" else lambda: None
    yield request.param
    take_back()


def weighed(text: str, *before: str) -> MessageWords:
    """The words of a text with their weights."""
    words = weigh_words(text, before)
    assert words is not None
    return words


def without(text: str, start: int, end: int) -> str:
    """A text without one word."""
    return f"{text[:start]} {text[end:]}"


def test_a_weight_is_what_the_chance_loses_without_the_word() -> None:
    """Measured by reading the text without each word: no other removal changes the chance more than the first."""
    for text in TEXTS:
        words = weighed(text)
        losses = {
            (start, end): words.chance - read_message(without(text, start, end)).label(words.label)
            for start, end, _ in words.words
        }

        assert len(losses) == sum(part[0].isalnum() for part in text.split())
        assert all(abs(losses[start, end] - weight) < ROUNDED for start, end, weight in words.words)
        assert max(map(abs, losses.values())) - abs(words.words[0].weight) < ROUNDED


def test_the_act_of_a_part_is_weighed_by_its_own_chance() -> None:
    """A message of one part shows it: the act's chance without the word is less by the weight."""
    text = "esquece o telefone da Bia"
    words, [part] = weighed(text), read_message(text).parts
    top = words.parts[0][0]
    left = read_message(without(text, top.start, top.end))

    assert "esquece" == text[top.start : top.end]
    assert abs(part.chance("forget") - left.parts[0].chance("forget") - top.weight) < ROUNDED


def test_the_word_that_people_would_name_weighs_most() -> None:
    for text, word in OPENING.items():
        top = weighed(text).parts[0][0]

        assert word == text[top.start : top.end]
        assert top.weight > 0


def test_the_turns_before_count() -> None:
    """A short answer is an answer by what was asked."""
    question = "assistant: Que horas a loja fecha?"

    assert weighed("às 21h", question) != weighed("às 21h")


def test_weights_are_the_same_each_time() -> None:
    """Also in the order of words that weigh the same."""
    for text in TEXTS:
        assert weighed(text) == weighed(text)


def test_a_long_text_is_weighed_in_part() -> None:
    """20,000 characters: sixty words, of which those where something is stated come first."""
    text = "kkk que dia lindo, né? " * 15 + "\nMeu nome é Ana e moro em Recife.\n" + "Tudo bem por aí? " * 1_200
    words = weighed(text[:20_000])
    parts = read_message(text[:20_000]).parts
    [stated] = [number for number, part in enumerate(parts) if part.act in ("tell", "change")][:1]

    assert MOST_WORDS == len(words.words)
    assert all(len(part) == MOST_WORDS for part in words.parts)
    assert len(words.parts) == len(parts)
    assert parts[stated].start <= words.parts[stated][0].start < parts[stated].end


def test_texts_without_words_have_none() -> None:
    """One word leaves nothing when it goes; signs are no words."""
    assert () == weighed("").words
    assert () == weighed("?!").words
    [only] = weighed("oi").words
    assert (0, 2) == only[:2]


ANOTHER_READER = """
from rememora.reading import hold_reader, read_builtin, weigh_words

let_go = hold_reader("other", read_builtin)
assert weigh_words("moro em Recife") is None
let_go()
assert weigh_words("moro em Recife") is not None
"""


def test_another_reader_keeps_its_reasons() -> None:
    """The words of the package's network say nothing of what a plugin read.

    In a process of its own: one reader serves a process, and an open memory of another test may hold it.
    """
    done = subprocess.run([sys.executable, "-c", ANOTHER_READER], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
