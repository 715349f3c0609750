"""The pages lead where they say."""

from __future__ import annotations

import re
from pathlib import Path

from tests.house.source import ROOT
from tests.looped import looped

FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s#]*)(?:#([^)\s]+))?\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "bench").rglob("*.md")]


def anchors(page: Path) -> set[str]:
    """What a page's headings are reached by."""
    heads = HEADING.findall(FENCED.sub("", page.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def broken(page: Path) -> list[str]:
    """The links of a page that lead nowhere."""
    matches = LINK.findall(FENCED.sub("", page.read_text(encoding="utf-8")))
    local = [(page.parent / path if path else page, anchor) for path, anchor in matches if "://" not in path]
    return [
        f"{target}#{anchor}"
        for target, anchor in local
        if not target.exists() or (anchor and anchor not in anchors(target))
    ]


@looped("name", [str(page.relative_to(ROOT)) for page in PAGES])
def test_links_lead_somewhere(name: str) -> None:
    """Each file and each heading that a page points at is there."""
    assert [] == broken(ROOT / name)


@looped("name", ["docs/security.md", "docs/security.pt-BR.md", "docs/endurance.md", "docs/endurance.pt-BR.md"])
def test_every_test_that_is_named_is_there(name: str) -> None:
    """A defence or a campaign stands on a test that can be run."""
    named = re.findall(r"`(tests/[\w/]+\.py)`", (ROOT / name).read_text(encoding="utf-8"))

    assert named
    assert [] == [path for path in named if not (ROOT / path).exists()]
