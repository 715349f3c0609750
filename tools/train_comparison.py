"""Trains the comparison with known statements: `python -m tools.train_comparison [--without WRITER …]`.

Takes the scenarios of `data/reading/links/`, each as it was written, with fewer known statements, and among those
of others. Run it after `tools.train_reader` and `tools.train_links`: it sees words as the reader does, and
statements as the features of the links do. Writers named by `--without` are left out and scored, and nothing is
written. With `--start` the shipped weights are trained on, at a low rate, for data that came later; `--share` then
takes a part of the scenarios of all writers but those named by `--new`. Needs torch and the extra `local`; some
minutes on a graphics card, hours on one core.
"""

from __future__ import annotations

import argparse
import math
import random
import re
from collections.abc import Collection, Iterator, Sequence
from multiprocessing import get_context
from typing import Any, NamedTuple

import numpy as np
import torch
from tools import train_links
from torch import Tensor, nn
from torch.nn import functional

from rememora.adapters.offline import OfflineEmbedder
from rememora.reading.encoders import lend_encoder
from rememora.reading.reader import word_states
from rememora.statements.comparison import HEADS, LINKS, MEMBERS, MOST_WORDS, ROUNDS, SHARPNESS, WEIGHTS
from rememora.statements.links import load_links
from rememora.statements.meaning import Meaning

WIDTH, COMPARED = 64, 64
EPOCHS, BATCH, RATE, DECAY = 8, 64, 1.5e-3, 0.05
EPOCHS_ON, RATE_ON = 3, 4e-4
"""The same where shipped weights are trained on."""
DROP, DROP_STATES = 0.4, 0.5
PROJECTED_AT_ONCE = 8192
KINDS = LINKS[2:]
"""Kinds of links that the networks learn to tell apart beside what counts: it makes them compare better."""
KIND_WEIGHT = 0.3
CANDIDATES = 14
"""Most known statements of one comparison in training; of a crowd, those nearest to the message."""
CROWDS = 2
"""Times that each scenario is shown among statements of others."""
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


class Shown(NamedTuple):
    """A message beside known statements: their texts and features, and what holds of each (NaN: nobody knows)."""

    writer: str
    variation: str
    said: str
    others: list[str]
    features: Any
    target: Any


def shown(
    scene: train_links.Scene, scenes: list[train_links.Scene], space: train_links.Beside, chance: Any
) -> Iterator[Shown]:
    """A scenario in each variation."""
    count = len(scene.others)
    kinds = np.zeros((count, len(KINDS)), np.float32)
    for link in scene.links:
        if link["kind"] in KINDS:
            kinds[link["known"], KINDS.index(link["kind"])] = 1
    if not scene.links:
        # The consequence of a rule: what it touches is known, and not of which kind the link is.
        kinds[np.nan_to_num(scene.target[:, train_links.TOUCH]) > 0] = np.nan
    target = np.concatenate([scene.target, kinds], axis=1)
    mine = {other.text for other in scene.others}
    yield _beside(scene, "written", target, range(count), [], space, chance)
    for size in (1, 2, 4):
        chosen = sorted(int(at) for at in chance.choice(count, min(size, count), replace=False))
        yield _beside(scene, "fewer", target, chosen, [], space, chance)
    for _ in range(CROWDS):
        picked = chance.choice(len(scenes), chance.integers(*train_links.CROWD))
        crowd = [other for at in picked for other in scenes[at].others if other.text not in mine]
        yield _beside(scene, "crowd", target, range(count), crowd, space, chance)


def _beside(
    scene: train_links.Scene,
    variation: str,
    target: Any,
    chosen: Sequence[int],
    crowd: list[Any],
    space: train_links.Beside,
    chance: Any,
) -> Shown:
    """Some of a scenario's statements, and of a crowd those that are nearest to the message, in any order."""
    closest = sorted(crowd, key=lambda other: -float(other.vector @ scene.said.vector))
    # What is said in one life hardly ever concerns a statement of another: the crowd is not touched.
    untouched = np.zeros(target.shape[1], np.float32)
    untouched[train_links.PART] = np.nan
    pairs = [(scene.others[at], target[at]) for at in chosen]
    pairs += [(other, untouched) for other in closest[: max(0, CANDIDATES - len(chosen))]]
    if crowd:
        pairs = [pairs[at] for at in chance.permutation(len(pairs))]
    others = [other for other, _ in pairs]
    rows = train_links.compared(scene, others, space)
    texts = [other.text for other in others]
    return Shown(scene.writer, variation, scene.said.text, texts, rows, np.array([held for _, held in pairs]))


def prepared(
    scenarios: list[dict[str, Any]], seed: int, left_out: Collection[str] = ()
) -> tuple[list[Shown], dict[str, Any]]:
    """All variations of some scenarios, and the words of their texts as the reader sees them.

    Statements of writers who are left out stand in no crowd of the others.
    """
    embedder = OfflineEmbedder()
    lend_encoder(embedder.encode_words)
    space = train_links.Beside(Meaning(embedder.embed_now, remembered=train_links.TEXTS), load_links().space)
    scenes = train_links._labelled([train_links.described(item) for item in scenarios])
    chance = np.random.default_rng(seed)
    sides = [[scene for scene in scenes if (scene.writer in left_out) is side] for side in (False, True)]
    items = []
    for side in sides:
        changes = [*side, *(result for scene in side for result in train_links.consequences(scene))]
        items += [item for scene in changes for item in shown(scene, side, space, chance)]
    texts = {text for item in items for text in (item.said, *item.others)}
    states = {
        text: rows[:MOST_WORDS].astype(np.float16) for text in texts if (rows := word_states(text)) is not None
    }
    return [item for item in items if {item.said, *item.others} <= states.keys()], states


class Table(NamedTuple):
    """The words of all texts one after the other, and where each text begins and how long it is."""

    words: Tensor
    places: dict[str, int]
    starts: Tensor
    lengths: Tensor

    def of(self, texts: Sequence[str]) -> tuple[Tensor, Tensor]:
        """The words of some texts, padded, and which of them are words."""
        which = torch.tensor([self.places[text] for text in texts], device=DEVICE)
        lengths = self.lengths[which]
        columns = torch.arange(int(lengths.max()), device=DEVICE)[None]
        mask = columns < lengths[:, None]
        rows = torch.where(mask, self.starts[which][:, None] + columns, 0)
        return self.words[rows].float(), mask


def table(states: dict[str, Any]) -> Table:
    """Put the words of all texts onto the device that trains."""
    lengths = np.array([len(rows) for rows in states.values()])
    return Table(
        torch.from_numpy(np.concatenate(list(states.values()))).to(DEVICE),
        {text: at for at, text in enumerate(states)},
        torch.from_numpy(np.cumsum(lengths) - lengths).to(DEVICE),
        torch.from_numpy(lengths).to(DEVICE),
    )


class Round(nn.Module):
    """One look of the known statements at each other."""

    def __init__(self) -> None:
        super().__init__()
        self.before, self.after = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.look, self.seen = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.think, self.thought = nn.Linear(WIDTH, 2 * WIDTH), nn.Linear(2 * WIDTH, WIDTH)
        self.drop = nn.Dropout(DROP)

    def forward(self, rows: Tensor, mask: Tensor) -> Tensor:
        groups, count, _ = rows.shape
        looks = self.look(self.before(rows)).view(groups, count, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(*looks, attn_mask=mask[:, None, None, :])
        rows = rows + self.drop(self.seen(seen.transpose(1, 2).reshape(groups, count, WIDTH)))
        thought: Tensor = rows + self.drop(self.thought(torch.relu(self.think(self.after(rows)))))
        return thought


class Comparer(nn.Module):
    """The network of `rememora.statements.comparison`, with dropout."""

    def __init__(self, states: int, features: int) -> None:
        super().__init__()
        self.word, self.compare = nn.Linear(states, WIDTH), nn.Linear(4 * WIDTH, COMPARED)
        self.features = nn.Linear(features, WIDTH)
        self.join = nn.Linear(4 * WIDTH + 4 * COMPARED + WIDTH, WIDTH)
        self.rounds = nn.ModuleList([Round() for _ in range(ROUNDS)])
        self.norm, self.out = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 2 + len(KINDS))
        self.drop, self.drop_states = nn.Dropout(DROP), nn.Dropout(DROP_STATES)
        self.sees_projected = False
        """Whether words come as the layer of words has them already."""

    def project(self, words: Tensor) -> Tensor:
        """Words as they are compared."""
        return words if self.sees_projected else torch.tanh(self.word(self.drop_states(words)))

    def forward(
        self, said: tuple[Tensor, Tensor], others: tuple[Tensor, Tensor], features: Tensor, groups: Tensor
    ) -> Tensor:
        """Judge each pair; a row of `groups` has the places of the pairs of one message, and -1 for none."""
        a, b = (self.project(words) for words, _ in (said, others))
        looks = a @ b.transpose(1, 2) * (SHARPNESS / WIDTH**0.5)
        theirs = looks.masked_fill(~others[1][:, None], -1e4).softmax(-1) @ b
        mine = looks.transpose(1, 2).masked_fill(~said[1][:, None], -1e4).softmax(-1) @ a
        parts = [*pooled(a, said[1]), *pooled(b, others[1])]
        parts += [*pooled(self._compared(a, theirs), said[1]), *pooled(self._compared(b, mine), others[1])]
        fits = torch.relu(self.join(self.drop(torch.cat([*parts, torch.relu(self.features(features))], -1))))
        mask = groups >= 0
        rows = fits[groups.clamp(min=0)]
        for look in self.rounds:
            rows = look(rows, mask)
        ordered = torch.zeros_like(fits)
        ordered[groups[mask]] = rows[mask].to(fits.dtype)
        judged: Tensor = self.out(self.drop(self.norm(ordered)))
        return judged

    def _compared(self, words: Tensor, seen: Tensor) -> Tensor:
        return torch.relu(self.compare(torch.cat([words, seen, words * seen, (words - seen).abs()], -1)))


def pooled(words: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """The mean of the words of each text, and their strongest values."""
    mean = (words * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
    return mean, words.masked_fill(~mask[..., None], -1e4).max(1).values


def judged(model: Comparer, items: Sequence[Shown], words: Table, scale: tuple[Any, Any]) -> Tensor:
    """Judge each pair of some messages by the network, one message after the other."""
    said = [item.said for item in items for _ in item.others]
    features = (np.concatenate([item.features for item in items]) - scale[0]) / scale[1]
    groups = np.full((len(items), max(len(item.others) for item in items)), -1)
    start = 0
    for row, item in enumerate(items):
        groups[row, : len(item.others)] = range(start, start + len(item.others))
        start += len(item.others)
    others = [text for item in items for text in item.others]
    result: Tensor = model(
        words.of(said),
        words.of(others),
        torch.from_numpy(features.astype(np.float32)).to(DEVICE),
        torch.from_numpy(groups).to(DEVICE),
    )
    return result.float()


def fit(items: list[Shown], words: Table, seed: int, *, on: bool = False) -> tuple[Comparer, tuple[Any, Any]]:
    """Train one network; returns it with the mean and the spread of the features.

    A shipped one is trained `on` with its layer of words as it was: words are projected once, which takes a tenth
    of the time.
    """
    torch.manual_seed(seed)
    chance = random.Random(seed)
    rows = np.concatenate([item.features for item in items])
    scale = rows.mean(axis=0), rows.std(axis=0) + 1e-3
    model = Comparer(words.words.shape[1], rows.shape[1]).to(DEVICE)
    if on:
        scale = load_shipped(model, seed - 1)
        words = projected(words, model)
        model.sees_projected = True
        model.word.requires_grad_(False)
    epochs, rate = (EPOCHS_ON, RATE_ON) if on else (EPOCHS, RATE)
    optimiser = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=DECAY)
    steps = epochs * math.ceil(len(items) / BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=steps, pct_start=0.15)
    weight = torch.tensor([1.0, 1.0] + [KIND_WEIGHT] * len(KINDS), device=DEVICE)
    for epoch in range(epochs):
        chance.shuffle(items)
        total = torch.zeros((), device=DEVICE)
        for at in range(0, len(items), BATCH):
            batch = items[at : at + BATCH]
            target = torch.from_numpy(np.concatenate([item.target for item in batch])).to(DEVICE)
            with torch.autocast(DEVICE, dtype=torch.bfloat16, enabled=DEVICE == "cuda"):
                out = judged(model, batch, words, scale)
            labelled = ~torch.isnan(target)
            losses = functional.binary_cross_entropy_with_logits(out, torch.nan_to_num(target), reduction="none")
            loss = (losses * labelled * weight).sum() / labelled[:, 0].sum()
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            total += loss.detach()
        print(f"network {seed}, epoch {epoch + 1}: loss {float(total) * BATCH / len(items):.3f}", flush=True)
    model.sees_projected = False
    return model.eval(), scale


@torch.no_grad()
def projected(words: Table, model: Comparer) -> Table:
    """The words of all texts as a trained layer has them."""
    model.eval()
    rows = [model.project(part.float()) for part in words.words.split(PROJECTED_AT_ONCE)]
    model.train()
    return words._replace(words=torch.cat(rows))


def load_shipped(model: Comparer, member: int) -> tuple[Any, Any]:
    """Put the weights of a shipped network into a model; the inverse of `stored`."""
    with np.load(WEIGHTS) as arrays:
        held = {
            name.removeprefix(f"{member}."): arrays[name].astype(np.float32)
            for name in arrays.files
            if name.startswith(f"{member}.")
        }
    scale = held.pop("mean"), held.pop("spread")
    state = {
        re.sub(r"^round(\d)", r"rounds.\1", name): torch.from_numpy(np.ascontiguousarray(value.T))
        for name, value in held.items()
    }
    model.load_state_dict(state)
    return scale


def stored(model: Comparer, scale: tuple[Any, Any]) -> dict[str, Any]:
    """The weights by the names that `rememora.statements.comparison` looks up."""
    out = {"mean": scale[0].astype(np.float32), "spread": scale[1].astype(np.float32)}
    for name, value in model.state_dict().items():
        array = value.detach().cpu().numpy().astype(np.float16)
        out[name.replace("rounds.", "round")] = array.T if array.ndim > 1 else array
    return out


@torch.no_grad()
def measure(models: Sequence[tuple[Comparer, tuple[Any, Any]]], items: list[Shown], words: Table) -> str:
    """Precision and recall of what is touched, and how often a wish to forget finds the right one first."""
    chances = []
    for item in items:
        members = [torch.sigmoid(judged(model, [item], words, scale))[:, 0] for model, scale in models]
        chances.append(torch.stack(members).mean(0).cpu().numpy())
    labelled = [~np.isnan(item.target[:, 0]) for item in items]
    score = np.concatenate([row[mask] for row, mask in zip(chances, labelled, strict=True)])
    true = np.concatenate([item.target[mask, 0] for item, mask in zip(items, labelled, strict=True)]) > 0
    order = np.argsort(-score)
    precision = np.cumsum(true[order]) / np.arange(1, len(order) + 1)
    parts = [f"average precision {(precision * true[order]).sum() / max(1, true.sum()):.3f}"]
    for least in (0.3, 0.4, 0.5, 0.7, 0.85):
        hit = score >= least
        parts.append(
            f"≥{least}: P {(hit & true).sum() / max(1, hit.sum()):.2f} R {(hit & true).sum() / true.sum():.2f}"
        )
    wishes = [
        bool(np.nan_to_num(item.target[int(row.argmax()), 4:6]).any())
        for item, row in zip(items, chances, strict=True)
        if np.nan_to_num(item.target[:, 4:6]).any()
    ]
    return f"{', '.join(parts)}; wishes {sum(wishes)} of {len(wishes)}"


def main() -> None:
    """Train on all scenarios and write the weights, or leave writers out and measure on them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--without", nargs="*", default=[], help="writers that are left out, and measured on")
    parser.add_argument("--workers", type=int, default=1, help="processes that read the scenarios")
    parser.add_argument("--start", action="store_true", help="train the shipped weights on")
    parser.add_argument("--new", nargs="*", default=[], help="writers all of whose scenarios are taken")
    parser.add_argument("--share", type=float, default=1.0, help="share of the scenarios of all others")
    chosen = parser.parse_args()
    scenarios, left_out = train_links.scenarios(), frozenset(chosen.without)
    taken = random.Random(train_links.SEED + 1)
    scenarios = [item for item in scenarios if item["writer"] in chosen.new or taken.random() < chosen.share]
    random.Random(train_links.SEED).shuffle(scenarios)
    pieces = [scenarios[at :: chosen.workers] for at in range(chosen.workers)]
    with get_context("spawn").Pool(chosen.workers) as pool:
        results = pool.starmap(
            prepared, [(piece, number, left_out) for number, piece in enumerate(pieces)], chunksize=1
        )
    items = [item for piece, _ in results for item in piece]
    words = table({text: rows for _, states in results for text, rows in states.items()})
    train = [item for item in items if item.writer not in left_out]
    print(f"{len(train)} comparisons of {len(words.places)} texts", flush=True)
    models = [fit(list(train), words, member + 1, on=chosen.start) for member in range(MEMBERS)]
    if not left_out:
        arrays = {f"{n}.{name}": value for n, model in enumerate(models) for name, value in stored(*model).items()}
        np.savez_compressed(WEIGHTS, **arrays)
    for writer in sorted(left_out):
        for variation in ("written", "crowd"):
            held = [item for item in items if (item.writer, item.variation) == (writer, variation)]
            print(f"{writer}, {variation}: {measure(models, held, words)}")


if __name__ == "__main__":
    main()
