"""One style sheet: every colour is a token, every token that is used exists, and pages link no other sheet."""

from __future__ import annotations

import re
from importlib.resources import files

STYLE = files("rememora.dashboard").joinpath("static", "rememora.css").read_text("utf-8")
TOKENS = re.compile(r":root\s*\{[^}]*\}")
COLOUR = re.compile(r"#[0-9a-fA-F]{3,8}\b|\b(?:rgb|hsl)a?\(")


def test_every_colour_is_a_token() -> None:
    """What stands outside of the tokens names them, so that light and dark change in one place."""
    rules = TOKENS.sub("", re.sub(r"/\*.*?\*/", "", STYLE, flags=re.DOTALL))

    assert [] == COLOUR.findall(rules)
    assert len(COLOUR.findall(STYLE)) > 40


def test_every_token_that_is_used_exists() -> None:
    """A name that is misspelt would silently fall back to nothing."""
    defined = set(re.findall(r"(--[\w-]+):", "".join(TOKENS.findall(STYLE))))

    assert set() == set(re.findall(r"var\((--[\w-]+)\)", STYLE)) - defined
    assert {"--text-m", "--space-4", "--accent"} <= defined


def test_pages_link_one_style_sheet() -> None:
    """Templates bring no style of their own, and no build makes one."""
    templates = files("rememora.dashboard").joinpath("templates")
    texts = [
        path.read_text("utf-8")
        for path in (*templates.iterdir(), *templates.joinpath("desk").iterdir())
        if path.name.endswith(".html")
    ]
    linked = [link for text in texts for link in re.findall(r'rel="stylesheet" href="([^"]+)"', text)]

    assert {"{{ base }}/static/rememora.css"} == set(linked)
    assert not any("<style" in text or " style=" in text for text in texts if "export.title" not in text)
