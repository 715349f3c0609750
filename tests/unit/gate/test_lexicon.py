"""Words by class, and frames of classes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.looped import looped

from rememora.gate import lexicon, load_policy
from rememora.gate.lexicon import TOKEN, Lexicon, lexicon_of, parse_frame
from rememora.language.folding import fold_same_length
from rememora.reading.normalised import normalise

MESSAGES = Path(__file__).parents[3] / "data/reading/judged"
WORDS = Lexicon(
    {
        "never": ["nunca", "never"],
        "tell": ["cont*", "tell"],
        "boss": ["chefe", "the boss"],
        "gift": ["surpresa"],
    }
)


def found(frame: str, text: str) -> bool:
    tagged = WORDS.tag(normalise(text).folded)
    return parse_frame(frame, WORDS).find(tagged, WORDS.bits["stop"]) is not None


@looped(
    ("frame", "text", "expected"),
    [
        ("never tell boss", "nunca conte isso ao chefe", True),
        ("never tell boss", "never tell any of it to the boss", True),
        ("never tell boss", "ao chefe conte nunca", False),
        ("never tell boss", "nunca. conte ao chefe", False),
        ("never & boss", "o chefe saiu. nunca mais", True),
        ("never|gift tell", "surpresa, conta logo", True),
        ("never tell boss ! gift", "nunca conte ao chefe, é surpresa", False),
    ],
)
def test_frames_read_classes_in_order(frame: str, text: str, expected: bool) -> None:
    """Classes follow one another closely within a sentence, `&` joins, `|` chooses and `!` excuses."""
    assert expected == found(frame, text)


def test_the_words_of_a_text_are_tagged_as_the_text_is() -> None:
    """Tokens come word by word from what is known of each; amounts and lines are read as a whole."""
    lexicon = lexicon_of(load_policy())
    texts = [*_texts(), "custa r$ 50.\n\nfim... ok", "a@b.co, www.x.com; 2fa d'agua"]
    for text in texts:
        expected = [lexicon.mask(token) for token in TOKEN.findall(text)]
        tagged = lexicon.tag(text)
        assert len(expected) == len(tagged.masks), text
        assert all(mine & mask == mine for mine, mask in zip(expected, tagged.masks, strict=True)), text


def _texts() -> list[str]:
    """Labelled messages, and their halves, which cut words and values in two."""
    files = sorted(MESSAGES.glob("*.jsonl"))
    lines = [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]
    whole = [fold_same_length(line["text"]) for line in lines if isinstance(line.get("text"), str)]
    return [*whole, *(text[: len(text) // 2] for text in whole)]


class CountedWords(list[str]):
    """Counts how many words are copied out of it."""

    copied = 0

    def __getitem__(self, place: Any) -> Any:
        """Return words as a list does, and count those of a slice."""
        result = super().__getitem__(place)
        self.copied += len(result) if isinstance(place, slice) else 0
        return result


def test_a_phrase_looks_no_further_than_its_own_words() -> None:
    """Copying the rest of a text at each of its words would make a long one quadratic."""
    words = CountedWords(["no", "lo"] * 1000)

    assert lexicon._continues(words, 1, ("lo", "no"))
    assert 2 == words.copied
