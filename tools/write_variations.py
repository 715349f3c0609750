"""Write variations of the training messages: other names, numbers and trades, slang, accents, case, signs, typos.

    python tools/write_variations.py FOLDER [--times 3] [--seed 1]

Writes one JSONL file for each writer, in the form of `data/reading`, and prints how many messages. The same seed
writes the same files.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from tools.reader.prepare import Example, load, names_in, vary


def variations(examples: Sequence[Example], times: int, seed: int) -> Iterator[Example]:
    """Yield the variations of each message that differ from it and from one another."""
    chance = random.Random(seed)
    names = names_in(examples)
    by_language: dict[str, list[Example]] = {}
    for example in examples:
        by_language.setdefault(example.lang, []).append(example)
    for example in examples:
        known = {example.text}
        for _ in range(times):
            new = vary(example, chance, names, by_language[example.lang])
            if new.text not in known:
                known.add(new.text)
                yield new


def as_row(example: Example, number: int) -> dict[str, Any]:
    """Return a message in the form of `data/reading`."""
    parts = [
        {
            "text": part.text,
            "act": part.act,
            **({"facts": [list(fact) for fact in part.facts]} if part.facts else {}),
        }
        for part in example.parts
    ]
    before = {"before": example.before} if example.before else {}
    return {"id": f"{example.writer}-v{number:05}", "lang": example.lang, **before, "parts": parts}


def write(folder: Path, times: int, seed: int) -> int:
    """Write a file for each writer, and return how many messages there are."""
    folder.mkdir(parents=True, exist_ok=True)
    rows: dict[str, list[str]] = {}
    for number, example in enumerate(variations(load(), times, seed)):
        rows.setdefault(example.writer, []).append(json.dumps(as_row(example, number), ensure_ascii=False))
    for writer, lines in rows.items():
        (folder / f"{writer}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return sum(map(len, rows.values()))


def main() -> None:
    """Write into the folder of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--times", type=int, default=3, help="variations tried for each message")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(write(options.folder, options.times, options.seed), "messages")


if __name__ == "__main__":
    main()
