"""Write the golden rankings anew, after the ranking itself was changed on purpose: it says what differs.

python -m tests.scenarios.golden.write
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from pathlib import Path
from typing import Any

from bench.recall import locomo, memoria
from tests.scenarios.golden import telling

from rememora import Settings

_SETS = {"memoria_pt": memoria, "LoCoMo": locomo}


def _settings(folder: Path) -> Settings:
    chosen = {"store.url": str(folder / "store"), "store.key_folder": str(folder / "keys")}
    return Settings.load(chosen, environ={})


async def _small(folder: Path) -> dict[str, list[str]]:
    document = json.loads((telling.HERE / "rankings.json").read_text())
    async with telling.opened(_settings(folder)) as rememora:
        return await telling.rankings(await telling.tell(rememora), document)


def _write(name: str, figures: dict[str, Any]) -> None:
    file = telling.HERE / name
    known = json.loads(file.read_text())
    for key, item in figures.items():
        if item != known.get(key):
            print(f"{name}: {key} is another one")
    lines = (f"  {json.dumps(key, ensure_ascii=False)}: {_told(entry)}" for key, entry in figures.items())
    file.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def _told(result: Any) -> str:
    """Tell hits in one line, and the marks of a set in one line each."""
    reply = json.dumps(result, ensure_ascii=False, indent=2 if isinstance(result, dict) else None)
    return reply.replace("\n", "\n  ")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        _write("rankings.json", asyncio.run(_small(Path(folder, "small"))))
        if telling.DATA is None:
            print("shared.json stays: the reference sets are not here")
            return
        result: dict[str, dict[str, str]] = {}
        for name, read in _SETS.items():
            reply = telling.marks(_settings(Path(folder, name)), read(telling.DATA), telling.EVERY[name])
            result[name] = asyncio.run(reply)
        _write("shared.json", result)


if __name__ == "__main__":
    main()
