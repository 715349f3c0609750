"""The data that the reader learns from: apart from what measures it, and varied without losing its labels."""

from __future__ import annotations

import random
from itertools import islice
from typing import Any

from tools.check_reading_data import READING, evaluation, near, said, training, unmarked
from tools.reader.prepare import load
from tools.reader.wording import hurried, of_another_trade, wordings
from tools.write_variations import as_row, variations

from rememora.reading.labels import ACTS

SEED = 7


class FirstChoice(random.Random):
    """A chance that always varies, and takes the first that there is."""

    def random(self) -> float:
        """Return the lowest chance."""
        return 0.0

    def choice(self, seq: Any) -> Any:
        """Return the first."""
        return seq[0]


def test_no_evaluation_set_has_a_message_that_the_reader_learned() -> None:
    """Each scored message is marked, or stands in no training file in nearly the same words."""
    assert [] == [(text.file, text.text) for text, _ in unmarked(list(near(evaluation(), training())))]


def test_near_duplicates_share_four_of_five_words() -> None:
    """Case and signs do not count; texts of fewer than four words are left out."""
    texts = [said("a", "o prazo da obra é sexta"), said("a", "tudo certo por aqui"), said("a", "ok, valeu")]
    other = [said("b", "O prazo da obra é SEXTA!"), said("b", "tudo errado por aqui"), said("b", "ok, valeu")]

    assert [("o prazo da obra é sexta", "O prazo da obra é SEXTA!")] == [
        (left.text, right.text) for left, right in near(texts, other)
    ]
    assert not unmarked([(said("gate_final", "a b c d", seen=True), other[0])])


def test_the_card_names_every_file() -> None:
    """No writer is left out of the card, and no file that is not there is described."""
    card = (READING / "README.md").read_text("utf-8")
    ranges = {"p": range(1, 12), "e": range(1, 11), "k": range(11), "d": range(1, 11)}
    missing = {"p5", "e4"}
    described = {f"{letter}{number}" for letter, numbers in ranges.items() for number in numbers} - missing

    for path in READING.glob("*.jsonl"):
        assert path.stem in described or f"`{path.stem}`" in card, path.stem
    assert described <= {path.stem for path in READING.glob("*.jsonl")}


def test_variations_keep_their_labels() -> None:
    """Each of 200 variations has the acts of a message, and each value stands in its part to the letter."""
    varied = list(islice(variations(load()[::40], 3, SEED), 200))

    assert 200 == len(varied)
    for number, example in enumerate(varied):
        row = as_row(example, number)
        assert example.text == "".join(part["text"] for part in row["parts"])
        for part in row["parts"]:
            assert part["act"] in ACTS
            assert all(value in part["text"] for _, _, value in part.get("facts", ()))


def test_variations_are_the_same_for_a_seed() -> None:
    """Written again, they are the same ones."""
    few = load()[:50]

    assert list(variations(few, 2, SEED)) == list(variations(few, 2, SEED))
    assert list(variations(few, 2, SEED)) != list(variations(few, 2, SEED + 1))


def test_slang_and_trades_vary_with_their_values() -> None:
    """A word is written in one way everywhere in a message, in the text and in the values of its labels."""
    text = "você sabe que a padaria não abre hoje"
    chance = FirstChoice()

    assert "vc sabe q a padaria n abre hj" == hurried(text, "pt", chance)(text)
    assert "você sabe que a floricultura não abre hoje" == of_another_trade(text, "pt", chance)(text)
    assert text == hurried(text, "xx", chance)(text)
    assert {"pt", "en", "es"} == set(wordings())
