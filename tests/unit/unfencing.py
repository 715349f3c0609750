"""The fence read back, as a reader that trusts only whole lines sees it."""

from __future__ import annotations

from rememora.context.fence import CLOSE, OPEN


def unfence(block: str) -> list[tuple[str, list[str]]]:
    """The sections of a block: each heading, and the texts under it."""
    first, *lines, last = block.split("\n")
    assert (OPEN, CLOSE) == (first, last)
    sections: list[tuple[str, list[str]]] = []
    for line in lines:
        if line.startswith("# "):
            sections.append((line.removeprefix("# "), []))
        else:
            sections[-1][1].append(line.removeprefix("- "))
    return sections
