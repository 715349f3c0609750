"""Fits the reader's network with PyTorch, and writes it as numpy runs it. Needs only torch and numpy."""

from __future__ import annotations

import math
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from tools.reader import fitting
from tools.reader.fitting import Arrays
from torch import Tensor, nn

WIDTH = 96
DILATIONS = (1, 2, 4, 8)
ATTENTION_AFTER = 2
HEADS = 4
ACTS, ATTRIBUTES, SUBJECTS, LABELS = 18, 46, 5, 7
FORGOTTEN_WORDS = 0.35
# Share of messages that are read without the encoder's rows, so that the network reads where there is none too.
WITHOUT_ROWS = 0.2
DROPPED_ROWS = 0.1
STEPS_TOLD = 200
DROPPED, AVERAGED = 0.35, 0.999
INPUTS = ("words", "vectors", "shapes")
LABELLED = ("act", "attribute", "subject", "begins", "names", "starts")
# How much each question counts in the loss.
SHARES = {
    "act": 1.0, "attribute": 0.5, "subject": 0.4, "value": 1.0, "begins": 0.5, "names": 0.5,
    "starts": 0.5, "label": 1.0,
}  # fmt: skip


QUESTIONS = tuple(SHARES)


class Plan(NamedTuple):
    """How long and how fast to train, and on what."""

    epochs: int
    seed: int
    start: Path | None = None
    """Weights to train on, at a low rate: what they know stays."""
    rate: float = 3e-3


class Reader(nn.Module):
    """The network of `rememora.reading.network`, with dropout."""

    def __init__(self, vectors: Tensor, drop: float) -> None:
        super().__init__()
        self.words = nn.Embedding(fitting.WORD_BUCKETS, WIDTH)
        self.grams = nn.Embedding(fitting.GRAM_BUCKETS + 1, WIDTH, padding_idx=fitting.GRAM_BUCKETS)
        nn.init.normal_(self.words.weight, std=0.1)
        nn.init.normal_(self.grams.weight, std=0.2)
        self.grams.weight.data[fitting.GRAM_BUCKETS] = 0
        self.register_buffer("vectors", vectors)
        self.vector = nn.Linear(vectors.shape[1], WIDTH)
        self.shape = nn.Linear(fitting.SHAPES, WIDTH)
        self.encoded = nn.Linear(fitting.ROW, WIDTH)
        self.drop_rows = nn.Dropout(DROPPED_ROWS)
        self.side = nn.Parameter(torch.zeros(2, WIDTH))
        self.blocks = nn.ModuleList([fitting.Block(WIDTH, dilation) for dilation in DILATIONS])
        self.attend_norm = nn.LayerNorm(WIDTH)
        self.attend_in = nn.Linear(WIDTH, 3 * WIDTH)
        self.attend_out = nn.Linear(WIDTH, WIDTH)
        self.last = nn.LayerNorm(WIDTH)
        self.pool = nn.Linear(WIDTH, 1)
        self.heads = nn.ModuleDict(
            {
                "act": nn.Linear(WIDTH, ACTS), "attribute": nn.Linear(WIDTH, ATTRIBUTES),
                "subject": nn.Linear(WIDTH, SUBJECTS), "value": nn.Linear(WIDTH, 1),
                "begins": nn.Linear(WIDTH, 1), "names": nn.Linear(WIDTH, 1),
                "starts": nn.Linear(WIDTH, 1), "label": nn.Linear(2 * WIDTH, LABELS),
            }
        )  # fmt: skip
        self.drop = nn.Dropout(drop)

    def forward(self, batch: dict[str, Tensor]) -> dict[str, Tensor]:
        mask = batch["mask"][..., None].float()
        keep = mask
        words = self.words(batch["words"])
        vectors = self.vectors[batch["vectors"]]
        if self.training:
            # A word forgotten now and then, so that its pieces, its vector and its neighbours must speak too.
            words = words * (torch.rand_like(mask) > FORGOTTEN_WORDS) / (1 - FORGOTTEN_WORDS)
            vectors = vectors * (torch.rand_like(mask) > 0.1)
        counts = (batch["grams"] != fitting.GRAM_BUCKETS).sum(-1, keepdim=True).clamp(min=1)
        x = words + self.grams(batch["grams"]).sum(2) / counts + self.vector(vectors) + self.shape(batch["shapes"])
        if "rows" in batch:
            rows = self.encoded(self.drop_rows(batch["rows"])) * batch["own"][..., None]
            if self.training:
                rows = rows * (torch.rand(len(rows), 1, 1, device=rows.device) > WITHOUT_ROWS)
            x = x + rows
        x = self.drop(x + self.side[batch["own"].long()]) * keep
        for number, block in enumerate(self.blocks):
            if number == ATTENTION_AFTER:
                x = x + self.drop(self._attend(self.attend_norm(x), batch["mask"]))
            x = x + self.drop(block(x, keep))
        x = self.last(x)
        mine = batch["own"] & batch["mask"]
        share = self.pool(x)[..., 0].masked_fill(~mine, -1e4).softmax(-1)
        best = x.masked_fill(~mine[..., None], -1e4).max(1).values
        pooled = torch.cat([(share[..., None] * x).sum(1), best], -1)
        y = self.drop(x)
        result = {name: head(y) for name, head in self.heads.items() if name != "label"}
        result["label"] = self.heads["label"](self.drop(pooled))
        return result

    def _attend(self, x: Tensor, mask: Tensor) -> Tensor:
        size, length = x.shape[0], x.shape[1]
        parts = self.attend_in(x).view(size, length, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        bias = torch.zeros_like(mask, dtype=x.dtype).masked_fill(~mask, -1e4)[:, None, None]
        seen = nn.functional.scaled_dot_product_attention(parts[0], parts[1], parts[2], attn_mask=bias)
        return self.attend_out(seen.transpose(1, 2).reshape(size, length, WIDTH))


class Examples:
    """Flat arrays cut into batches."""

    def __init__(self, flat: dict[str, Any], rows: Any, which: Sequence[int] | None = None) -> None:
        self.flat = flat
        self.rows = rows
        self.which = list(range(len(flat["lengths"])) if which is None else which)
        """The examples that count."""
        self.row_ends = np.cumsum(flat["lengths"] - flat["contexts"])
        self.ends = np.cumsum(flat["lengths"])
        self.grams = fitting.padded_grams(flat)

    def batch(self, which: list[int], device: str) -> dict[str, Tensor]:
        """Examples as padded tensors."""
        flat, longest = self.flat, int(max(self.flat["lengths"][i] for i in which))
        size = len(which)
        out: dict[str, Any] = {name: np.zeros((size, longest), np.int64) for name in ("words", "vectors")} | {
            name: np.full((size, longest), -1, np.int64) for name in LABELLED
        }
        out["shapes"] = np.zeros((size, longest, fitting.SHAPES), np.float32)
        out["grams"] = np.full((size, longest, fitting.MOST_GRAMS), fitting.GRAM_BUCKETS, np.int64)
        if self.rows is not None:
            out["rows"] = np.zeros((size, longest, fitting.ROW), np.float32)
        out["mask"], out["own"] = np.zeros((size, longest), bool), np.zeros((size, longest), bool)
        for row, i in enumerate(which):
            end, count = int(self.ends[i]), int(flat["lengths"][i])
            part = slice(end - count, end)
            for name in (*INPUTS, *LABELLED):
                out[name][row, :count] = flat[name][part]
            out["mask"][row, :count] = True
            out["own"][row, int(flat["contexts"][i]) : count] = True
            out["grams"][row, :count] = self.grams[part]
            if self.rows is not None:
                mine = count - int(flat["contexts"][i])
                last = int(self.row_ends[i])
                out["rows"][row, count - mine : count] = self.rows[last - mine : last]
        out["labels"] = flat["labels"][which].astype(np.int64)
        return {name: torch.from_numpy(array).to(device) for name, array in out.items()}


def loss_of(result: dict[str, Tensor], batch: dict[str, Tensor]) -> Tensor:
    """What the network still gets wrong; labels of -1 do not count."""
    total = torch.zeros((), device=batch["words"].device)
    inside = batch["attribute"] > 0
    batch = {**batch, "value": batch["attribute"].clamp(max=1)}
    for name in ("act", "attribute", "subject"):
        # What a value is of, and whose, is asked of the words of values alone.
        known = batch["act"] >= 0 if name == "act" else inside
        if known.any():
            total = total + SHARES[name] * nn.functional.cross_entropy(
                result[name][known], batch[name][known], label_smoothing=0.05
            )
    for name in ("value", "begins", "names", "starts"):
        known = batch[name] >= 0
        if known.any():
            total = total + SHARES[name] * nn.functional.binary_cross_entropy_with_logits(
                result[name][..., 0][known], batch[name][known].float()
            )
    if (batch["labels"] >= 0).any():
        total = total + SHARES["label"] * nn.functional.cross_entropy(
            result["label"], batch["labels"], ignore_index=-1, label_smoothing=0.05
        )
    return total


def fit(
    train: Examples,
    test: Examples | None,
    vectors: np.ndarray,
    plan: Plan,
    device: str,
) -> dict[str, Tensor]:
    """Train, and return the running average of the weights."""
    epochs, rate = plan.epochs, plan.rate
    torch.manual_seed(plan.seed)
    chance = random.Random(plan.seed)
    model = Reader(torch.from_numpy(vectors.astype(np.float32) / 127).to(device), DROPPED).to(device)
    if plan.start is not None:
        begun = loaded(np.load(plan.start))
        model.load_state_dict({name: value.to(device) for name, value in begun.items()}, strict=False)
    optimiser = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=0.05)
    order = list(train.which)
    steps = epochs * math.ceil(len(order) / fitting.BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, max_lr=rate, total_steps=steps + 1, pct_start=0.1)
    average = fitting.Average(model, AVERAGED)
    began = time.time()
    done = 0
    for epoch in range(epochs):
        batches = fitting.batches_of(order, train.flat["lengths"], chance)
        model.train()
        total = 0.0
        for which in batches:
            batch = train.batch(which, device)
            loss = loss_of(model(batch), batch)
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            total += loss.detach()
            done += 1
            if done % STEPS_TOLD == 0:
                print(f"step {done} of {steps}, {time.time() - began:.0f} s", flush=True)
            average.take(model)
        line = f"epoch {epoch + 1}: loss {float(total) / len(batches):.3f}, {time.time() - began:.0f} s"
        if test is not None and (epoch % 4 == 3 or epoch + 1 == epochs):
            line += " | " + measure(average.weights, test, vectors, device)
        print(line, flush=True)
    return average.weights


@torch.no_grad()
def measure(weights: dict[str, Tensor], test: Examples, vectors: np.ndarray, device: str) -> str:
    """Share of tokens and of messages whose labels are right."""
    model = Reader(torch.from_numpy(vectors.astype(np.float32) / 127).to(device), 0.0).to(device)
    model.load_state_dict(weights)
    model.eval()
    right: dict[str, list[float]] = {}
    for at in range(0, len(test.which), 128):
        batch = test.batch(test.which[at : at + 128], device)
        result = model(batch)
        for name in ("act", "attribute", "subject"):
            known = batch[name] >= 0
            if name != "act":
                known = batch["attribute"] > 0
            hit = (result[name].argmax(-1) == batch[name])[known].float()
            right.setdefault(name, [0, 0])
            right[name][0] += float(hit.sum())
            right[name][1] += int(known.sum())
        value = (result["value"][..., 0] > 0), (batch["attribute"] > 0)
        known = batch["attribute"] >= 0
        for name, hit in (
            ("value_p", (value[0] & value[1] & known, value[0] & known)),
            ("value_r", (value[0] & value[1] & known, value[1] & known)),
        ):
            right.setdefault(name, [0, 0])
            right[name][0] += float(hit[0].sum())
            right[name][1] += int(hit[1].sum())
        known = batch["labels"] >= 0
        right.setdefault("label", [0, 0])
        right["label"][0] += float((result["label"].argmax(-1) == batch["labels"])[known].sum())
        right["label"][1] += int(known.sum())
    return ", ".join(f"{name} {a / max(1, b):.3f}" for name, (a, b) in right.items())


def stored(weights: dict[str, Tensor], words: str, vectors: np.ndarray) -> Arrays:
    """The weights by the names that `rememora.reading.network` looks up."""
    value = fitting.arrays_of(weights)
    out: Arrays = (
        {"vocabulary": np.array(words)}
        | fitting.stored_spellings(value)
        | fitting.stored_layers(value, *_layers())
    )
    out["vectors.bytes"] = vectors.astype(np.int8)
    out["vectors.scale"] = np.full(len(vectors), 1 / 127, np.float32)
    out["side.context"], out["side.own"] = value["side"].astype(np.float16)
    return out


def _layers() -> tuple[dict[str, str], dict[str, str]]:
    """Linear layers and norms, by the names that numpy looks up, with those that they have here."""
    linear, normal = fitting.blocks_of(len(DILATIONS))
    linear |= {name: name for name in ("vector", "shape", "encoded", "pool")}
    linear |= {"attend.in": "attend_in", "attend.out": "attend_out"}
    linear |= {name: f"heads.{name}" for name in QUESTIONS}
    return linear, normal | {"attend.norm": "attend_norm", "last.norm": "last"}


def loaded(arrays: Any) -> dict[str, Tensor]:
    """Turn weights as numpy runs them back into those of the network: the inverse of `stored`."""
    out: dict[str, Any] = {}
    for name in ("words", "grams"):
        out[f"{name}.weight"] = arrays[f"{name}.bytes"].astype(np.float32) * arrays[f"{name}.scale"][:, None]
    out["grams.weight"] = np.vstack([out["grams.weight"], np.zeros((1, WIDTH), np.float32)])
    out["side"] = np.stack([arrays["side.context"], arrays["side.own"]])
    linear, normal = _layers()
    for name, target in linear.items():
        out[f"{target}.weight"] = arrays[f"{name}.weight"].T
    for name, target in normal.items():
        out[f"{target}.weight"] = arrays[f"{name}.weight"]
    for name, target in (linear | normal).items():
        out[f"{target}.bias"] = arrays[f"{name}.bias"]
    return {name: torch.from_numpy(np.ascontiguousarray(value, np.float32)) for name, value in out.items()}


def rows_of(file: Path) -> Any:
    """Return the rows that the bundled encoder gave the tokens, read as they are asked for; None without them."""
    return np.load(file, mmap_mode="r") if file.exists() else None


def main(folder: Path, plan: Plan) -> None:
    """Fit on `train.npz` of a folder, measure on `test.npz` where there is one, and write `weights.npz`."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    data = {
        name: Examples(dict(np.load(folder / f"{name}.npz")), rows_of(folder / f"{name}_rows.npy"))
        for name in ("train", "test")
        if (folder / f"{name}.npz").exists()
    }
    words = np.load(folder / "words.npz")
    weights = fit(data["train"], data.get("test"), words["vectors"], plan, device)
    np.savez_compressed(folder / "weights.npz", **stored(weights, str(words["words"]), words["vectors"]))


if __name__ == "__main__":
    # On another machine: the folder, epochs, seed, and weights to train on with their rate.
    given = sys.argv[4:6]
    main(
        Path(sys.argv[1]),
        Plan(int(sys.argv[2]), int(sys.argv[3]), *((Path(given[0]), float(given[1])) if given else ())),
    )
