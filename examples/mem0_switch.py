"""A program written for mem0, on Rememora: only the import is another one, and no model is needed.

Run it with `python examples/mem0_switch.py`.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from rememora.compat.mem0 import Memory  # was: from mem0 import Memory


def main(folder: str) -> None:
    """Add, search, update and delete as mem0's documentation does."""
    with Memory(url=folder) as memory:
        messages = [
            {"role": "user", "content": "I'm planning to watch a movie tonight. Any recommendations?"},
            {"role": "assistant", "content": "How about thriller movies? They can be quite engaging."},
            {"role": "user", "content": "I'm not a big fan of thriller movies but I love sci-fi movies."},
        ]
        added = memory.add(messages, user_id="alice", metadata={"category": "movies"})
        for row in added["results"]:
            print(row["event"], row["memory"])
        for row in added.get("refused", []):
            print("not kept:", row["memory"], "-", row["reason"])
        found = memory.search("which movies does she like?", filters={"user_id": "alice"})
        print("found:", found["results"][0]["memory"])
        id = found["results"][0]["id"]
        memory.update(id, text="I love sci-fi movies and books")
        print("history:", [change["event"] for change in memory.history(id)])
        memory.delete_all(user_id="alice")
        print("left:", memory.get_all(filters={"user_id": "alice"})["results"])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(str(Path(folder) / "store"))
