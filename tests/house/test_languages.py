"""What a page says in English it says in Portuguese too: part by part, and piece of code by piece of code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.house.source import ROOT
from tests.looped import looped

PORTUGUESE = ".pt-BR.md"
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^(#+) ", re.MULTILINE)
FOLDERS = ("docs", "docs/concepts", "docs/how-to")
PAGES = [ROOT / "README.md", *(page for folder in FOLDERS for page in (ROOT / folder).glob("*.md"))]
ENGLISH = {str(page.relative_to(ROOT)): page for page in PAGES if not page.name.endswith(PORTUGUESE)}


def levels(page: Path) -> list[str]:
    """How deep each heading of a page stands, in order."""
    return HEADING.findall(FENCE.sub("", page.read_text(encoding="utf-8")))


def pieces(page: Path) -> list[tuple[str, list[str]]]:
    """The code of a page, each piece with what does not depend on the language of its words."""
    return [(kind, list(gist(kind, text))) for kind, text in FENCE.findall(page.read_text(encoding="utf-8"))]


def gist(kind: str, text: str) -> Iterator[str]:
    """Names, comments and texts may be translated; what is called, imported and passed may not."""
    if kind == "python":
        yield from (shape(node) for node in ast.walk(ast.parse(text)) if not isinstance(node, ast.expr_context))
    elif kind in ("console", "bash"):
        yield from (" ".join(line.split()[:3]) for line in text.splitlines() if line.startswith("$"))
    else:
        yield str(len(text.splitlines()))


def shape(node: ast.AST) -> str:
    """A node without the words that a translation changes."""
    said = getattr(node, "attr", None) or getattr(node, "arg", None) if not isinstance(node, ast.arg) else None
    plain = re.sub(r"(^|_)(en|pt)$", "", str(said or getattr(node, "module", None) or ""))
    return f"{type(node).__name__} {plain}".strip()


@looped("name", ENGLISH)
def test_a_page_stands_in_both_languages(name: str) -> None:
    """Each page has its sibling, with the same headings and the same code, and leads to it and back."""
    page = ENGLISH[name]
    sibling = page.with_name(page.name.removesuffix(".md") + PORTUGUESE)

    assert sibling.exists()
    assert levels(page) == levels(sibling)
    assert pieces(page) == pieces(sibling)
    assert f"[Leia em português]({sibling.name})" in page.read_text(encoding="utf-8")
    assert f"[Read in English]({page.name})" in sibling.read_text(encoding="utf-8")


@looped("name", ENGLISH)
def test_a_page_leads_to_pages_in_its_own_language(name: str) -> None:
    """Who reads in Portuguese goes on in Portuguese wherever there is such a page."""
    page = ENGLISH[name]
    sibling = page.with_name(page.name.removesuffix(".md") + PORTUGUESE)
    links = re.findall(r"\]\(([^)#\s]+)\.md[#)]", sibling.read_text(encoding="utf-8"))
    strayed = [link for link in links if (sibling.parent / f"{link}{PORTUGUESE}").exists() and link != page.stem]

    assert [] == strayed


def test_both_languages_have_the_same_pages() -> None:
    """No page stands in Portuguese alone."""
    portuguese = {page.name.removesuffix(PORTUGUESE) for page in PAGES if page.name.endswith(PORTUGUESE)}

    assert set() == portuguese - {page.stem for page in ENGLISH.values()}
