"""Trains the network that edits statements: `python -m tools.train_edits [--without WRITER …]`.

Takes the changes of `data/reading/edits/`: a statement (`text`), what is said later (`new`), and what is left of
the statement (`left`). Words that differ become edits: a stretch of the statement goes, and a stretch of the newer
text or nothing takes its place. The network learns to choose one of the edits that are still to be made, and to
stop once there is none. Run it after `tools.train_reader`: it sees words as the reader does. Writers named by
`--without` are left out and scored, and nothing is written. With `--start` the shipped weights are trained on, at
a low rate, for data that came later. Needs torch and the extra `local`; some minutes on a graphics card.
"""

from __future__ import annotations

import argparse
import json
import math
import random
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from rememora.adapters.offline import OfflineEmbedder
from rememora.language import fold
from rememora.reading.encoders import lend_encoder
from rememora.reading.reader import word_states
from rememora.reading.tokens import tokenise
from rememora.statements.editing import (
    FEATURES,
    HEADS,
    IS_WORD,
    LAYERS,
    LOOK,
    MOST_PUT,
    MOST_TOKENS,
    WEIGHTS,
    Edit,
    applied,
    described_pair,
)

DATA = Path(__file__).parents[1] / "data" / "reading" / "edits"
WIDTH, WORDS = 96, 64
EPOCHS, BATCH, RATE, DECAY = 18, 32, 2e-3, 0.05
EPOCHS_ON, RATE_ON = 5, 6e-4
"""The same where shipped weights are trained on."""
DROP, DROP_STATES = 0.4, 0.5
SEED = 3
NEAR = 2
"""Words between two changes up to which they are one edit, where the newer text says it in one piece."""
JOINTS = (", ", ". ", " e ", ", ", "; ")
NOTHING, UNKNOWN = -1, -2
"""In the place of the words that are put: none, or words that the newer text does not say so."""
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
Span = tuple[int, int, int, int]
"""First and last token that go, first and last token that take their place."""


class Change(NamedTuple):
    """A labelled change."""

    writer: str
    text: str
    new: str
    left: str


class Step(NamedTuple):
    """A statement on the way to what is left of it, and the edits that are still to be made."""

    change: Change
    text: str
    edits: list[Span]
    kind: str


def changes() -> list[Change]:
    """All labelled changes."""
    lines = [line for path in sorted(DATA.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines()]
    items = [json.loads(line) for line in lines]
    return [Change(item["id"].partition("-")[0], item["text"], item["new"], item["left"]) for item in items]


def edits_of(change: Change) -> list[Span]:
    """Return the edits that lead from a statement to what is left of it."""
    old, new, left = (tokenise(text) for text in (change.text, change.new, change.left))
    places = [[at for at, token in enumerate(tokens) if token.text[0].isalnum()] for tokens in (old, new, left)]
    before, said, after = (
        [fold(tokens[at].text) for at in at_words]
        for tokens, at_words in zip((old, new, left), places, strict=True)
    )
    if not after:
        return [(places[0][0], places[0][-1], NOTHING, NOTHING)]
    blocks = [
        block[1:]
        for block in SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
        if block[0] != "equal"
    ]
    if len(blocks) > 1:
        whole = (blocks[0][0], blocks[-1][1], blocks[0][2], blocks[-1][3])
        gaps = sum(behind[0] - block[1] for block, behind in pairwise(blocks))
        single = [_edit(block, before, after, said, places) for block in blocks]
        joined = _edit(whole, before, after, said, places) if whole[3] > whole[2] else None
        if joined is not None and joined[2] != UNKNOWN and (gaps <= NEAR or _unknown(single)):
            return [joined]
    edits = [_edit(block, before, after, said, places) for block in blocks]
    # An edit that cannot be told by a stretch of the newer text teaches only what goes, and only by itself.
    return [] if None in edits or (len(edits) > 1 and _unknown(edits)) else [edit for edit in edits if edit]


def _unknown(edits: Sequence[Span | None]) -> bool:
    return any(edit is None or edit[2] == UNKNOWN for edit in edits)


def _edit(
    block: tuple[int, int, int, int],
    before: list[str],
    after: list[str],
    said: list[str],
    places: list[list[int]],
) -> Span | None:
    """One stretch that differs as an edit; what is only put in takes a neighbour with it."""
    start, end, put_start, put_end = block
    if start == end:
        for earlier, later in ((1, 0), (0, 1)):
            if start >= earlier and end + later <= len(before) and put_end + later <= len(after):
                wider = (start - earlier, end + later, put_start - earlier, put_end + later)
                edit = _edit(wider, before, after, said, places)
                if edit is not None and edit[2] != UNKNOWN:
                    return edit
        return None
    gone = (places[0][start], places[0][end - 1])
    words = after[put_start:put_end]
    if not words:
        return (*gone, NOTHING, NOTHING)
    for at in range(len(said) - len(words) + 1):
        if said[at : at + len(words)] == words:
            return (*gone, places[1][at], places[1][at + len(words) - 1])
    return (*gone, UNKNOWN, UNKNOWN)


def steps_of(change: Change, others: Sequence[str], chance: random.Random) -> Iterator[Step]:
    """The first step of a change, the same among clauses of another life, and the steps after it."""
    edits = edits_of(change)
    known = edits and not _unknown(edits)
    if not edits and change.left.strip() != change.text.strip():
        yield Step(change, change.text, [], "unlearnt")
        return
    yield Step(change, change.text, edits, "first")
    if edits and change.left.strip():
        joint, other = chance.choice(JOINTS), chance.choice(others)
        head = f"{other.rstrip('. ')}{joint}" if chance.random() < 0.5 else ""
        text = f"{head}{change.text}" if head else f"{change.text.rstrip('. ')}{joint}{other}"
        moved = len(tokenise(head))
        if len(tokenise(text)) < MOST_TOKENS:
            shifted = [(first + moved, last + moved, put, end) for first, last, put, end in edits]
            yield Step(change, text, shifted, "more")
    if known and change.left.strip():
        text = change.text
        for number, edit in enumerate(sorted(edits, reverse=True), 1):
            text = _after(text, change.new, edit)
            yield Step(change, text, sorted(edits, reverse=True)[number:], "later")


def _after(text: str, new: str, edit: Span) -> str:
    first, last, put_first, put_last = edit
    tokens = tokenise(new)
    put = new[tokens[put_first].start : tokens[put_last].end] if put_first >= 0 else ""
    return applied(text, Edit(first=first, last=last, chance=1.0), put)


class Shown(NamedTuple):
    """A step as the network sees it: states and features of both texts."""

    step: Step
    states: tuple[Any, Any]
    features: tuple[Any, Any]


def described(steps: Sequence[Step]) -> list[Shown]:
    """Describe some steps, in a process of its own."""
    lend_encoder(OfflineEmbedder().encode_words)
    shown = []
    for step in steps:
        states = [word_states(text) for text in (step.text, step.change.new)]
        if states[0] is not None and states[1] is not None:
            first, second = (rows[:MOST_TOKENS].astype(np.float16) for rows in states if rows is not None)
            shown.append(Shown(step, (first, second), described_pair(step.text, step.change.new)))
    return shown


class Layer(nn.Module):
    """One layer of `rememora.statements.editing`, with dropout."""

    def __init__(self) -> None:
        super().__init__()
        self.n1, self.n2, self.n3 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.o = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.f1, self.f2 = nn.Linear(WIDTH, 2 * WIDTH), nn.Linear(2 * WIDTH, WIDTH)
        self.conv, self.drop = nn.Conv1d(WIDTH, WIDTH, 3, padding=1), nn.Dropout(DROP)

    def forward(self, rows: Tensor, mask: Tensor, cut: int) -> Tensor:
        groups, count, _ = rows.shape
        even = (self.n3(rows) * mask[..., None]).transpose(1, 2)
        # The end of one text is no neighbour of the beginning of the other.
        near = torch.cat([self.conv(even[..., :cut]), self.conv(even[..., cut:])], -1).transpose(1, 2)
        rows = rows + self.drop(torch.relu(near))
        looks = self.qkv(self.n1(rows)).view(groups, count, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(*looks, attn_mask=mask[:, None, None, :])
        rows = rows + self.drop(self.o(seen.transpose(1, 2).reshape(groups, count, WIDTH)))
        thought: Tensor = rows + self.drop(self.f2(torch.relu(self.f1(self.n2(rows)))))
        return thought


class Side(NamedTuple):
    """One of the two texts of a batch, padded."""

    states: Tensor
    features: Tensor
    mask: Tensor

    @property
    def words(self) -> Tensor:
        return self.features[..., IS_WORD] > 0


class Editor(nn.Module):
    """The network of `rememora.statements.editing`, with dropout."""

    def __init__(self, states: int) -> None:
        super().__init__()
        self.word, self.feat, self.mix = (
            nn.Linear(states, WORDS),
            nn.Linear(FEATURES, WIDTH),
            nn.Linear(3 * WORDS, WIDTH),
        )
        self.seg, self.norm = nn.Embedding(2, WIDTH), nn.LayerNorm(WIDTH)
        self.blocks = nn.ModuleList([Layer() for _ in range(LAYERS)])
        self.os, self.oe, self.olin = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH), nn.Linear(2 * WIDTH, 1)
        self.none, self.q, self.null = nn.Linear(WIDTH, 1), nn.Linear(2 * WIDTH, WIDTH), nn.Linear(WIDTH, 1)
        self.ns, self.ne, self.nlin = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH), nn.Linear(2 * WIDTH, 1)
        self.nb = nn.Linear(WIDTH, WIDTH)
        self.drop, self.drop_states = nn.Dropout(DROP), nn.Dropout(DROP_STATES)

    def seen(self, old: Side, new: Side) -> tuple[Tensor, Tensor]:
        """The tokens of both texts, after each looked at the other text and at all tokens of both."""
        a, b = (torch.tanh(self.word(self.drop_states(side.states))) for side in (old, new))
        looks = a @ b.transpose(1, 2) * LOOK
        theirs = looks.masked_fill(~new.mask[:, None], -1e4).softmax(-1) @ b
        mine = looks.transpose(1, 2).masked_fill(~old.mask[:, None], -1e4).softmax(-1) @ a
        rows = [
            torch.relu(self.mix(torch.cat([word, other, word * other], -1)))
            + self.feat(side.features)
            + self.seg.weight[number]
            for number, (word, other, side) in enumerate(((a, theirs, old), (b, mine, new)))
        ]
        joined, mask = self.drop(torch.cat(rows, 1)), torch.cat([old.mask, new.mask], 1)
        for layer in self.blocks:
            joined = layer(joined, mask, a.shape[1])
        joined = self.norm(joined)
        return joined[:, : a.shape[1]], joined[:, a.shape[1] :]

    def spans(self, rows: Tensor, words: Tensor) -> Tensor:
        """Scores of all stretches that may go, and at the end that of stopping."""
        pairs = self.os(self.drop(rows)) @ self.oe(self.drop(rows)).transpose(1, 2) / WIDTH**0.5
        count = rows.shape[1]
        allowed = torch.ones(count, count, dtype=torch.bool, device=rows.device).triu()[None]
        allowed = allowed & words[:, :, None] & words[:, None]
        scores = (pairs + self._ends(self.olin, rows)).masked_fill(~allowed, -1e4).flatten(1)
        mean = (rows * words[..., None]).sum(1) / words.sum(1, keepdim=True).clamp(min=1)
        return torch.cat([scores, self.none(mean)], 1)

    def puts(self, first: Tensor, last: Tensor, rows: Tensor, words: Tensor) -> Tensor:
        """Scores of all stretches that may take the place of another, and at the end that of nothing."""
        question = torch.tanh(self.q(torch.cat([first, last], -1)))
        rows = rows + self.nb(question)[:, None] * 0.5
        starts, ends = ((layer(rows) * question[:, None]).sum(-1) * 2 / WIDTH**0.5 for layer in (self.ns, self.ne))
        places = torch.arange(rows.shape[1], device=rows.device)
        length = places[None] - places[:, None]
        allowed = ((length >= 0) & (length < MOST_PUT))[None] & words[:, :, None] & words[:, None]
        scores = starts[:, :, None] + ends[:, None] + self._ends(self.nlin, rows)
        return torch.cat([scores.masked_fill(~allowed, -1e4).flatten(1), self.null(question)], 1)

    def _ends(self, layer: nn.Linear, rows: Tensor) -> Tensor:
        groups, count, width = rows.shape
        pairs = (
            rows[:, :, None].expand(groups, count, count, width),
            rows[:, None].expand(groups, count, count, width),
        )
        ends: Tensor = layer(torch.cat(pairs, -1))[..., 0]
        return ends


def padded(states: Sequence[Any], features: Sequence[Any]) -> Side:
    """Some texts as one block."""
    longest = max(map(len, states))
    block = [np.zeros((len(states), longest, rows[0].shape[1]), np.float32) for rows in (states, features)]
    mask = np.zeros((len(states), longest), bool)
    for number, (one, other) in enumerate(zip(states, features, strict=True)):
        block[0][number, : len(one)], block[1][number, : len(other)] = one, other
        mask[number, : len(one)] = True
    return Side(*(torch.from_numpy(array).to(DEVICE) for array in (*block, mask)))


def loss_of(model: Editor, items: Sequence[Shown]) -> Tensor:
    """How unlikely the right edits are."""
    old, new = (
        padded([item.states[side] for item in items], [item.features[side] for item in items]) for side in (0, 1)
    )
    mine, theirs = model.seen(old, new)
    chances = model.spans(mine, old.words).log_softmax(-1)
    width, other_width = mine.shape[1], theirs.shape[1]
    total = chances.new_zeros(())
    puts: list[tuple[int, int, int, int]] = []
    for row, item in enumerate(items):
        edits = [edit for edit in item.step.edits if edit[1] < width]
        if item.step.edits and not edits:
            continue
        places = [first * width + last for first, last, _, _ in edits] or [width * width]
        # One of the edits that are still to be made, whichever.
        total = total - torch.logsumexp(chances[row, places], 0)
        for first, last, put, end in edits:
            if put != UNKNOWN and end < other_width and end - put < MOST_PUT:
                puts.append((row, first, last, other_width**2 if put == NOTHING else put * other_width + end))
    if puts:
        rows, firsts, lasts, targets = (torch.tensor(column, device=DEVICE) for column in zip(*puts, strict=True))
        scores = model.puts(mine[rows, firsts], mine[rows, lasts], theirs[rows], new.words[rows])
        total = total + functional.cross_entropy(scores, targets, reduction="sum")
    return total / len(items)


def fit(items: list[Shown], *, on: bool = False) -> Editor:
    """Train the network, or train the shipped one `on`."""
    torch.manual_seed(SEED)
    chance = random.Random(SEED)
    model = Editor(items[0].states[0].shape[1])
    model.to(DEVICE)
    if on:
        load_shipped(model)
    epochs, rate = (EPOCHS_ON, RATE_ON) if on else (EPOCHS, RATE)
    optimiser = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=DECAY)
    count = epochs * math.ceil(len(items) / BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=count, pct_start=0.15)
    for epoch in range(epochs):
        chance.shuffle(items)
        total = 0.0
        for at in range(0, len(items), BATCH):
            loss = loss_of(model, items[at : at + BATCH])
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            total += float(loss.detach())
        print(f"epoch {epoch + 1}: loss {total * BATCH / len(items):.3f}", flush=True)
    model.eval()
    return model


@torch.no_grad()
def measure(model: Editor, items: Sequence[Shown]) -> str:
    """How often the first edit is right: the words that go, and also what takes their place."""
    gone = right = 0
    for item in items:
        old, new = (padded([item.states[side]], [item.features[side]]) for side in (0, 1))
        mine, theirs = model.seen(old, new)
        first, last = divmod(int(model.spans(mine, old.words)[0, :-1].argmax()), mine.shape[1])
        scores = model.puts(mine[:, first], mine[:, last], theirs, new.words)[0]
        best, width = int(scores.argmax()), theirs.shape[1]
        put = (NOTHING, NOTHING) if best == width**2 else divmod(best, width)
        gone += any(edit[:2] == (first, last) for edit in item.step.edits)
        right += (first, last, *put) in item.step.edits
    return f"{len(items)} changes: words that go {gone / len(items):.3f}, the whole edit {right / len(items):.3f}"


def load_shipped(model: Editor) -> None:
    """Put the shipped weights into a model; the inverse of `stored`."""
    state = {}
    with np.load(WEIGHTS) as arrays:
        for name in arrays.files:
            value = arrays[name].astype(np.float32)
            if name.endswith("conv.weight"):
                value = np.stack([part.T for part in np.split(value, 3)], axis=2)
            elif value.ndim > 1 and name != "seg.weight":
                value = value.T
            state[name] = torch.from_numpy(np.ascontiguousarray(value))
    model.load_state_dict(state)


def stored(model: Editor) -> dict[str, Any]:
    """The weights by the names and in the shapes that `rememora.statements.editing` looks up."""
    arrays = {}
    for name, value in model.state_dict().items():
        array = value.detach().cpu().numpy().astype(np.float16)
        if name.endswith("conv.weight"):
            array = np.concatenate([array[:, :, at].T for at in range(array.shape[2])])
        elif array.ndim > 1 and name != "seg.weight":
            array = array.T
        arrays[name] = array
    return arrays


def main() -> None:
    """Train on all changes and write the weights, or leave writers out and measure on them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--without", nargs="*", default=[], help="writers that are left out, and measured on")
    parser.add_argument("--workers", type=int, default=1, help="processes that read the changes")
    parser.add_argument("--start", action="store_true", help="train the shipped weights on")
    chosen = parser.parse_args()
    chance, labelled = random.Random(SEED), changes()
    texts = [change.text for change in labelled if change.writer not in chosen.without]
    steps = [step for change in labelled for step in steps_of(change, texts, chance)]
    pieces = [steps[at :: chosen.workers] for at in range(chosen.workers)]
    with get_context("spawn").Pool(chosen.workers) as pool:
        items = [item for piece in pool.map(described, pieces, chunksize=1) for item in piece]
    train = [
        item for item in items if item.step.change.writer not in chosen.without and item.step.kind != "unlearnt"
    ]
    print(f"{len(train)} steps of {len(labelled)} changes", flush=True)
    model = fit(train, on=chosen.start)
    if not chosen.without:
        np.savez_compressed(WEIGHTS, **stored(model))
    for writer in chosen.without:
        held = [item for item in items if item.step.change.writer == writer and item.step.kind == "first"]
        print(f"{writer}, {measure(model, [item for item in held if item.step.edits])}")


if __name__ == "__main__":
    main()
