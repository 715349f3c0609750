"""Measures the reader on writers that it has not seen: fitted on all others, one after the other.

Needs only torch and numpy, and the folder that `tools.train_reader --each … --prepare-only` writes, so that it can
run on another machine. Variations that borrow a message of the writer are left out with the writer's own.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from tools.reader.fit import Examples, Plan, fit, measure, rows_of


def main(folder: Path, writers: Sequence[str], plan: Plan) -> None:
    """Print for each writer what share of the labels of their messages is read right."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    flat = dict(np.load(folder / "train.npz"))
    rows = rows_of(folder / "train_rows.npy")
    names, hands = [str(name) for name in flat.pop("writer_names")], flat.pop("writers")
    as_written = flat.pop("varied") == 0
    vectors = np.load(folder / "words.npz")["vectors"]
    for writer in writers:
        number = names.index(writer)
        others = np.flatnonzero(~(hands == number).any(axis=1)).tolist()
        mine = np.flatnonzero((hands[:, 0] == number) & as_written).tolist()
        weights = fit(Examples(flat, rows, others), None, vectors, plan, device)
        score = measure(weights, Examples(flat, rows, mine), vectors, device)
        print(f"{writer}: {len(mine)} messages, {score}", flush=True)


if __name__ == "__main__":
    # The folder, epochs, seed, and the writers.
    main(Path(sys.argv[1]), sys.argv[4:], Plan(int(sys.argv[2]), int(sys.argv[3])))
