"""Trains the comparison of whole statements: `python -m tools.train_links [--workers N] [--measure]`.

With `--measure` each writer's scenarios are scored by weights trained on the others'. Plain
numpy, seeded; half an hour on one core, some minutes on many (`--workers`).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rememora.adapters.offline import OfflineEmbedder
from rememora.reading import read_message
from rememora.reading.encoders import lend_encoder
from rememora.reading.results import MessageReading
from rememora.reading.rules import rule_of
from rememora.statements.links import (
    LAYERS,
    MEMBERS,
    WEIGHTS,
    ComparedStatement,
    Links,
    Net,
    Space,
    doubt_features,
    features,
    known,
    load_links,
    meaning_features,
    rule_features,
)
from rememora.statements.meaning import Meaning

DATA = Path(__file__).parents[1] / "data" / "reading" / "links"
HIDDEN = 32
EPOCHS = (8, 30)
"""Fewest and most times that a network sees each row …"""
ROWS = 30_000_000
"""… and the rows it sees in all between these bounds."""
BATCH = 128
SEED = 7
TOUCH, PART = 0, 1
MESSAGES_BESIDE = 4
"""Messages of other scenarios that each rule is compared with."""
TOUCHES = ("replaces", "part", "forget", "item")
"""Kinds of links that say that a message is about a known statement."""
RULES_ONLY = frozenset({"w8"})
"""Writers of whose scenarios only rules are labelled: whether a message changes something else nobody has said."""
CROWD = (2, 30)
"""Scenarios whose statements stand beside those of another."""
CROWD_OF_DOUBTS = (2, 12)
"""The same where doubts are learnt: fewer, because each statement of a crowd is a row there."""


def scenarios() -> list[dict[str, Any]]:
    """All scenarios with their writer."""
    return [
        {"writer": path.stem, **json.loads(line)}
        for path in sorted(DATA.glob("*.jsonl"))
        for line in path.read_text("utf-8").splitlines()
    ]


class Scene(NamedTuple):
    """A scenario as it is compared."""

    writer: str
    spoken: MessageReading
    said: ComparedStatement
    others: list[ComparedStatement]
    target: Any
    links: list[dict[str, Any]]


DIRECTIONS = 24
"""Main directions of texts that networks look along; kept from one training to the next, unless asked for."""
TEXTS = 100_000


class Beside(NamedTuple):
    """Turns scenes into rows of features, by words or by meaning too."""

    meaning: Meaning | None = None
    space: Space | None = None

    def of(self, rows: Any, said: ComparedStatement, others: list[ComparedStatement]) -> Any:
        """Rows of words with those of meaning beside them, where there is an encoder."""
        if self.meaning is None or self.space is None:
            return rows
        return np.concatenate([rows, meaning_features(self.meaning, self.space, said, others)], axis=1)


WORDS = Beside()


def main_directions(meaning: Meaning, scenes: list[Scene]) -> Space:
    """The directions along which the training texts differ most."""
    rows = meaning.rows(
        sorted({text for scene in scenes for text in (scene.said.text, *(o.text for o in scene.others))})
    )
    mean = rows.mean(axis=0)
    base = np.linalg.svd(rows - mean, full_matrices=False)[2][:DIRECTIONS]
    return Space(mean, base / ((rows - mean) @ base.T).std(axis=0)[:, None])


def statement(text: str) -> ComparedStatement:
    """A known statement with what the reader says it is of."""
    best = max(read_message(text).statements, key=lambda item: item.sure, default=None)
    subject, attribute = (best.subject, best.attribute) if best else ("", "other")
    return known(text, attribute=attribute, subject=subject)


def described(scenario: dict[str, Any]) -> Scene:
    """A scenario with what holds of each known statement: touched or not, and whether in part."""
    others = [statement(text) for text in scenario["known"]]
    spoken = read_message(scenario["new"], [f"user: {text}" for text in scenario["known"][-1:]])
    said = known(scenario["new"], subject=next((item.subject for item in spoken.statements), ""))
    direct = [link for link in scenario["links"] if link["kind"] in TOUCHES and "by" not in link]
    return Scene(scenario["writer"], spoken, said, others, target_of(direct, len(others)), scenario["links"])


def target_of(links: list[dict[str, Any]], count: int) -> Any:
    """What holds of each known statement: touched or not, and in part where it is touched."""
    target = np.zeros((count, 2), np.float32)
    target[:, PART] = np.nan
    for link in links:
        target[link["known"]] = 1, float(link["kind"] in ("part", "item"))
    return target


def consequences(scene: Scene) -> Iterator[Scene]:
    """For each rule that comes true, its consequence as a change of what stands beside it."""
    for link in scene.links:
        rule = rule_of(scene.others[link["known"]].text) if link["kind"] == "fires" else None
        if rule is None:
            continue
        ended = [item for item in scene.links if item.get("by") == link["known"]]
        target = target_of(ended, len(scene.others))
        places = [at for at in range(len(scene.others)) if at != link["known"]]
        if places:
            others = [scene.others[at] for at in places]
            spoken = read_message(rule.consequence)
            yield Scene(scene.writer, spoken, known(rule.consequence), others, target[places], [])


def rule_rows(scene: Scene, space: Beside = WORDS) -> tuple[Any, Any] | None:
    """Features of every rule of a scenario, and whether it comes true or ends."""
    rules = [(at, rule) for at, other in enumerate(scene.others) if (rule := rule_of(other.text)) is not None]
    if not rules:
        return None
    kinds = {link["known"]: link["kind"] for link in scene.links}
    target = [[float(kinds.get(at) == kind) for kind in ("fires", "ends")] for at, _ in rules]
    conditions = [known(rule.condition) for _, rule in rules]
    rows = rule_features(scene.spoken, scene.said, conditions)
    return space.of(rows, scene.said, conditions), np.array(target, np.float32)


def unrelated(scene: Scene, scenes: list[Scene], chance: Any, space: Beside = WORDS) -> tuple[Any, Any] | None:
    """The rules of a scenario beside messages of others, which do not make them true."""
    rules = [known(rule.condition) for other in scene.others if (rule := rule_of(other.text)) is not None]
    if not rules:
        return None
    others = [scenes[at] for at in chance.choice(len(scenes), MESSAGES_BESIDE)]
    rows = [
        space.of(rule_features(other.spoken, other.said, rules), other.said, rules)
        for other in others
        if other is not scene
    ]
    return np.concatenate(rows), np.zeros((sum(map(len, rows)), 2), np.float32)


def doubt_rows(scene: Scene, links: Links, neighbour: list[ComparedStatement] | None = None) -> tuple[Any, Any]:
    """Features of every known statement of a scenario and of some beside, and whether each is put in doubt."""
    others = [*(neighbour or ()), *scene.others]
    rows = features(scene.spoken, scene.said, others)
    touched = links.chances(rows)[:, TOUCH]
    doubted = {link["known"] + len(others) - len(scene.others) for link in scene.links if link["kind"] == "doubts"}
    target = np.array([[float(at in doubted)] for at in range(len(others))], np.float32)
    return doubt_features(rows, others, touched), target


def crowded_doubts(scenes: list[Scene], links: Links, chance: Any) -> list[tuple[Any, Any]]:
    """Each scenario as it was written, and among statements of others, which rest on something else."""
    shown = []
    for scene in scenes:
        others = [
            item
            for at in chance.choice(len(scenes), chance.integers(*CROWD_OF_DOUBTS))
            for item in scenes[at].others
        ]
        shown += [doubt_rows(scene, links), doubt_rows(scene, links, others)]
    return shown


def compared(scene: Scene, others: list[ComparedStatement], space: Beside) -> Any:
    """Features of a scenario's message beside known statements."""
    return space.of(features(scene.spoken, scene.said, others), scene.said, others)


def varied_places(
    scene: Scene, scenes: list[Scene], chance: Any, space: Beside = WORDS
) -> Iterator[tuple[Any, list[int]]]:
    """A scenario as written, with fewer and with more known; the features, and the places of what is judged."""
    count = len(scene.others)
    every = list(range(count))
    yield compared(scene, scene.others, space), every
    for size in (1, 1, 2):
        chosen = sorted(int(at) for at in chance.choice(count, min(size, count), replace=False))
        yield compared(scene, [scene.others[at] for at in chosen], space), chosen
    # Others' statements shape the comparison and are not judged: whether they are touched nobody has said.
    surrounding = [
        other for at in chance.choice(len(scenes), chance.integers(*CROWD)) for other in scenes[at].others
    ]
    order = chance.permutation(len(surrounding) + count)
    mixed = [(*surrounding, *scene.others)[at] for at in order]
    places = [int(np.flatnonzero(order == len(surrounding) + at)[0]) for at in range(count)]
    yield compared(scene, mixed, space)[places], every


def varied(scene: Scene, scenes: list[Scene], chance: Any, space: Beside = WORDS) -> Iterator[tuple[Any, Any]]:
    """The features of a scenario in each variation, and what holds of the statements that are judged."""
    for rows, places in varied_places(scene, scenes, chance, space):
        yield rows, scene.target[places]


def fit(rows: Any, target: Any, seed: int) -> dict[str, Any]:
    """Weights of three layers, by Adam with dropout and decay."""
    chance = np.random.default_rng(seed)
    mean, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-3
    x = (rows - mean) / spread
    sizes = [x.shape[1], HIDDEN, HIDDEN, target.shape[1]]
    layers = [
        [chance.normal(0, np.sqrt(2 / a), (a, b)).astype(np.float32), np.zeros(b, np.float32)]
        for a, b in pairwise(sizes)
    ]
    moments = [[[np.zeros_like(p), np.zeros_like(p)] for p in layer] for layer in layers]
    epochs = int(np.clip(ROWS // len(x), *EPOCHS))
    total, step = epochs * (len(x) // BATCH + 1), 0
    for _ in range(epochs):
        order = chance.permutation(len(x))
        for at in range(0, len(x), BATCH):
            step += 1
            which = order[at : at + BATCH]
            grads = _gradients(layers, x[which], target[which], chance)
            rate = 3e-3 * (1 - step / (total + 1))
            for layer, grad, moment in zip(layers, grads, moments, strict=True):
                for n in range(2):
                    first, second = moment[n]
                    first += 0.1 * (grad[n] - first)
                    second += 0.001 * (grad[n] ** 2 - second)
                    late = 1 - 0.9**step, 1 - 0.999**step
                    layer[n] -= rate * (first / late[0] / (np.sqrt(second / late[1]) + 1e-8) + 0.01 * layer[n])
    assert len(layers) == LAYERS
    out = {"mean": mean, "spread": spread}
    for n, (weight, bias) in enumerate(layers):
        out |= {f"w{n}": weight, f"b{n}": bias}
    return out


def _gradients(layers: Any, x: Any, target: Any, chance: Any) -> list[list[Any]]:
    """Gradients of the cross entropy; a target of NaN does not count."""
    values, masks = [x], []
    for n, (weight, bias) in enumerate(layers):
        x = x @ weight + bias
        if n < len(layers) - 1:
            mask = (x > 0) * (chance.random(x.shape) > 0.2) / 0.8
            x = x * mask
            masks.append(mask)
        values.append(x)
    error = np.nan_to_num(1 / (1 + np.exp(-x)) - target, nan=0.0) / len(x)
    grads: list[list[Any]] = []
    for n in range(len(layers) - 1, -1, -1):
        grads.insert(0, [values[n].T @ error, error.sum(axis=0)])
        if n:
            error = error @ layers[n][0].T * masks[n - 1]
    return grads


def measure(scenes: list[Scene], space: Beside, workers: int) -> None:
    """Precision and recall for each writer, by weights that have not seen that writer."""
    for writer in sorted({scene.writer for scene in scenes}):
        train, held = (
            [scene for scene in scenes if scene.writer != writer],
            [scene for scene in scenes if scene.writer == writer],
        )
        links = Links(trained(train, space, workers=workers))
        chance = np.random.default_rng(1)
        for number, kind in ((0, "as written"), (4, "many")):
            shown = [list(varied(item, held, chance))[number] for item in held]
            print(f"{writer}, {kind}: {_scored(links, shown)}")
        for net, how in _rule_nets(space):
            rules = rules_of(held, chance, how) if _has_new_kinds(writer) else []
            if rules:
                print(f"{writer}, {net}: {_binary(links.chances(_rows(rules), net), _targets(rules))}")
        if _has_new_kinds(writer) and writer not in RULES_ONLY:
            doubts = crowded_doubts(held, links, np.random.default_rng(1))
            print(f"{writer}, doubts: {_binary(links.chances(_rows(doubts), 'doubt'), _targets(doubts))}")


def rules_of(scenes: list[Scene], chance: Any, space: Beside) -> list[tuple[Any, Any]]:
    """Rules beside the messages of their own scenarios and of others."""
    rules = [rows for scene in scenes if (rows := rule_rows(scene, space)) is not None]
    return rules + [rows for scene in scenes if (rows := unrelated(scene, scenes, chance, space)) is not None]


def _rule_nets(space: Beside) -> list[tuple[Net, Beside]]:
    """The comparison of a message with rules by words, and by meaning where there is an encoder."""
    by_words: tuple[Net, Beside] = ("rule", WORDS)
    return [by_words, ("rule_meaning", space)] if space.meaning else [by_words]


def _has_new_kinds(writer: str) -> bool:
    """Whether a writer was asked for rules and doubts; the first four and the ninth were not."""
    return writer not in ("w1", "w2", "w3", "w4", "w9")


def _binary(result: Any, target: Any) -> str:
    """Precision and recall of the first output at several thresholds."""
    items = []
    for least in (0.2, 0.35, 0.5, 0.7):
        hit, true = result[:, 0] >= least, target[:, 0] > 0
        both = (hit & true).sum()
        items.append(f"≥{least}: P {both / max(1, hit.sum()):.2f} R {both / max(1, true.sum()):.2f}")
    return ", ".join(items)


def _rows(shown: list[tuple[Any, Any]]) -> Any:
    return np.concatenate([rows for rows, _ in shown])


def _targets(shown: list[tuple[Any, Any]]) -> Any:
    return np.concatenate([target for _, target in shown])


def _scored(links: Links, shown: list[tuple[Any, Any]]) -> str:
    counts = {least: np.zeros(3) for least in (0.3, 0.5, 0.7, 0.85)}
    exact = part = parts = 0
    for rows, target in shown:
        result = links.chances(rows)
        exact += bool(((result[:, TOUCH] >= 0.5) == (target[:, TOUCH] > 0)).all())
        for least, count in counts.items():
            hit, true = result[:, TOUCH] >= least, target[:, TOUCH] > 0
            counts[least] = np.add(count, ((hit & true).sum(), hit.sum(), true.sum()))
        for row in np.flatnonzero(target[:, TOUCH]):
            parts += 1
            part += (result[row, PART] >= 0.5) == target[row, PART]
    line = ", ".join(
        f"≥{least}: P {c[0] / max(1, c[1]):.2f} R {c[0] / max(1, c[2]):.2f}" for least, c in counts.items()
    )
    return f"{line}; whole scenario right {exact / len(shown):.2f}; part or whole {part / max(1, parts):.2f}"


def trained(
    scenes: list[Scene], space: Beside, plain: Sequence[Scene] = (), *, workers: int = 1
) -> dict[str, Any]:
    """Weights of all networks from scenarios, each as it was written and varied.

    `plain` are the same scenarios read without an encoder. Networks that compare words alone serve stores with one
    and without, and learn from both readings.
    """
    both, chance = [*scenes, *plain], np.random.default_rng(11)
    labelled = _labelled(both)
    changes = [*labelled, *(item for scene in labelled for item in consequences(scene))]
    shown = {"touch": [item for scene in changes for item in varied(scene, labelled, chance)]}
    for net, how in _rule_nets(space):
        shown[net] = rules_of(_with_rules(scenes if how.meaning else both), chance, how)
    out = _fitted(shown, workers)
    if space.space is not None:
        out |= {"space.mean": space.space.mean, "space.base": space.space.base}
    doubts = _labelled(_with_rules(both))
    return out | _fitted({"doubt": crowded_doubts(doubts, Links(out), np.random.default_rng(12))}, workers)


def _with_rules(scenes: Sequence[Scene]) -> list[Scene]:
    """The scenarios by writers who were asked for rules and doubts."""
    return [scene for scene in scenes if _has_new_kinds(scene.writer)]


def _labelled(scenes: list[Scene]) -> list[Scene]:
    """The scenarios of which every link is labelled."""
    return [scene for scene in scenes if scene.writer not in RULES_ONLY]


def _fitted(shown: dict[str, list[tuple[Any, Any]]], workers: int) -> dict[str, Any]:
    """The weights of all members of some networks, which differ in where they begin."""
    members = [(net, member) for net in shown for member in range(MEMBERS)]
    work = [(_rows(shown[net]), _targets(shown[net]), SEED + member) for net, member in members]
    if workers == 1:
        results = [fit(*item) for item in work]
    else:
        with get_context("spawn").Pool(workers) as pool:
            results = pool.starmap(fit, work, chunksize=1)
    return {
        f"{net}{member}.{name}": value
        for (net, member), weights in zip(members, results, strict=True)
        for name, value in weights.items()
    }


def read_scenes(items: list[dict[str, Any]], encoded: bool) -> list[Scene]:
    """Scenarios as they are compared, read with the encoder or without."""
    if encoded:
        lend_encoder(OfflineEmbedder().encode_words)
    return [described(item) for item in items]


def main() -> None:
    """Measure, or train on everything and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("--directions", action="store_true", help="find the main directions of texts anew")
    parser.add_argument("--workers", type=int, default=1, help="processes that read and train")
    options = parser.parse_args()
    items = scenarios()
    pieces = [items[at :: options.workers] for at in range(options.workers)]
    with get_context("spawn").Pool(options.workers) as pool:
        read = pool.starmap(read_scenes, [(piece, way) for way in (False, True) for piece in pieces], chunksize=1)
    plain, scenes = (
        [scene for piece in half for scene in piece] for half in (read[: len(pieces)], read[len(pieces) :])
    )
    meaning = Meaning(OfflineEmbedder().embed_now, remembered=TEXTS)
    space = main_directions(meaning, _labelled(scenes)) if options.directions else load_links().space
    neighbour = Beside(meaning, space)
    if options.measure:
        measure(scenes, neighbour, options.workers)
    np.savez_compressed(WEIGHTS, **trained(scenes, neighbour, plain, workers=options.workers))
    print(f"{len(scenes)} scenarios, {sum(len(scene.others) for scene in scenes)} pairs")


if __name__ == "__main__":
    main()
