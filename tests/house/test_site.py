"""The documentation as a site: every page in the menu and in both languages, built strictly, all of it local."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.house.source import ROOT
from tools import build_site, site_diagrams

ENGLISH_ALONE = ("docs/reference/", "docs/why/")
"""Pages written from the code, and decisions: the Portuguese site shows them in English."""
LOADED = re.compile(r"<(?:script|img|iframe|link)\b[^>]*(?:src|href)=\"(?:https?:)?//[^\"]*\"[^>]*>")


def config() -> Any:
    """The settings of the site; its one Python object, the maker of anchors, is of no matter here."""
    return yaml.safe_load(re.sub(r"!!python\S+", "", build_site.CONFIG.read_text(encoding="utf-8")))


def menu(entry: Any) -> Iterator[str]:
    """The pages under an entry of the menu."""
    if isinstance(entry, str):
        yield entry
    else:
        for value in entry.values() if isinstance(entry, dict) else entry:
            yield from menu(value)


def sections(entry: Any) -> Iterator[str]:
    """The titles that the menu gives."""
    if isinstance(entry, dict):
        yield from entry
    if not isinstance(entry, str):
        for value in entry.values() if isinstance(entry, dict) else entry:
            yield from sections(value)


def english() -> set[str]:
    """The pages of `docs/` in English."""
    pages = (ROOT / "docs").rglob("*.md")
    return {str(page.relative_to(ROOT)) for page in pages if not page.name.endswith(".pt-BR.md")}


def test_every_page_is_in_the_menu_once() -> None:
    """No page is left out, and none is named that is not there."""
    listed = list(menu(config()["nav"]))

    assert sorted(set(listed)) == sorted(listed)
    assert sorted(english()) == sorted(page for page in listed if page.startswith("docs/"))
    assert all((ROOT / page).exists() for page in listed)


@pytest.mark.parametrize("language", ["", ".pt-BR"])
@pytest.mark.parametrize("folder", ["concepts", "how-to", "reference", "why"])
def test_every_page_of_a_folder_is_in_its_list(folder: str, language: str) -> None:
    """The list of a folder names each of its pages; a folder in English alone has one list."""
    index = ROOT / "docs" / folder / f"README{language}.md"
    pages = {page.name for page in index.parent.glob("*.md") if page.name.endswith(".pt-BR.md") == bool(language)}
    text = index.read_text(encoding="utf-8") if index.exists() else ""

    assert index.exists() == bool(pages)
    assert [] == sorted(name for name in pages - {index.name} if f"]({name})" not in text)


def test_every_page_for_people_is_in_both_languages() -> None:
    """Beside each stands its translation, and no translation stands alone."""
    translations = {str(page.relative_to(ROOT)) for page in (ROOT / "docs").rglob("*.pt-BR.md")}
    pages = {page for page in english() if not page.startswith(ENGLISH_ALONE)}

    assert {page.removesuffix(".md") + ".pt-BR.md" for page in pages} == translations


def test_every_section_of_the_menu_has_its_portuguese_name() -> None:
    """A reader of the Portuguese site meets no English section."""
    languages = next(plugin["i18n"] for plugin in config()["plugins"] if "i18n" in plugin)["languages"]
    given = next(language for language in languages if language["locale"] == "pt-BR")["nav_translations"]

    assert set(sections(config()["nav"])) == set(given)


def test_a_page_is_laid_out_for_the_reader_of_a_language(tmp_path: Path) -> None:
    """Links lead to the page in the language that is read; every diagram is drawn."""
    page = "[Leia em português](a.pt-BR.md)\n\n[b](../b.pt-BR.md#c) [all](how-to/) [out](https://x.org/y/)\n"
    written = build_site.lay_out(tmp_path)

    assert "[b](../b.md#c) [all](how-to/README.md) [out](https://x.org/y/)\n" == build_site.translated(page)
    assert [] == [
        str(item) for item in written if item.suffix == ".md" and "```mermaid" in item.read_text("utf-8")
    ]


def test_a_link_to_a_module_is_left_as_its_words() -> None:
    """The site holds pages; a link to a page stays, and a broken one stays to fail the build."""
    page, other = ROOT / "docs/quickstart.md", (ROOT / "docs/glossary.md").resolve()
    text = "[a](../tools/build_site.py#L3) [b](glossary.md#c) [d](nowhere.py) ![e](images/chat.png)"

    assert "a [b](glossary.md#c) [d](nowhere.py) ![e](images/chat.png)" == build_site.within(text, page, {other})


def test_a_long_chain_is_wrapped_into_rows() -> None:
    """Twelve boxes in one line would be too small to read."""
    chain = "flowchart LR\n" + "".join(f'    S{n}["{n}. step"] --> S{n + 1}\n' for n in range(12))
    drawn = site_diagrams.draw(chain)

    assert 3 == len(set(re.findall(r'<rect x="\d+" y="(\d+)"', drawn)))
    assert ">0. step<" in drawn


def test_a_diagram_is_drawn_with_its_boxes_and_arrows() -> None:
    """Boxes stand in columns by the longest way to them; another kind of diagram is refused."""
    text = "flowchart LR\n    A[one<br>two] --> B[& three]\n    A --> C\n    C --> B\n"
    drawn = site_diagrams.draw(text)

    assert [["A"], ["C"], ["B"]] == site_diagrams.Chart(text).columns()
    assert ["one", "two", "&amp; three", "C"] == re.findall(r"<text [^>]*>([^<]*)<", drawn)
    assert 3 == drawn.count("marker-end")
    with pytest.raises(ValueError, match="only `flowchart LR`"):
        site_diagrams.draw("sequenceDiagram\n")


def test_the_site_builds_strictly_and_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    """A broken link or anchor fails the build; each page is there in both languages and can be found."""
    command = [sys.executable, str(ROOT / "tools/build_site.py"), "--site-dir", str(tmp_path)]
    environ = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environ)
    assert 0 == done.returncode, done.stderr
    listed = [page.replace("README", "index").removesuffix("md") + "html" for page in menu(config()["nav"])]
    index = (tmp_path / "search/search_index.json").read_text("utf-8")

    assert [] == [page for page in listed for top in ("", "pt-BR") if not (tmp_path / top / page).exists()]
    assert [] == [page for page in listed if f'"{page}' not in index and page != "index.html"]
    assert [] == [match for page in tmp_path.rglob("*.html") for match in LOADED.findall(page.read_text("utf-8"))]
