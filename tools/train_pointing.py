"""Trains which text a request to forget describes: `python -m tools.train_pointing [--measure WRITER …]`.

Takes the requests of `data/reading/links/` that mean a known statement or one thing of a list, each as it was
written and among statements of others. Run it after `tools.train_reader`: it sees words as the reader does. With
`--measure` these writers are left out, scored, and nothing is written. Needs torch and the extra `local`; some
minutes on one core.
"""

from __future__ import annotations

import argparse
import random
import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from tools import train_links
from tools.train_alignment import COMPARED, MOST_WORDS, WordComparer, batch_of
from torch import Tensor, nn

from rememora.adapters.offline import OfflineEmbedder
from rememora.language import fold
from rememora.reading.encoders import lend_encoder
from rememora.reading.reader import word_states
from rememora.statements.links import known
from rememora.statements.meaning import Meaning
from rememora.statements.pointing import MEMBERS, WEIGHTS, pointing_features

DIRECTIONS = 128
"""Main directions of the words' states that the networks see: more of them teach single words by heart."""
HIDDEN = 48
EPOCHS = 10
BATCH = 24
RATE = 2e-3
MOST_BESIDE = 6
"""Most statements of others that stand among those of a scenario."""
LONG = 0.6
"""Share of the requests that stand beside one long text."""
_WISH = re.compile(r"\b(?:esque|apag|tir[ae]|risc|remov|forget|delet|eras|scratch|borr|olvid)")
"""Marks the scenarios without a link that are requests all the same: what they mean is not known."""


class Request(NamedTuple):
    """A request, the texts it may mean with their features, and which of them it does."""

    writer: str
    said: str
    texts: list[str]
    features: Any
    meant: Any


class Space(NamedTuple):
    """The main directions of the words' states, each brought to the same spread."""

    mean: Any
    base: Any


def requests(scenes: list[dict[str, Any]], meaning: Meaning, chance: random.Random) -> list[Request]:
    """Every request twice: as it was written, and among statements of other scenarios."""
    everything = [text for scene in scenes for text in scene["known"]]
    items = []
    for scene in scenes:
        meant = {link["known"] for link in scene["links"] if link["kind"] in ("forget", "item")}
        if not meant and (scene["links"] or not _WISH.search(fold(scene["new"]))):
            continue
        mine = [(text, place in meant) for place, text in enumerate(scene["known"]) if text.strip()]
        others = chance.sample(everything, chance.randint(1, MOST_BESIDE))
        # Long texts have a word for every request: some of the others are said in one breath.
        joined = [" ".join(others[: chance.randint(2, MOST_BESIDE)])] if chance.random() < LONG else []
        neighbour = [(text, False) for text in [*joined, *others] if text not in scene["known"]]
        for chosen in (mine, [*neighbour, *mine]):
            texts = [text for text, _ in chosen]
            rows = pointing_features(known(scene["new"]), [known(text) for text in texts], meaning)
            items.append(
                Request(scene["writer"], scene["new"], texts, rows, np.array([is_meant for _, is_meant in chosen]))
            )
    return items


class Pointer(WordComparer):
    """The network of `rememora.statements.pointing`, with dropout."""

    def __init__(self, features: int) -> None:
        super().__init__(DIRECTIONS, drop_words=0.4)
        self.hidden = nn.Linear(4 * COMPARED + features, HIDDEN)
        self.out = nn.Linear(HIDDEN, 1)
        self.direct = nn.Linear(features, 1)
        self.none = nn.Parameter(torch.zeros(1))
        self.drop = nn.Dropout(0.3)

    def forward(self, one: Tensor, one_mask: Tensor, other: Tensor, other_mask: Tensor, x: Tensor) -> Tensor:
        pooled = self.compare_texts(one, one_mask, other, other_mask)
        hidden = torch.relu(self.hidden(torch.cat([self.drop(pooled), x], -1)))
        return (self.out(self.drop(hidden)) + self.direct(x))[:, 0]


def certainty(
    model: Pointer, chosen: list[Request], states: dict[str, Any], mean: Any, spread: Any
) -> list[Tensor]:
    """The logarithms of the shares of each request's texts, and of none of them, which is last."""
    said = [request.said for request in chosen for _ in request.texts]
    texts = [text for request in chosen for text in request.texts]
    x = torch.from_numpy((np.concatenate([request.features for request in chosen]) - mean) / spread)
    fits = model(*batch_of(said, states), *batch_of(texts, states), x)
    parts = fits.split([len(request.texts) for request in chosen])
    return [torch.cat([part, model.none]).log_softmax(0) for part in parts]


def fit(data: list[Request], states: dict[str, Any], seed: int) -> tuple[Pointer, Any, Any]:
    """Train one network; returns it with the mean and the spread of the features."""
    torch.manual_seed(seed)
    chance = random.Random(seed)
    rows = np.concatenate([request.features for request in data])
    mean, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-3
    model = Pointer(rows.shape[1])
    optimiser = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.05)
    steps = EPOCHS * (len(data) // BATCH + 1)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=steps, pct_start=0.15)
    order = list(data)
    for epoch in range(EPOCHS):
        chance.shuffle(order)
        total = 0.0
        for start in range(0, len(order), BATCH):
            chosen = order[start : start + BATCH]
            loss = torch.zeros(())
            for request, logs in zip(chosen, certainty(model, chosen, states, mean, spread), strict=True):
                target = np.append(request.meant, not request.meant.any()).astype(np.float32)
                loss = loss - (torch.from_numpy(target / target.sum()) * logs).sum() / len(chosen)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
            total += float(loss.detach())
        print(f"network {seed}, epoch {epoch + 1}: loss {total / steps * EPOCHS:.3f}", flush=True)
    return model.eval(), mean, spread


def main_directions(states: dict[str, Any]) -> Space:
    """Work out the main directions of all words."""
    words = np.concatenate(list(states.values())).astype(np.float32)
    mean, spread = words.mean(axis=0), words.std(axis=0) + 1e-3
    words = (words - mean) / spread
    lengths, directions = np.linalg.eigh(words.T @ words / len(words))
    base = directions[:, ::-1][:, :DIRECTIONS] / (np.sqrt(lengths[::-1][:DIRECTIONS]) + 1e-2)
    return Space(mean, base / spread[:, None])


def stored(model: Pointer, mean: Any, spread: Any, space: Space) -> dict[str, Any]:
    """The weights by the names that `rememora.statements.pointing` looks up, the directions inside `word`."""
    weight = space.base @ model.word.weight.detach().numpy().T
    out = {
        "mean": mean,
        "spread": spread,
        "none": model.none.detach().numpy(),
        "word.weight": weight,
        "word.bias": model.word.bias.detach().numpy() - space.mean @ weight,
    }
    for name in ("compare", "hidden", "out", "direct"):
        layer = getattr(model, name)
        out |= {f"{name}.weight": layer.weight.detach().numpy().T, f"{name}.bias": layer.bias.detach().numpy()}
    return {name: value.astype(np.float16 if value.ndim > 1 else np.float32) for name, value in out.items()}


def measure(models: list[tuple[Pointer, Any, Any]], data: list[Request], states: dict[str, Any]) -> None:
    """Print how often the likeliest text is the right one, and how often among those with a great share."""
    scored = []
    for request in data:
        with torch.no_grad():
            logs = [certainty(model, [request], states, mean, spread)[0] for model, mean, spread in models]
        mean_share = torch.stack([log.exp() for log in logs]).mean(0).numpy()[:-1]
        best = int(mean_share.argmax())
        scored.append((bool(request.meant[best]), float(mean_share[best]), bool(request.meant.any())))
    known_ones = [right for right, _, meant in scored if meant]
    print(f"{len(known_ones)} requests, {np.mean(known_ones):.3f} right")
    for least in (0.4, 0.5, 0.6, 0.7):
        taken = [right for right, share, _ in scored if share >= least]
        print(f"  share of at least {least}: {np.mean(taken):.3f} right of {len(taken) / len(scored):.2f}")


def main() -> None:
    """Train on all requests and write the weights, or measure without some writers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--measure", nargs="*", default=[], help="writers that are left out and scored")
    parser.add_argument("--to", type=Path, default=WEIGHTS)
    chosen = parser.parse_args()
    embedder = OfflineEmbedder()
    lend_encoder(embedder.encode_words)
    meaning = Meaning(embedder.embed_now, remembered=train_links.TEXTS)
    data = requests(train_links.scenarios(), meaning, random.Random(5))
    texts = sorted({text for request in data for text in (request.said, *request.texts)})
    result = {text: words[:MOST_WORDS] for text in texts if (words := word_states(text)) is not None}
    space = main_directions(result)
    states = {text: ((words - space.mean) @ space.base).astype(np.float32) for text, words in result.items()}
    data = [request for request in data if all(text in states for text in (request.said, *request.texts))]
    training = [request for request in data if request.writer not in chosen.measure]
    print(f"{len(training)} requests of {len(states)} texts", flush=True)
    models = [fit(training, states, member + 1) for member in range(MEMBERS)]
    if chosen.measure:
        measure(models, [request for request in data if request.writer in chosen.measure], states)
        return
    arrays = {
        f"{member}.{name}": value
        for member, trained in enumerate(models)
        for name, value in stored(*trained, space).items()
    }
    np.savez_compressed(chosen.to, **arrays)


if __name__ == "__main__":
    main()
