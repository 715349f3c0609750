"""Trains the offline reader: `python -m tools.train_reader [--without WRITER …]`.

Reads `data/reading/`, makes variations, and writes arrays to a folder (about 4 GB, most of it the rows that the
bundled encoder gives each token); fitting (`tools.reader.fit`) needs only that folder, torch and numpy, so that it
can run on another machine.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from tools.reader.prepare import Example, encode, load, load_judged, pack, varied, write_rows

from rememora.adapters.offline import OfflineEmbedder

SHIPPED = Path("src/rememora/reading/weights.npz")
"""Weights in the wheel: a new reader keeps their vocabulary and its vectors, and learns all the rest anew."""


def write_words(folder: Path) -> dict[str, int]:
    """Write the vocabulary and its vectors for the fit; return the row of each word."""
    shipped = np.load(SHIPPED)
    words = str(shipped["vocabulary"])
    np.savez_compressed(folder / "words.npz", words=np.array(words), vectors=shipped["vectors.bytes"])
    return {word: row for row, word in enumerate(words.split("\n")) if word}


def write_arrays(
    folder: Path, name: str, examples: Sequence[Example], vocabulary: Mapping[str, int], *, rows: bool = True
) -> None:
    """Write the tokens and labels of messages, and the rows that the bundled encoder gives their tokens."""
    arrays = pack([encode(example, vocabulary) for example in examples]) | hands_of(examples)
    np.savez_compressed(folder / f"{name}.npz", **arrays)
    if rows:
        write_rows(examples, OfflineEmbedder().encode_words, folder / f"{name}_rows.npy")
    else:
        (folder / f"{name}_rows.npy").unlink(missing_ok=True)


def hands_of(examples: Sequence[Example]) -> dict[str, Any]:
    """Return who wrote each message and what it borrows, and which messages are variations."""
    names = sorted({example.writer for example in examples})
    number = {name: place for place, name in enumerate(names)}
    hands = np.full((len(examples), 3), -1, np.int16)
    for row, example in zip(hands, examples, strict=True):
        written_by = (example.writer, *example.borrowed)
        row[: len(written_by)] = [number[name] for name in written_by]
    varied_too = np.array([example.is_varied for example in examples], bool)
    return {"writer_names": np.array(names), "writers": hands, "varied": varied_too}


def main() -> None:
    """Write the arrays, and fit unless told to stop there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--without", nargs="*", default=[], help="writers to measure on rather than to train on")
    parser.add_argument("--folder", type=Path, default=Path(".cache/reader"))
    parser.add_argument("--times", type=int, default=3, help="variations of each message")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--each", nargs="*", default=[], help="writers to leave out and measure on, one by one")
    parser.add_argument("--no-rows", action="store_true", help="without what the bundled encoder gives each token")
    parser.add_argument("--prepare-only", action="store_true")
    parser.add_argument("--start", type=Path, help="weights to train on, rather than from nothing")
    parser.add_argument("--rate", type=float, default=3e-3, help="highest rate of learning; 5e-4 with --start")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    vocabulary = write_words(options.folder)
    examples = [*load(), *load_judged()]
    train = [example for example in examples if example.writer not in options.without]
    test = [example for example in examples if example.writer in options.without]
    random.Random(options.seed).shuffle(train)
    many = [example for example in varied(train, options.times, options.seed) if example.text.strip()]
    write_arrays(options.folder, "train", many, vocabulary, rows=not options.no_rows)
    if test:
        write_arrays(options.folder, "test", test, vocabulary, rows=not options.no_rows)
    else:
        (options.folder / "test.npz").unlink(missing_ok=True)
    print(f"{len(train)} messages, {len(many)} with their variations; {len(test)} to measure on")
    if not options.prepare_only:
        from tools.reader import fit, leave_out

        plan = fit.Plan(options.epochs, options.seed, options.start, options.rate)
        if options.each:
            leave_out.main(options.folder, options.each, plan)
        else:
            fit.main(options.folder, plan)


if __name__ == "__main__":
    main()
